"""A saved profile next to the files it was made from: how large it is, how long loading takes.

    python benchmarks/saved.py [--quick]

Times are of the processor, the best of several, in turns: a busy machine meets both.
"""

from __future__ import annotations

import argparse
import gc
import tempfile
import time
from pathlib import Path

import _generate

import tfprof
from tfprof.sources.saved import members

TIMES = 5
LARGEST, SLOWEST = 10_000_000, 1.0


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script out")
    nodes, records = (2_000, 800) if parser.parse_args().quick else (122_000, 48_000)
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as name:
        folder, saved = Path(name) / "files", Path(name) / "saved.tfprof"
        folder.mkdir()
        made = list(_generate.nodes(nodes))
        _generate.save(folder / "graph.pb", _generate.graph(made))
        _generate.save(folder / "run_meta", _generate.run_metadata(made, records))
        gc.set_threshold(20_000_000)  # as the command line does
        took = _seconds(lambda: tfprof.load(folder).save(saved))
        size, files = saved.stat().st_size, sum(one.stat().st_size for one in folder.iterdir())
        print(f"{nodes:,} nodes, {records:,} executions: {files:,} bytes, saved in {took:.2f} s")
        print(f"   {size:,} bytes, {files / size:.1f}x smaller  {_ok(size < LARGEST)}")
        own, theirs = zip(*(_turn(saved, folder) for _ in range(TIMES)), strict=True)
        best = min(own)
        print(f"   loaded in {best:.2f} s, the files in {min(theirs):.2f} s  {_ok(best < SLOWEST)}")


def _turn(saved: Path, folder: Path) -> tuple[float, float]:
    members._OPENED.clear()  # what was unpacked for the last turn
    return _seconds(lambda: tfprof.load(saved)), _seconds(lambda: tfprof.load(folder))


def _seconds(act: object) -> float:
    start = time.process_time()
    act()  # type: ignore[operator]
    return time.process_time() - start


def _ok(kept: bool) -> str:  # noqa: FBT001
    return "ok" if kept else "MISSED"


if __name__ == "__main__":
    main()
