"""The four views next to TensorFlow's engine: whole processes, the same options, one run.

    python benchmarks/views.py [--quick]

Ours is the whole process, from `python` to the last line; the engine's is its command alone,
without the import of TensorFlow in front of it.
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
QUESTIONS = (("scope", 10, 8.0), ("op", 10, 8.0), ("scope", 10_000, 4.0), ("graph", 10, None))
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
    ours = min(_ours(view, depth, graph, run, folder / "ours") for _ in range(3))
    theirs = _theirs(view, depth, graph, run, folder / "theirs")
    label = f"   {view}, depth {depth:,}"
    if theirs is None:
        print(f"{label}: {ours:.2f} s (TensorFlow's engine could not be run)")
        return
    verdict = "" if target is None else f"  target {target:.0f}x  {_ok(theirs / ours >= target)}"
    print(f"{label}: {ours:.2f} s, engine {theirs:.2f} s: {theirs / ours:.1f}x{verdict}")


def _ours(view: str, depth: int, graph: Path, run: Path, out: Path) -> float:
    command = [
        sys.executable, "-m", "tfprof", view, str(graph), str(run), "--style", "late",
        "-max_depth", str(depth), "-output", f"file:outfile={out}",
    ]  # fmt: skip
    start = time.perf_counter()
    subprocess.run(command, check=True, capture_output=True)
    return time.perf_counter() - start


def _theirs(view: str, depth: int, graph: Path, run: Path, out: Path) -> float | None:
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    command = [sys.executable, "-c", ENGINE, view, str(depth), str(graph), str(run), str(out)]
    times = []
    for _ in range(2):
        done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
        if done.returncode:
            return None
        times.append(float(done.stdout.splitlines()[-1]))
    return min(times)


def _prompt(graph: Path, run: Path) -> None:
    from tfprof.cli.prompt import Prompt
    from tfprof.model.options import early
    from tfprof.sources.load import Request, choose, read

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
