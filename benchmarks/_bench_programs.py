"""What `bench.py` runs beside our commands: the other tools, and work that is measured from inside.

    python benchmarks/_bench_programs.py WHAT ARGUMENTS

The last line is the seconds that the work took, imports apart.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

# as the views are asked: no graph here is as deep
DEPTH = 10


def engine(command: str, out: str, graph: str, run: str = "") -> float:
    """A command of TensorFlow's engine that shows every node."""
    from tensorflow.python.util import _pywrap_tfprof

    options = _options([".*"], f"file:outfile={out}")

    def work() -> None:
        data = Path(graph).read_bytes(), Path(run).read_bytes() if run else b""
        _pywrap_tfprof.PrintModelAnalysis(*data, b"", command.encode(), options)

    return _seconds(work)


def engine_nothing(graph: str, run: str) -> float:
    """The command that shows no node: reading is most of it."""
    from tensorflow.python.util import _pywrap_tfprof

    data = Path(graph).read_bytes(), Path(run).read_bytes()
    options = _options([], "none")
    return min(
        _seconds(lambda: _pywrap_tfprof.PrintModelAnalysis(*data, b"", b"scope", options))
        for _ in range(3)
    )


def engine_graph(graph: str) -> float:
    from tensorflow.python.util import _pywrap_tfprof

    data, options = Path(graph).read_bytes(), _options([], "none")
    return _seconds(lambda: _pywrap_tfprof.PrintModelAnalysis(data, b"", b"", b"scope", options))


def engine_prompt(out: str, graph: str, run: str) -> float:
    """The second command once everything is read."""
    from tensorflow.python.util import _pywrap_tfprof

    _pywrap_tfprof.NewProfiler(Path(graph).read_bytes(), b"")
    _pywrap_tfprof.AddStep(0, b"", Path(run).read_bytes(), b"")
    first, second = (_options([".*"], f"file:outfile={out}", depth) for depth in (DEPTH, 3))
    _pywrap_tfprof.Profile(b"scope", first)
    return _seconds(lambda: _pywrap_tfprof.Profile(b"scope", second))


def prompt(graph: str, run: str) -> float:
    from tfprof.cli.prompt import Prompt
    from tfprof.model.options import early
    from tfprof.sources.find.load import Request, choose, read

    data = read(choose(Request([Path(graph), Path(run)])).selections[0])
    asked = Prompt(data, early(), lambda _: None)
    asked.answer("scope")
    return _seconds(lambda: asked.answer("scope -max_depth 3"))


def load(*paths: str) -> float:
    import _measure

    return min(_measure.ours("3", *paths)["times"])


def xprof(tool: str, *captures: str) -> float:
    """XProf answers from a cache beside its input the second time: once only."""
    from xprof.convert import raw_to_tool_data

    return _seconds(lambda: raw_to_tool_data.xspace_to_tool_data(list(captures), tool, {}))


def grappler(graph: str) -> float:
    import memory_speed

    return memory_speed.of_grappler(Path(graph), 1)


def tensorboard(graph: str) -> float:
    """The text that the page of its graph plugin parses."""
    from tensorboard.backend import process_graph
    from tensorboard.compat.proto import graph_pb2

    def work() -> None:
        read = graph_pb2.GraphDef.FromString(Path(graph).read_bytes())
        process_graph.prepare_graph_for_ui(read, 1024, "_too_large_attrs")
        str(read)

    return _seconds(work)


def checkpoint(what: str, prefix: str) -> float:
    """Ours or TensorFlow's reader, by the name of a function of `checkpoints.py`."""
    import checkpoints

    return min(checkpoints.MEASUREMENTS[what](prefix, "3"))


def _options(regexes: list[str], output: str, depth: int = DEPTH) -> bytes:
    from tensorflow.core.profiler import tfprof_options_pb2

    options = tfprof_options_pb2.OptionsProto(
        max_depth=depth, step=-1, order_by="name", select=["micros"], output=output,
        account_type_regexes=regexes, start_name_regexes=regexes, show_name_regexes=regexes,
    )  # fmt: skip
    made: bytes = options.SerializeToString()
    return made


def _seconds(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


PROGRAMS = {
    made.__name__: made
    for made in (engine, engine_nothing, engine_graph, engine_prompt, prompt, load, xprof, grappler,
                 tensorboard, checkpoint)
}  # fmt: skip


if __name__ == "__main__":
    print(f"\n{PROGRAMS[sys.argv[1]](*sys.argv[2:])!r}")
