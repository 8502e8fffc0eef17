"""The op log that the original's Python layer makes of a live graph.

FLOPs come from TensorFlow's registry of statistics, where users may have added their own ops; with
them go the type of trained variables and, if asked for, the stack that made each op.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.live.calls import loaded
from tfprof.live.live_objects import Live
from tfprof.live.objects import runtime_shapes
from tfprof.model.oplog import TRAINABLE
from tfprof.wire.schema import Proto, message_class

_NO_STRING = "none"
_STATISTIC = "flops"


@dataclass
class LoggedGraph:
    """The log, and how many ops have a formula but not the shapes it needs."""

    log: Proto
    without_shapes: int = 0


@dataclass
class _Strings:
    """Strings by number; number 0 stands for a missing one."""

    ids: dict[str, int] = field(default_factory=lambda: {_NO_STRING: 0})

    def number(self, text: str | None) -> int:
        return self.ids.setdefault(text, len(self.ids)) if text else 0


def default_log(
    graph: Live,
    user_log: Proto | None = None,
    run_meta: Live = None,
    *,
    add_trace: bool,
    add_float_ops: bool = True,
) -> LoggedGraph:
    """What is known of every op of a tf.Graph; what the user's log says wins."""
    entry_class = message_class("OpLogEntry")
    strings = _Strings()
    counts, without_shapes = _float_ops(graph, run_meta) if add_float_ops else ({}, 0)
    entries = {}
    for operation in graph.get_operations():
        count = counts.get(operation.name, 0)
        if count or add_trace:
            entry = entry_class(name=operation.name, float_ops=count)
            if add_trace:
                _add_stack(entry, operation, strings)
            entries[operation.name] = entry
    for variable in graph.get_collection("trainable_variables"):
        name = variable.op.name
        entries.setdefault(name, entry_class(name=name)).types.append(TRAINABLE)
    log = message_class("OpLogProto")()
    merged = entries if user_log is None else _merged(user_log, entries, strings)
    log.log_entries.extend(merged.values())
    for text, number in strings.ids.items():
        log.id_to_string[number] = text
    return LoggedGraph(log, without_shapes)


def _float_ops(graph: Live, run_meta: Live) -> tuple[dict[str, int], int]:
    """FLOPs by op from TensorFlow's registry."""
    loaded("tensorflow.python.profiler.internal.flops_registry")
    statistics = loaded("tensorflow.python.framework.ops").get_stats_for_node_def
    shaped = graph
    if run_meta is not None:
        shaped = _WithShapes(graph, runtime_shapes(graph, run_meta))
    counts: dict[str, int] = {}
    without_shapes = 0
    for operation in graph.get_operations():
        try:
            value = statistics(shaped, operation.node_def, _STATISTIC).value
        except ValueError:  # how a formula says that it lacks a shape
            without_shapes += 1
            continue
        if value:
            counts[operation.name] = int(value)
    return counts, without_shapes


@frozen_dataclass(slots=False)
class _Tensor:
    """As much of a tensor as the formulas of the registry look at."""

    shape: Live

    def get_shape(self) -> Live:
        return self.shape


@frozen_dataclass(slots=False)
class _WithShapes:
    """A graph as seen by the registry, with the shapes of a run; the graph stays as it is."""

    graph: Live
    shapes: Mapping[str, list[Live]]

    def get_tensor_by_name(self, name: str) -> Live:
        node, _, port = name.partition(":")
        known = self.shapes.get(node)
        if known is not None and port.isdecimal() and int(port) < len(known):
            return _Tensor(known[int(port)])
        return self.graph.get_tensor_by_name(name)

    def __getattr__(self, name: str) -> Live:
        return getattr(self.graph, name)


def _add_stack(entry: Proto, operation: Live, strings: _Strings) -> None:
    """Outermost frame first."""
    for file, line_number, function, line in operation.traceback or ():
        entry.code_def.traces.add(
            file_id=strings.number(file),
            lineno=line_number or -1,
            function_id=strings.number(function),
            line_id=strings.number(line),
            func_start_line=-1,
        )


def _merged(user_log: Proto, entries: Mapping[str, Proto], strings: _Strings) -> dict[str, Proto]:
    """The user's entries, completed; of two with one name the last counts."""
    merged: dict[str, Proto] = {}
    for stated in user_log.log_entries:
        entry = message_class("OpLogEntry")()
        entry.CopyFrom(stated)
        for trace in entry.code_def.traces:
            for key in ("file_id", "function_id", "line_id"):
                text = user_log.id_to_string.get(getattr(trace, key))
                setattr(trace, key, strings.number(text))
        merged[entry.name] = entry
    for name, made in entries.items():
        if name not in merged:
            merged[name] = made
            continue
        entry = merged[name]
        entry.types.extend(made.types)
        entry.float_ops = entry.float_ops or made.float_ops
        if made.code_def.traces and not entry.code_def.traces:
            entry.code_def.CopyFrom(made.code_def)
    return merged
