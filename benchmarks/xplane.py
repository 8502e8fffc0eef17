"""How fast a large TensorFlow 2 capture becomes columns and answers, and in which memory.

    python benchmarks/xplane.py [--quick]

The capture is a real one whose events are repeated until there are 3.4 million. XProf, which makes
the same table of op times, runs on it last if it is installed: it writes caches beside its input.
"""

from __future__ import annotations

import argparse
import gzip
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from _compare import compare, word
from _measure import RSS_UNIT, Result, in_process_of_its_own

SAMPLE = Path(__file__).parent.parent / "tests/data/xplane/slow-cb.xplane.pb.gz"
ROUNDS, QUICK_ROUNDS = 150, 10
# what was promised for all rounds
SECONDS, BYTES = 3.0, 600e6
# the op table against XProf's
TIMES_FASTER, MEMORY_SHARE = 5, 1 / 3
# every command, from the shell; some say that this capture has nothing for them, once it is read
OP_TABLE = "layers --by node"
COMMANDS = (
    "summary", OP_TABLE, "layers --by op", "layers --by layer", "op", "scope", "graph", "code",
    "memory", "placement", "timeline", "timeline -o {out}",
)  # fmt: skip
COMMAND_SECONDS, COMMAND_BYTES = 15.0, 1.5e9
REPEATS = 3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a capture of a tenth")
    rounds = QUICK_ROUNDS if parser.parse_args().quick else ROUNDS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "vm.xplane.pb"
        small = Path(folder) / "small"
        small.write_bytes(gzip.decompress(SAMPLE.read_bytes()))
        # in a process of its own: a child's peak of memory is no less than its parent's
        command = [sys.executable, Path(__file__).with_name("_xplane.py"), small, path, rounds]
        subprocess.run(list(map(str, command)), check=True)
        found = in_process_of_its_own("capture", 3, path)
        ours = in_process_of_its_own("op_table", 3, path)
        commands = {command: _command(command, path) for command in COMMANDS}
        theirs = in_process_of_its_own("xprof_op_table", path)
        size = path.stat().st_size
    if found is None or ours is None:
        return
    best, peak = min(found["times"]), found["peak"]
    print(f"   {size / 1e6:.1f} MB, all events and one stat of them")
    print(f"   time         {best:7.2f} s   limit {SECONDS:g} s   {word(best <= SECONDS)}")
    print(f"   peak memory  {peak / 1e6:7.0f} MB  limit {BYTES / 1e6:g} MB  {word(peak <= BYTES)}")
    compare("from the file to self times by op", ours, theirs, TIMES_FASTER, MEMORY_SHARE)
    print("   commands from the shell, a fresh process each")
    for command, measured in commands.items():
        _print_command(command.partition(" {")[0], measured)
    compare(
        f"`tfprof {OP_TABLE}` with its imports",
        commands[OP_TABLE],
        theirs,
        TIMES_FASTER,
        MEMORY_SHARE,
    )


def _command(command: str, path: Path) -> Result:
    """Times of a command as a user starts it, and the most memory that it took."""
    found: Result = {"times": [], "peak": 0}
    for number in range(REPEATS):
        out = path.with_name(f"{number}.trace.json.gz")
        name, *options = command.format(out=out).split()
        words = [sys.executable, "-m", "tfprof", name, str(path), *options]
        start = time.perf_counter()
        quiet = subprocess.DEVNULL
        process = subprocess.Popen(words, stdout=quiet, stderr=quiet)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        found["times"].append(time.perf_counter() - start)
        found["peak"] = max(found["peak"], used.ru_maxrss * RSS_UNIT)
        found["exit"] = process.returncode
    return found


def _print_command(command: str, measured: Result) -> None:
    best, peak = min(measured["times"]), measured["peak"]
    kept = best <= COMMAND_SECONDS and peak <= COMMAND_BYTES
    said = "" if measured["exit"] == 0 else f"   exit {measured['exit']}"
    print(f"   {command:<18} {best:7.2f} s {peak / 1e6:7.0f} MB   {word(kept)}{said}")


if __name__ == "__main__":
    main()
