"""How fast a large TensorFlow 2 capture becomes a Chrome trace, against XProf's trace viewer.

    python benchmarks/timeline.py [--quick] [--xprof PYTHON]

The capture is a real one whose events are repeated until there are 3.4 million. PYTHON is the
interpreter of an environment that has xprof, if this one has not. Every measurement is a process of
its own with a copy of its own: XProf leaves caches beside its input.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

SAMPLE = Path(__file__).parent.parent / "tests/data/xplane/slow-cb.xplane.pb.gz"
ROUNDS, QUICK_ROUNDS = 150, 10
# what was promised: so many times faster, at such a part of the memory
FASTER, MEMORY = 5.0, 1 / 3

_XPROF = """
import resource, sys, time
from xprof.convert import raw_to_tool_data
start = time.perf_counter()
data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], "trace_viewer", {})
data = data.encode() if isinstance(data, str) else data
open(sys.argv[2], "wb").write(data)
took = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
import json
print(json.dumps({"seconds": took, "peak": peak, "size": len(data)}))
"""
_OURS = """
import json, resource, sys, time
from pathlib import Path
from tfprof.cli.main import main
start = time.perf_counter()
assert main(["timeline", sys.argv[1], "-o", sys.argv[2]]) == 0
took = time.perf_counter() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"seconds": took, "peak": peak, "size": Path(sys.argv[2]).stat().st_size}))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a capture of a tenth")
    parser.add_argument("--xprof", metavar="PYTHON", default=sys.executable,
                        help="an interpreter that has xprof, if this one has not")  # fmt: skip
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        capture = _capture(Path(folder), QUICK_ROUNDS if args.quick else ROUNDS)
        print(f"   {capture.stat().st_size / 1e6:.1f} MB of XPlane")
        ours = {}
        for name in ("ours.trace.json", "ours.trace.json.gz"):
            ours[name] = _measured(sys.executable, _OURS, capture, name)
            _say(name, ours[name])
        theirs = _measured(args.xprof, _XPROF, capture, "xprof.json")
        if theirs is not None:
            _say("XProf's trace_viewer", theirs)
            _compare(ours["ours.trace.json"], theirs)


def _capture(folder: Path, rounds: int) -> Path:
    small, large = folder / "small", folder / "vm.xplane.pb"
    small.write_bytes(gzip.decompress(SAMPLE.read_bytes()))
    # in a process of its own: a child's peak of memory is no less than its parent's
    command = [sys.executable, Path(__file__).with_name("_xplane.py"), small, large, rounds]
    subprocess.run(list(map(str, command)), check=True)
    return large


def _measured(python: str, code: str, capture: Path, name: str) -> dict[str, Any] | None:
    """Seconds, peak memory and size of the file; None if the process died."""
    with tempfile.TemporaryDirectory(dir=capture.parent) as fresh:
        copy = Path(fresh) / capture.name
        shutil.copyfile(capture, copy)
        time.sleep(1)  # the disk may be busy with the copy
        command = [python, "-c", code, str(copy), str(Path(fresh) / name)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            reason = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
            print(f"   ({name} could not be measured: {reason[0]})")
            return None
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found


def _say(name: str, found: dict[str, Any] | None) -> None:
    if found is not None:
        numbers = f"{found['seconds']:6.2f} s  {found['peak'] / 1e6:6.0f} MB"
        print(f"   {name:22}{numbers}  file {found['size'] / 1e6:6.1f} MB")


def _compare(ours: dict[str, Any] | None, theirs: dict[str, Any]) -> None:
    if ours is None:
        return
    faster = theirs["seconds"] / ours["seconds"]
    part = ours["peak"] / theirs["peak"]
    print(f"   {faster:.1f} times as fast, promised {FASTER:g}: {_word(faster >= FASTER)}")
    print(f"   {part:.2f} of the memory, promised {MEMORY:.2f}: {_word(part <= MEMORY)}")


def _word(kept: bool) -> str:  # noqa: FBT001
    return "ok" if kept else "MISSED"


if __name__ == "__main__":
    main()
