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

from _compare import compare
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
            for how, measure in (("from file to text", "answer"), ("the command", "command")):
                ours = in_process_of_its_own(measure, 3, what, large)
                if ours is not None:
                    compare(f"{what}, {how}", ours, theirs, TIMES_FASTER, MEMORY_SHARE)


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
    share = "?" if said["input"] is None else f"{100 * said['input']:.1f}"
    return f"{said['steps']:>5}  {said['period_ms']:>9.1f}  {share:>7}"


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


if __name__ == "__main__":
    main()
