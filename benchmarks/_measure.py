"""One measurement in a process of its own, printed as JSON: `_measure.py <what> <arguments>`.

Apart, TensorFlow's imports do not slow us down, an abort of its engine is not ours, and the peak
of memory is that of one load.
"""

from __future__ import annotations

import contextlib
import gc
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Result = dict[str, Any]
# Linux counts in kilobytes, macOS in bytes
RSS_UNIT = 1 if sys.platform == "darwin" else 1024


def in_process_of_its_own(what: str, *arguments: object) -> Result | None:
    """The result of a measurement; None if TensorFlow is missing or its process died."""
    command = [sys.executable, __file__, what, *map(str, arguments)]
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"}
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = done.stderr.strip().splitlines()[-1:] or [f"exit code {done.returncode}"]
        print(f"   ({what} could not be measured: {reason[0]})")
        return None
    found: Result = json.loads(done.stdout.splitlines()[-1])
    return found


def seconds(work: Callable[[], object]) -> float:
    """How long it takes; what it made is thrown away after the clock has stopped."""
    gc.collect()
    start = time.perf_counter()
    made = work()
    took = time.perf_counter() - start
    del made
    return took


def load(*paths: Path) -> Any:
    """What a user's load does: files to the columns of a profile."""
    from tfprof.sources.find.load import Request, choose, read

    return read(choose(Request(paths)).selections[0])


def ours(repeats: str, *paths: str) -> Result:
    """Our load, the first time and again; the peak of memory is that of the first."""
    from tfprof.sources.files.registry import formats
    from tfprof.wire.schema import message_class

    files = [Path(path) for path in paths]
    # imports are not what is measured: every reader, and protobuf
    formats()
    message_class("GraphDef")
    times = [seconds(lambda: load(*files))]
    peak = _peak()
    times += [seconds(lambda: load(*files)) for _ in range(int(repeats) - 1)]
    return {"times": times, "peak": peak}


def capture(repeats: str, path: str) -> Result:
    """Our load of a TensorFlow 2 capture with one stat of all its events."""
    from tfprof.sources.files.registry import formats
    from tfprof.wire.schema import message_class

    formats()
    message_class("XSpace")

    def work() -> int:
        trace = load(Path(path)).trace
        threads = trace.space.host_threads[0]
        return len(threads.stat("id").ints()) + trace.space.event_count

    times = [seconds(work)]
    peak = _peak()
    times += [seconds(work) for _ in range(int(repeats) - 1)]
    return {"times": times, "peak": peak}


def op_table(repeats: str, path: str) -> Result:
    """From the file to the self times of all ops, by name and type."""
    from tfprof.analyses.runtime.op_events import op_events
    from tfprof.analyses.runtime.op_times import groups, op_times
    from tfprof.sources.files.registry import formats
    from tfprof.wire.schema import message_class

    formats()
    message_class("XSpace")

    def work() -> int:
        runs = op_events(load(Path(path)).trace)
        return len(op_times(runs, groups(runs, "node")))

    times = [seconds(work)]
    peak = _peak()
    times += [seconds(work) for _ in range(int(repeats) - 1)]
    return {"times": times, "peak": peak}


def xprof_op_table(path: str) -> Result:
    """The same of XProf, once: afterwards it answers from its cache."""
    from xprof.convert import raw_to_tool_data

    def work() -> object:
        return raw_to_tool_data.xspace_to_tool_data([path], "framework_op_stats", {})

    return {"times": [seconds(work)], "peak": _peak()}


def command(repeats: str, *words: str) -> Result:
    """A command of ours as a user starts it, in processes of their own; the largest peak."""
    times = [
        seconds(lambda: subprocess.run(
            [sys.executable, "-m", "tfprof", *words], check=True, capture_output=True,
        ))
        for _ in range(int(repeats))
    ]  # fmt: skip
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
    return {"times": times, "peak": peak * RSS_UNIT}


