"""How fast files become columns, next to TensorFlow's engine and protobuf's text parser.

    python benchmarks/load.py [--quick]

Ratios are of times from one run on one machine. All files are generated, and removed again.
"""

from __future__ import annotations

import argparse
import importlib.util
import math
import statistics
import tempfile
from dataclasses import dataclass
from pathlib import Path

import _generate
import numpy as np
from _measure import in_process_of_its_own
from _messages import BY_HAND, ONE_LINE, TENSORFLOW, Layout

from tfprof.wire.text_layout import scan

# what was promised
ENGINE_RATIO, LAYOUT_RATIO, TEXT_RATIO = 12.0, 25.0, 5.0
MILLION_SECONDS, MILLION_BYTES = 10.0, 4e9
EXPONENT = 1.1


@dataclass(frozen=True, slots=True)
class Sizes:
    nodes: int = 122_000
    records: int = 48_000
    # protobuf's text parser would take minutes for all nodes: its time is scaled by bytes
    text_sample: int = 6_000
    growth: tuple[int, ...] = (10_000, 30_000, 100_000, 300_000, 1_000_000)
    repeats: int = 5
    engine_repeats: int = 2
    text_repeats: int = 3


QUICK = Sizes(2_000, 800, 200, (500, 1_000, 2_000), 2, 1, 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script out")
    sizes = QUICK if parser.parse_args().quick else Sizes()
    if sizes is QUICK:
        print("Sizes too small for the ratios to mean anything: this only tries the script out")
    compare = importlib.util.find_spec("tensorflow") is not None
    if not compare:
        print("TensorFlow is not installed: our times only, nothing to compare them with")
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as folder:
        _binary(Path(folder), sizes, compare=compare)
        _text(Path(folder), sizes, compare=compare)
        _growth(Path(folder), sizes)


def _binary(folder: Path, sizes: Sizes, *, compare: bool) -> None:
    """A graph and a run of it, against the commands of TensorFlow's engine."""
    nodes = list(_generate.nodes(sizes.nodes))
    # names as TensorFlow's users give them
    graph = _generate.save(folder / "graph.pb", _generate.graph(nodes))
    pieces = _generate.run_metadata(nodes, sizes.records)
    run = _generate.save(folder / "run_meta", pieces)
    what = f"{sizes.nodes:,} nodes ({_size(graph)}), {sizes.records:,} executions ({_size(run)})"
    print(f"\nBinary graph and run: {what}")
    ours = _ours(sizes.repeats, graph, run)
    found = in_process_of_its_own("engine", sizes.engine_repeats, graph, run) if compare else None
    if ours is None or found is None:
        return
    for command, times in found["times"].items():
        _row(f"engine: {command}", _spread(times))
    command, fastest = min(
        ((command, min(times)) for command, times in found["times"].items()),
        key=lambda pair: pair[1],
    )
    label = f"ratio to the fastest ({command})"
    _verdict(f"{label}, best of each", fastest / min(ours), ENGINE_RATIO)
    _verdict(f"{label}, our median", fastest / statistics.median(ours), ENGINE_RATIO)


def _text(folder: Path, sizes: Sizes, *, compare: bool) -> None:
    """The graph as text in three layouts, against protobuf's text parser."""
    nodes = list(_generate.nodes(sizes.nodes))
    sample = list(_generate.nodes(sizes.text_sample))
    for title, layout, target in (
        ("TensorFlow's layout", TENSORFLOW, LAYOUT_RATIO),
        ("another layout: one line", ONE_LINE, TEXT_RATIO),
        ("another layout: by hand, with <>, [] and comments", BY_HAND, TEXT_RATIO),
    ):
        path = _generate.save(folder / "graph.pbtxt", _generate.graph_text(nodes, layout))
        part = _generate.save(folder / "part.pbtxt", _generate.graph_text(sample, layout))
        _one_layout(title, layout, (path, part), target, sizes, compare=compare)


def _one_layout(
    title: str,
    layout: Layout,
    paths: tuple[Path, Path],
    target: float,
    sizes: Sizes,
    *,
    compare: bool,
) -> None:
    path, part = paths
    print(f"\nText, {title}: {sizes.nodes:,} nodes ({_size(path)})")
    scanned = scan(part.read_bytes()) is not None
    if scanned != (layout is TENSORFLOW):
        print(f"   (the scanner {'took' if scanned else 'did not take'} this layout: MISSED)")
    ours = _ours(sizes.text_repeats, path)
    if ours is None or not compare:
        return
    found = in_process_of_its_own("text_format", sizes.text_repeats, part)
    if found is None:
        return
    scale = path.stat().st_size / part.stat().st_size
    _row(f"text_format, {sizes.text_sample:,} nodes", _spread(found["times"]))
    fastest = min(found["times"]) * scale
    _row(f"text_format, scaled by bytes ×{scale:.1f}", f"{fastest:7.2f} s")
    print(f"   (text_format of protobuf {found['protobuf']}, into TensorFlow's GraphDef)")
    _verdict("ratio, best of each", fastest / min(ours), target)
    _verdict("ratio, our median", fastest / statistics.median(ours), target)


def _growth(folder: Path, sizes: Sizes) -> None:
    """Time by number of nodes, up to a million; the largest also has a limit of its own."""
    print("\nGrowth: binary graphs without a run, each size in a process of its own")
    medians: list[float] = []
    for count in sizes.growth:
        pieces = _generate.graph(_generate.nodes(count))
        path = _generate.save(folder / "graph.pb", pieces)
        found = in_process_of_its_own("ours", sizes.repeats, path)
        if found is None:
            return
        medians.append(statistics.median(found["times"]))
        _row(f"{count:,} nodes ({_size(path)})", _spread(found["times"]))
        largest = found
    count = sizes.growth[-1]
    _limit(f"{count:,} nodes, first load", largest["times"][0], MILLION_SECONDS, "s")
    _limit(f"{count:,} nodes, peak memory", largest["peak"] / 1e9, MILLION_BYTES / 1e9, "GB")
    logs = np.log(sizes.growth), np.log(medians)
    fitted = float(np.polyfit(*logs, 1)[0])
    ends = math.log(medians[-1] / medians[0]) / math.log(count / sizes.growth[0])
    _limit("exponent, fitted to all sizes", fitted, EXPONENT)
    _limit("exponent, first to last size", ends, EXPONENT)


def _ours(repeats: int, *paths: Path) -> list[float] | None:
    found = in_process_of_its_own("ours", repeats, *paths)
    if found is None:
        return None
    _row("tfprof: files to columns", _spread(found["times"]))
    times: list[float] = found["times"]
    return times


def _size(path: Path) -> str:
    return f"{path.stat().st_size / 1e6:.1f} MB"


def _spread(times: list[float]) -> str:
    return f"{min(times):7.3f} s best, {statistics.median(times):7.3f} s median of {len(times)}"


def _row(label: str, text: str) -> None:
    print(f"   {label:56} {text}")


def _verdict(label: str, ratio: float, target: float) -> None:
    word = "ok" if ratio >= target else "MISSED"
    _row(label, f"{ratio:7.1f}x  target {target:g}x  {word}")


def _limit(label: str, value: float, limit: float, unit: str = "") -> None:
    word = "ok" if value <= limit else "MISSED"
    _row(label, f"{value:7.2f} {unit:2}  limit {limit:g} {unit}  {word}")


if __name__ == "__main__":
    main()
