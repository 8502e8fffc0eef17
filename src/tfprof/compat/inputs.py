"""What a call hands over (graph, run metadata, op log, each in any form) as one ProfileData."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tfprof.compat.handed import Live, Proto
from tfprof.errors import UsageError, WrongKind
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.live.objects import LiveGraph, default_graph, live_graph
from tfprof.live.op_log import default_log
from tfprof.live.profile import data_of_live
from tfprof.model.hosts import Hosts
from tfprof.model.oplog import OpLog
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.reports.trees.original import fill_oplog
from tfprof.sources.files.reader import parse, read_bytes
from tfprof.sources.find.load import Request, choose, inspect_named, read
from tfprof.sources.run.op_log import ParsedCode
from tfprof.sources.run.run_metadata import run_piece
from tfprof.wire.schema import message_class

# what errors call things that are no file
_GRAPH, _RUN, _LOG = Path("graph"), Path("run_meta"), Path("op_log")
_NO_GRAPH = (
    "Hand over a graph: a tf.Graph, a ConcreteFunction, a tf.function, a Keras model, a GraphDef "
    "or a path. TensorFlow has a default graph only while it is not executing eagerly."
)


@frozen_dataclass(slots=False)
class Run:
    """A step's run metadata: its number, its message and what it comes to."""

    step: int
    message: Proto
    trace: Trace


def read_run(given: Live, step: int) -> Run | None:
    """Run metadata as a message, bytes or a path; None where it holds no step stats."""
    if given is None:
        return None
    if isinstance(given, str | os.PathLike):
        file = inspect_named(Path(given))[0]
        if file.kind != "RunMetadata" or file.format is None or file.format.read is None:
            raise WrongKind(f"run metadata is wanted; this is {file.kind}", where=str(given))
        trace = file.format.read(file.path, step, None).trace
        return None if trace is None else Run(step, None, trace)
    data = _serialized(given, "RunMetadata")
    message = parse("RunMetadata", data, _RUN, 0)
    if not message.HasField("step_stats"):
        return None
    found = run_piece(data, _RUN, step, []).trace
    return None if found is None else Run(step, message, found)


def read_log(given: Live) -> Proto:
    """An op log as a message of ours: from TensorFlow's or our own class, bytes or a path."""
    if given is None:
        return None
    if isinstance(given, str | os.PathLike):
        return parse("OpLogProto", read_bytes(Path(given)), Path(given), 0)
    return parse("OpLogProto", _serialized(given, "OpLogProto"), _LOG, 0)


def _serialized(given: Live, name: str) -> bytes:
    if isinstance(given, bytes):
        return given
    descriptor = getattr(given, "DESCRIPTOR", None)
    if descriptor is None or descriptor.name != name:
        what = descriptor.name if descriptor is not None else type(given).__name__
        raise WrongKind(f"{name} is wanted; this is {what}", hint="A message, bytes or a path.")
    data: bytes = given.SerializeToString()
    return data


def log_model(log: Proto) -> OpLog:
    """The message as the model's op log: types add up, the last count and the first stack win."""
    types: dict[str, list[str]] = {}
    counts: dict[str, int] = {}
    stacks: dict[str, Proto] = {}
    for entry in log.log_entries:
        if entry.types:
            types.setdefault(entry.name, []).extend(entry.types)
        if entry.float_ops:
            counts[entry.name] = entry.float_ops
        if entry.HasField("code_def"):
            stacks.setdefault(entry.name, entry.code_def)
    code = ParsedCode.of(stacks, dict(log.id_to_string))
    return OpLog(types, counts, code, bool(stacks))


def build(
    graph: Live,
    runs: Sequence[Run] = (),
    op_log: Live = None,
    *,
    add_trace: bool,
    compat: bool,
    stepwise: bool = False,
) -> ProfileData:
    """One profile of a graph, its runs and an op log.

    `stepwise` matters to the original's sake only: there, a run that was added to a profiler
    changes FLOPs but not the input shapes, and its FLOPs win over those of the user's log.
    """
    log = read_log(op_log)
    if isinstance(graph, str | os.PathLike):
        data = read(choose(Request([Path(graph)])).selections[0])
        live = LiveGraph(b"")
    else:
        live = _live(graph, () if compat and stepwise else runs, compat=compat)
        data = data_of_live(live)
    if runs:
        # a saved profile has steps of its own
        known = [data.trace] if data.trace is not None and stepwise else []
        data = replace(data, hosts=Hosts.of(_joined([*known, *(run.trace for run in runs)])))
    if live.graph is not None:
        messages = [run.message for run in runs if run.message is not None]
        run_meta = _all_stats(messages) if messages else None
        if compat:
            log = _original_log(live.graph, log, run_meta, add_trace=add_trace, stepwise=stepwise)
        elif add_trace:
            log = default_log(live.graph, log, add_trace=True, add_float_ops=False).log
    if log is not None:
        data = replace(data, oplog=log_model(log))
    return data if compat else fill_oplog(data)


def _live(graph: Live, runs: Sequence[Run], *, compat: bool) -> LiveGraph:
    if graph is None:
        graph = default_graph()
    if graph is None:
        if compat:  # the original profiles an empty graph
            return LiveGraph(b"")
        raise UsageError("no graph to profile", hint=_NO_GRAPH)
    messages = [run.message for run in runs if run.message is not None]
    return live_graph(graph, _all_stats(messages) if messages else None)


def _all_stats(messages: Sequence[Proto]) -> Proto:
    if len(messages) == 1:
        return messages[0]
    joined = message_class("RunMetadata")()
    for message in messages:
        joined.step_stats.dev_stats.extend(message.step_stats.dev_stats)
    return joined


def _joined(traces: list[Trace]) -> Trace:
    trace = Trace.joined(traces)
    return replace(trace, steps=tuple(sorted(set(trace.steps))))


def _original_log(
    graph: Live, log: Proto, run_meta: Proto, *, add_trace: bool, stepwise: bool
) -> Proto:
    """What TensorFlow itself says about FLOPs and trained variables."""
    first_run = None if stepwise else run_meta
    logged = default_log(graph, log, first_run, add_trace=add_trace)
    if logged.without_shapes and first_run is None:
        sys.stderr.write(
            f"{logged.without_shapes} ops have no FLOPs since their shapes are not known.\n"
        )
    if stepwise and run_meta is not None:
        again = default_log(graph, None, run_meta, add_trace=False)
        logged.log.log_entries.extend(again.log.log_entries)
    return logged.log
