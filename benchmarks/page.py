"""How large a page is, how long it takes to make, to open and to zoom, beside what others send.

    python benchmarks/page.py [--quick] [--browser PYTHON] [--xprof PYTHON] [--tensorboard PYTHON]

Of a capture, XProf's trace viewer has the data that its page loads; of a graph, TensorBoard has the
text that its page parses: each is only one of our sections. The interpreters are of environments
that have Playwright, xprof and tensorboard, if this one has not.
"""

from __future__ import annotations

import argparse
import gzip
import json
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import _generate
import _xplane

from tfprof.renderers.page.html import TEMPLATE

ROOT = Path(__file__).parents[1]
SLOW = ROOT / "tests/data/xplane/slow-cb.xplane.pb.gz"
BROWSER = ROOT / ".venv-browser" / "bin" / "python"
# what was promised
TEMPLATE_BYTES, EXAMPLE_BYTES, MAX_BYTES = 1_000_000, 2_000_000, 20_000_000
OPEN_MS, ZOOM_MS = 3000, 50

_OURS = """
import json, sys, time
from pathlib import Path
from tfprof.cli.main import main
start, used = time.perf_counter(), time.process_time()
assert main(["report", *sys.argv[2:], "-o", sys.argv[1]]) == 0
took, used = time.perf_counter() - start, time.process_time() - used
print(json.dumps({"seconds": took, "cpu": used, "size": Path(sys.argv[1]).stat().st_size}))
"""
_XPROF = """
import json, sys, time
from xprof.convert import raw_to_tool_data
start, used = time.perf_counter(), time.process_time()
data, _ = raw_to_tool_data.xspace_to_tool_data([sys.argv[1]], "trace_viewer", {})
took, used = time.perf_counter() - start, time.process_time() - used
print(json.dumps({"seconds": took, "cpu": used, "size": len(data)}))
"""
# as its graph plugin answers the browser
_TENSORBOARD = """
import json, sys, time
from tensorboard.backend import process_graph
from tensorboard.compat.proto import graph_pb2
start, used = time.perf_counter(), time.process_time()
graph = graph_pb2.GraphDef.FromString(open(sys.argv[1], "rb").read())
process_graph.prepare_graph_for_ui(graph, 1024, "_too_large_attrs")
text = str(graph)
took, used = time.perf_counter() - start, time.process_time() - used
print(json.dumps({"seconds": took, "cpu": used, "size": len(text.encode())}))
"""


@dataclass(frozen=True)
class Subject:
    """`theirs` is what others are given of it: a capture, or a graph."""

    name: str
    paths: tuple[Path, ...]
    limit: int
    theirs: Path


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script out")
    for who in ("browser", "xprof", "tensorboard"):
        parser.add_argument(f"--{who}", metavar="PYTHON", default=sys.executable)
    args = parser.parse_args()
    if args.browser == sys.executable and BROWSER.exists():
        args.browser = str(BROWSER)
    _goal("template", TEMPLATE.stat().st_size, TEMPLATE_BYTES, "bytes")
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as folder:
        for subject in _subjects(Path(folder), quick=args.quick):
            _compare(subject, Path(folder), args)


def _subjects(folder: Path, *, quick: bool) -> list[Subject]:
    slow = folder / "slow-cb.xplane.pb"
    slow.write_bytes(gzip.decompress(SLOW.read_bytes()))
    large = folder / "large.xplane.pb"
    large.write_bytes(_xplane.grow(slow.read_bytes(), 4 if quick else 150))
    nodes = list(_generate.nodes(4_000 if quick else 122_000))
    graph = _generate.save(folder / "graph.pb", _generate.graph(nodes))
    records = _generate.run_metadata(nodes, 1_500 if quick else 48_000)
    run = _generate.save(folder / "run_meta", records)
    unet = ROOT / "examples" / "unet"
    return [
        Subject("U-Net", (unet,), EXAMPLE_BYTES, unet / "graph.pb"),
        Subject("slow-cb", (slow,), EXAMPLE_BYTES, slow),
        Subject(f"{len(nodes):,} nodes", (graph, run), MAX_BYTES, graph),
        Subject(f"{large.stat().st_size / 1e6:.0f} MB capture", (large,), MAX_BYTES, large),
    ]


def _compare(subject: Subject, folder: Path, args: argparse.Namespace) -> None:
    print(f"\n{subject.name}")
    page = folder / "report.html"
    page.unlink(missing_ok=True)
    ours = _measured(sys.executable, "report", "-c", _OURS, page, *subject.paths)
    if ours is None:
        return
    print(f"   made in {ours['seconds']:.2f} s, {ours['cpu']:.2f} s of a processor")
    _goal("file", ours["size"], subject.limit, "bytes")
    script = Path(__file__).with_name("_looked_at.py")
    looked = _measured(args.browser, "Chromium", str(script), page)
    if looked is not None:
        for kind, shown in looked["open_ms"].items():
            _goal(f"opens at {kind}", shown, OPEN_MS, "ms")
        for kind, zoom in looked["zoom_ms"].items():
            _goal(f"zoom of {kind} (longest {zoom['longest']:.0f})", zoom["median"], ZOOM_MS, "ms")
    _others(subject, ours, args)


def _others(subject: Subject, ours: dict[str, Any], args: argparse.Namespace) -> None:
    is_graph = subject.theirs.name == "graph.pb"
    name, code, python = (
        ("TensorBoard's graph", _TENSORBOARD, args.tensorboard)
        if is_graph
        else ("XProf's trace_viewer", _XPROF, args.xprof)
    )
    with tempfile.TemporaryDirectory() as fresh:  # XProf leaves caches beside its input
        copy = Path(fresh) / subject.theirs.name
        shutil.copyfile(subject.theirs, copy)
        theirs = _measured(python, name, "-c", code, copy)
    if theirs is not None:
        print(
            f"   {name}: {theirs['size'] / 1e6:.2f} MB in {theirs['seconds']:.2f} s, "
            f"{theirs['cpu']:.2f} s of a processor; our whole page has "
            f"{ours['size'] / theirs['size']:.2f} of its bytes, "
            f"{ours['cpu'] / theirs['cpu']:.2f} of its time"
        )


def _measured(python: str, what: str, *words: object) -> dict[str, Any] | None:
    done = subprocess.run([python, *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        print(f"   ({what} could not be measured: {reason[0]})")
        return None
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _goal(name: str, found: float, limit: float, unit: str) -> None:
    word = "ok" if found <= limit else "MISSED"
    print(f"   {name}: {found:,.0f} {unit}, promised {limit:,.0f}: {word}")


if __name__ == "__main__":
    main()
