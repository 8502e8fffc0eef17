"""Steps and input pipeline: what we and XProf say of the same captures, and how fast.

    python benchmarks/steps.py [--quick]

The large capture is a real one whose events are repeated until there are 3.4 million. XProf runs
on copies of its own: it writes caches beside its input.
"""

from __future__ import annotations

import argparse
import gzip
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from _measure import Result, in_process_of_its_own

CAPTURES = Path(__file__).parent.parent / "tests/data/xplane"
GROWN = "slow-cb"
ROUNDS, QUICK_ROUNDS = 150, 10
TIMES_FASTER, MEMORY_SHARE = 8, 1 / 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a capture of a tenth")
    rounds = QUICK_ROUNDS if parser.parse_args().quick else ROUNDS
    _said_of_each()
    with _capture(GROWN) as small:
        large = small.with_name("large.xplane.pb")
        # in a process of its own: a child's peak of memory is no less than its parent's
        command = [sys.executable, Path(__file__).with_name("_xplane.py"), small, large, rounds]
        subprocess.run(list(map(str, command)), check=True)
        print(f"\n{large.stat().st_size / 1e6:.1f} MB; XProf's overview without its imports")
        theirs = _xprof(large)
        for what in ("steps", "input"):
            _compare(what, "file to text", in_process_of_its_own("answer", 3, what, large), theirs)
            _compare(what, "command", in_process_of_its_own("command", 3, what, large), theirs)


def _said_of_each() -> None:
    print("                        ours                      XProf's overview")
    print("capture          steps  period ms  input %   steps  step ms  input %")
    for path in sorted(CAPTURES.glob("*.gz")):
        name = path.name.partition(".")[0]
        with _capture(name) as capture:
            ours = in_process_of_its_own("steps_said", capture)
            theirs = _xprof(capture)
        if ours is not None and theirs is not None:
            print(f"{name:<16} {_row(ours)}   {_row(theirs)}")


def _row(said: Result) -> str:
    if not said["steps"]:
        return f"{0:>5}  {'-':>9}  {'-':>7}"
    return f"{said['steps']:>5}  {said['period_ms']:>9.1f}  {100 * said['input']:>7.1f}"


def _compare(what: str, how: str, ours: Result | None, theirs: Result | None) -> None:
    if ours is None:
        return
    best, peak = min(ours["times"]), ours["peak"]
    print(f"   {what}, {how:<13} {best:7.2f} s  {peak / 1e6:6.0f} MB")
    if theirs is None:
        return
    slower, share = theirs["times"][0] / best, peak / theirs["peak"]
    print(f"   XProf overview       {theirs['times'][0]:7.2f} s  {theirs['peak'] / 1e6:6.0f} MB")
    print(f"   {slower:.1f} times as fast  goal {TIMES_FASTER}  {_word(slower >= TIMES_FASTER)}")
    print(f"   {share:.0%} of its memory  goal {MEMORY_SHARE:.0%}  {_word(share <= MEMORY_SHARE)}")


def _xprof(path: Path) -> Result | None:
    with tempfile.TemporaryDirectory() as folder:
        copy = shutil.copy(path, Path(folder) / "vm.xplane.pb")
        return in_process_of_its_own("xprof_overview", copy)


@contextmanager
def _capture(name: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vm.xplane.pb"
        path.write_bytes(gzip.decompress((CAPTURES / f"{name}.xplane.pb.gz").read_bytes()))
        yield path


def _word(kept: bool) -> str:  # noqa: FBT001
    return "ok" if kept else "MISSED"


if __name__ == "__main__":
    main()
