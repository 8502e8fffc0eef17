"""The four views next to TensorFlow's engine: whole processes, the same options, one run.

    python benchmarks/views.py [--quick]

Both are whole processes, from `python` to the last line, so the engine's has the import of
TensorFlow in front of it; what its command takes alone stands in brackets. No graph is as deep as
10 levels of names here: the default depth already shows every node.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import _generate

ENGINE = """
import sys, time
from tensorflow.core.profiler import tfprof_options_pb2
from tensorflow.python.util import _pywrap_tfprof as engine
command, depth, graph, run, out = sys.argv[1:]
options = tfprof_options_pb2.OptionsProto(
    max_depth=int(depth), step=-1, order_by="name", account_type_regexes=[".*"],
    start_name_regexes=[".*"], show_name_regexes=[".*"], select=["micros"],
    output=f"file:outfile={out}",
)
start = time.perf_counter()
data = open(graph, "rb").read(), open(run, "rb").read()
engine.PrintModelAnalysis(*data, b"", command.encode(), options.SerializeToString())
print(time.perf_counter() - start)
"""
# view, depth, how much faster it has to be
QUESTIONS = (
    ("scope", 4, 8.0),
    ("scope", 10, 8.0),
    ("op", 10, 8.0),
    ("scope", 10_000, 4.0),
    ("graph", 10, None),
)
PROMPT_LIMIT = 0.3


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script out")
    nodes, records = (2_000, 800) if parser.parse_args().quick else (122_000, 48_000)
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as name:
        folder = Path(name)
        made = list(_generate.nodes(nodes))
        graph = _generate.save(folder / "graph.pb", _generate.graph(made))
        run = _generate.save(folder / "run_meta", _generate.run_metadata(made, records))
        print(f"{nodes:,} nodes, {records:,} executions")
        for view, depth, target in QUESTIONS:
            _compare(view, depth, target, graph, run, folder)
        _prompt(graph, run)


def _compare(
    view: str, depth: int, target: float | None, graph: Path, run: Path, folder: Path
) -> None:
    ours, theirs = [], []
    for _ in range(3):  # in turns, so that a busy moment of the machine meets both
        ours.append(_ours(view, depth, graph, run, folder / "ours"))
        theirs.append(_theirs(view, depth, graph, run, folder / "theirs"))
    label, best = f"   {view}, depth {depth:,}", min(ours)
    engine = [pair for pair in theirs if pair is not None]
    if not engine:
        print(f"{label}: {best:.2f} s (TensorFlow's engine could not be run)")
        return
    process, command = (min(times) for times in zip(*engine, strict=True))
    verdict = "" if target is None else f"  target {target:.0f}x  {_ok(process / best >= target)}"
    print(
        f"{label}: {best:.2f} s, engine {process:.2f} s [{command:.2f}]: "
        f"{process / best:.1f}x [{command / best:.1f}x]{verdict}"
    )


def _ours(view: str, depth: int, graph: Path, run: Path, out: Path) -> float:
    command = [
        sys.executable, "-m", "tfprof", view, str(graph), str(run), "--style", "late",
        "-max_depth", str(depth), "-output", f"file:outfile={out}",
    ]  # fmt: skip
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def _theirs(view: str, depth: int, graph: Path, run: Path, out: Path) -> tuple[float, float] | None:
    """The whole process, and the engine's command in it."""
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, "-c", ENGINE, view, str(depth), str(graph), str(run), str(out)]
    start = time.perf_counter()
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    took = time.perf_counter() - start
    return None if done.returncode else (took, float(done.stdout.splitlines()[-1]))


def _prompt(graph: Path, run: Path) -> None:
    from tfprof.cli.prompt import Prompt
    from tfprof.model.options import early
    from tfprof.sources.find.load import Request, choose, read

    prompt = Prompt(read(choose(Request([graph, run])).selections[0]), early(), lambda _: None)
    prompt.answer("scope")
    start = time.perf_counter()
    prompt.answer("scope -max_depth 3")
    took = time.perf_counter() - start
    verdict = f"limit {PROMPT_LIMIT} s  {_ok(took < PROMPT_LIMIT)}"
    print(f"   second prompt command: {took:.2f} s  {verdict}")


def _ok(reached: bool) -> str:  # noqa: FBT001
    return "ok" if reached else "MISSED"


if __name__ == "__main__":
    main()
