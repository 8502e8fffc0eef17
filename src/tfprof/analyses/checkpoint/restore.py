"""What restoring a checkpoint into a graph would do, variable by variable."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import field

from tfprof.analyses.graph.variables import Variable
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.checkpoint import OBJECT_GRAPH_KEY, Checkpoint
from tfprof.model.graph import Graph, Node, as_shape, elements
from tfprof.model.units import shape as shape_text
from tfprof.results.doctor import Mismatch, Restored, RestoredBy
from tfprof.wire import dtypes


@frozen_dataclass
class RestoredFrom:
    """The key a variable is restored from; of a partitioned one, both shapes."""

    key: str
    whole: tuple[int, ...] | None = None
    part: tuple[int, ...] | None = None


_NUMBERED = re.compile(r"_\d+$")
_HAND_ON = ("Identity", "Reshape")


@frozen_dataclass
class _Restore:
    """`missing`: restored by name but not in the checkpoint; `untouched`: not asked for at all."""

    saver: str
    matched: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    mismatched: list[Mismatch] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)

    def finished(self) -> RestoredBy:
        missing = (*self.missing, *self.untouched)
        mismatched, extra = tuple(self.mismatched), tuple(self.extra)
        found = Restored(tuple(self.matched), missing, tuple(self.missing), mismatched, extra)
        return RestoredBy(self.saver, found)


def restores(
    graph: Graph, variables: list[Variable], checkpoint: Checkpoint
) -> tuple[RestoredBy, ...]:
    """One answer for each Saver of the graph; without a Saver, every variable by its name."""
    by_name = {v.name: v for v in variables}
    found = [
        _compare(node.name.rpartition("/")[0] or node.name, targets, by_name, checkpoint)
        for node, targets in savers(graph)
    ]
    merged = _merged(found) or [_compare("", _by_name(by_name, checkpoint), by_name, checkpoint)]
    return tuple(one.finished() for one in merged)


def held_variables(graph: Graph, variables: list[Variable], checkpoint: Checkpoint) -> int:
    """How many of them a checkpoint has values for: by their names, or by those of a Saver."""
    by_name = {v.name: v for v in variables}
    named = _by_name(by_name, checkpoint).items()
    held = {name for name, source in named if source.key in checkpoint.tensors}
    if len(held) < len(by_name):
        held |= {
            name
            for _, targets in savers(graph)
            for name, source in targets.items()
            if name in by_name and source.key in checkpoint.tensors
        }
    return len(held)


def _by_name(variables: Mapping[str, Variable], checkpoint: Checkpoint) -> dict[str, RestoredFrom]:
    """Without a Saver: the tensor of that key, else one that people know by that name."""
    known_as: dict[str, str] = {}
    for key, tensor in checkpoint.tensors.items():
        known_as.setdefault(tensor.name, key)
    found = {}
    for name in variables:
        bare = _NUMBERED.sub("", name)  # a second handle of one variable has a number behind it
        key = name if name in checkpoint.tensors else known_as.get(name, known_as.get(bare, name))
        found[name] = RestoredFrom(key)
    return found


def _merged(found: list[_Restore]) -> list[_Restore]:
    """Early Savers have a restore op a variable: those of one scope are one Saver."""
    groups: dict[str, list[_Restore]] = {}
    for restore in found:
        groups.setdefault(restore.saver, []).append(restore)
    merged = []
    for saver, parts in groups.items():
        touched = {
            n for p in parts for n in (*p.matched, *p.missing, *(m.name for m in p.mismatched))
        }
        used = [set(part.extra) for part in parts]
        merged.append(
            _Restore(
                saver,
                [name for part in parts for name in part.matched],
                [name for part in parts for name in part.missing],
                [m for part in parts for m in part.mismatched],
                [name for name in parts[0].untouched if name not in touched],
                sorted(set.intersection(*used)) if used else [],
            )
        )
    return merged


def savers(graph: Graph) -> Iterator[tuple[Node, dict[str, RestoredFrom]]]:
    """Each restore op and which variable it assigns which checkpoint key to."""
    for node in graph.of_type("RestoreV2", "Restore", "RestoreSlice"):
        keys = _constant_strings(graph, node, 1)
        if keys:
            slices = _constant_strings(graph, node, 2)
            sources = [
                _source(key, slices[at] if at < len(slices) else "") for at, key in enumerate(keys)
            ]
            yield node, _targets(node, sources)


def _source(key: str, spec: str) -> RestoredFrom:
    """`10 4 0,5:0,4`: of a 10 by 4 tensor, 5 rows from the first on. A dash is all of it."""
    words = spec.split(" ")
    try:
        whole = tuple(int(word) for word in words[:-1])
        parts = words[-1].split(":") if len(words) > 1 else []
        part = tuple(
            dim if text == "-" else int(text.partition(",")[2])
            for dim, text in zip(whole, parts, strict=True)
        )
    except ValueError:
        return RestoredFrom(key)
    return RestoredFrom(key, whole, part) if whole else RestoredFrom(key)


def _constant_strings(graph: Graph, restore: Node, place: int) -> list[str]:
    row = restore.inputs[place] if len(restore.inputs) > place else -1
    if row < 0 or graph.ops[row] != "Const":
        return []
    tensor = graph.node(row).attributes["value"].tensor
    values = [value.decode("utf-8", "replace") for value in tensor.string_val]
    count = elements(as_shape(tensor.tensor_shape)) or 1
    # equal values at the end may be written once
    return values + values[-1:] * (min(count, _MOST_KEYS) - len(values))


_MOST_KEYS = 1_000_000


def _targets(restore: Node, sources: list[RestoredFrom]) -> dict[str, RestoredFrom]:
    """Variable name to source, through the Assign that reads each output, maybe via Identity."""
    graph = restore.graph
    targets: dict[str, RestoredFrom] = {}
    ends: dict[int, Node] = {}
    offsets, order = graph.readers
    for edge in order[offsets[restore.row] : offsets[restore.row + 1]].tolist():
        port = int(graph.edges.port[edge])
        if port >= len(sources):
            continue
        reader = _last_reader(graph.node(int(graph.edges.reader[edge])), ends)
        if reader.op.startswith("Assign") and reader.inputs and reader.inputs[0] >= 0:
            targets[graph.names[reader.inputs[0]]] = sources[port]
    return targets


def _last_reader(node: Node, ends: dict[int, Node]) -> Node:
    """Past what hands values on, which a damaged graph may do in a ring; `ends` keeps the ways."""
    passed = []
    while node.op in _HAND_ON and node.row not in ends:
        ends[node.row] = node
        passed.append(node.row)
        readers = node.readers()
        node = readers[0][0] if readers else node
    end = ends.get(node.row, node)
    ends.update(dict.fromkeys(passed, end))
    return end


def _compare(
    saver: str,
    targets: Mapping[str, RestoredFrom],
    by_name: Mapping[str, Variable],
    checkpoint: Checkpoint,
) -> _Restore:
    result = _Restore(saver)
    for name, source in targets.items():
        variable, stored = by_name.get(name), checkpoint.tensors.get(source.key)
        if stored is None:
            result.missing.append(name)
        elif variable is not None and _differs(variable, stored.shape, stored.dtype, source):
            graph = f"{dtypes.name(variable.dtype)} {shape_text(variable.shape)}"
            there = f"{dtypes.name(stored.dtype)} {shape_text(stored.shape)}"
            result.mismatched.append(Mismatch(name, graph, there))
        else:
            result.matched.append(name)
    result.untouched.extend(name for name in by_name if name not in targets)
    used = {source.key for source in targets.values()}
    # object-based checkpoints may hold one variable under several keys
    known = {checkpoint.tensors[key].name for key in used if key in checkpoint.tensors}
    result.extra.extend(
        key
        for key, tensor in checkpoint.tensors.items()
        if key not in used and tensor.name not in known and key != OBJECT_GRAPH_KEY
    )
    return result


def _differs(variable: Variable, shape: tuple[int, ...], dtype: int, source: RestoredFrom) -> bool:
    if variable.dtype and dtypes.base(variable.dtype) != dtype:
        return True
    if source.whole is not None and source.part is not None:
        if source.whole != shape:
            return True
        shape = source.part
    if variable.shape is None:
        return False
    if len(variable.shape) != len(shape):
        return True
    return any(a is not None and a != b for a, b in zip(variable.shape, shape, strict=True))