def answer(repeats: str, what: str, path: str) -> Result:
    """From the file to the text of `steps` or `input`, imports apart."""
    import tfprof
    from tfprof.sources.files.registry import formats
    from tfprof.wire.schema import message_class

    formats()
    message_class("XSpace")
    times = [seconds(lambda: str(getattr(tfprof.load(path), what)()))]
    peak = _peak()
    times += [
        seconds(lambda: str(getattr(tfprof.load(path), what)())) for _ in range(int(repeats) - 1)
    ]
    return {"times": times, "peak": peak}


def steps_said(path: str) -> Result:
    """How many steps, how long a step, how much of it waits for input."""
    from tfprof.analyses.step_time.breakdown import breakdowns

    found = next(breakdowns(load(Path(path)).trace.space), None)
    if found is None:
        return {"steps": 0}
    period = sum(found.average().values()) / 1e9
    return {"steps": len(found.time), "period_ms": period, "input": found.input_share}


def xprof_overview(path: str) -> Result:
    """What XProf says of the steps, once: afterwards it answers from its cache."""
    from xprof.convert import raw_to_tool_data

    start = time.perf_counter()
    page = raw_to_tool_data.xspace_to_tool_data([path], "overview_page", {})[0]
    took = time.perf_counter() - start
    for table in json.loads(page):
        if any(column["id"] == "stepnum" for column in table.get("cols", ())):
            step = float(table["p"]["steptime_ms_average"])
            share = float(table["p"]["infeed_time_ms_avg"]) / step if step else 0.0
            found = {"steps": len(table["rows"]), "period_ms": step, "input": share}
    return found | {"times": [took], "peak": _peak()}


def _peak() -> int:
    """The most memory this process ever held, in bytes; on Linux no less than its parent's."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT


def engine(repeats: str, graph: str, run: str) -> Result:
    """The commands of TensorFlow's engine, printing nothing; seconds by command."""
    from tensorflow.python.util import _pywrap_tfprof

    data, run_data = Path(graph).read_bytes(), Path(run).read_bytes()
    times: dict[str, list[float]] = {}
    for command in ("scope", "op"):
        for label, regexes in (("all nodes", [".*"]), ("no node", [])):
            options = _options(regexes)

            def work(command: str = command, options: bytes = options) -> object:
                return _pywrap_tfprof.PrintModelAnalysis(
                    data, run_data, b"", command.encode(), options
                )

            with _silence():
                found = [seconds(work) for _ in range(int(repeats))]
            times[f"{command}, {label}"] = found
    return {"times": times}


def _options(regexes: list[str]) -> bytes:
    from tensorflow.core.profiler import tfprof_options_pb2

    options = tfprof_options_pb2.OptionsProto(
        max_depth=10, step=-1, order_by="name", select=["micros"], output="none",
        account_type_regexes=regexes, start_name_regexes=regexes, show_name_regexes=regexes,
    )  # fmt: skip
    found: bytes = options.SerializeToString()
    return found


@contextlib.contextmanager
def _silence() -> Iterator[None]:
    """The engine prints through C, past sys.stdout."""
    sys.stdout.flush()
    kept = os.dup(1)
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)


def text_format(repeats: str, path: str) -> Result:
    """The text parser of protobuf, into TensorFlow's own GraphDef."""
    from google.protobuf import __version__, text_format
    from google.protobuf.internal import api_implementation
    from tensorflow.core.framework import graph_pb2

    text = Path(path).read_bytes()
    times = [
        seconds(lambda: text_format.Parse(text, graph_pb2.GraphDef())) for _ in range(int(repeats))
    ]
    return {"times": times, "protobuf": f"{__version__}, {api_implementation.Type()}"}


if __name__ == "__main__":
    measurements = {
        "ours": ours, "capture": capture, "engine": engine, "text_format": text_format,
        "op_table": op_table, "xprof_op_table": xprof_op_table,
        "command": command, "answer": answer, "steps_said": steps_said,
        "xprof_overview": xprof_overview,
    }  # fmt: skip
    print(json.dumps(measurements[sys.argv[1]](*sys.argv[2:])))
