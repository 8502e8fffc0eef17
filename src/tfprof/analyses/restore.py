"""What restoring a checkpoint into a graph would do, variable by variable."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from tfprof.analyses.variables import Variable
from tfprof.model.checkpoint import OBJECT_GRAPH_KEY, Checkpoint
from tfprof.model.graph import Graph, Node
from tfprof.model.units import shape as shape_text
from tfprof.wire import dtypes


@dataclass(frozen=True, slots=True)
class Mismatch:
    name: str
    graph: str
    checkpoint: str


@dataclass(frozen=True, slots=True)
class Restore:
    """`missing`: restored by name but not in the checkpoint; `untouched`: not asked for at all."""

    saver: str
    matched: list[str] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)
    mismatched: list[Mismatch] = field(default_factory=list)
    untouched: list[str] = field(default_factory=list)
    extra: list[str] = field(default_factory=list)


def restores(graph: Graph, variables: list[Variable], checkpoint: Checkpoint) -> list[Restore]:
    """One answer for each Saver of the graph; without a Saver, every variable by its name."""
    by_name = {v.name: v for v in variables}
    found = [
        _compare(node.name.rpartition("/")[0] or node.name, targets, by_name, checkpoint)
        for node, targets in savers(graph)
    ]
    merged = _merged(found)
    return merged or [_compare("", {name: name for name in by_name}, by_name, checkpoint)]


def _merged(found: list[Restore]) -> list[Restore]:
    """Early Savers have a restore op a variable: those of one scope are one Saver."""
    groups: dict[str, list[Restore]] = {}
    for restore in found:
        groups.setdefault(restore.saver, []).append(restore)
    merged = []
    for saver, parts in groups.items():
        touched = {
            n for p in parts for n in (*p.matched, *p.missing, *(m.name for m in p.mismatched))
        }
        used = [set(part.extra) for part in parts]
        merged.append(
            Restore(
                saver,
                [name for part in parts for name in part.matched],
                [name for part in parts for name in part.missing],
                [m for part in parts for m in part.mismatched],
                [name for name in parts[0].untouched if name not in touched],
                sorted(set.intersection(*used)) if used else [],
            )
        )
    return merged


def savers(graph: Graph) -> Iterator[tuple[Node, dict[str, str]]]:
    """Each restore op and which variable it assigns which checkpoint key to."""
    for node in graph.of_type("RestoreV2", "Restore", "RestoreSlice"):
        keys = _constant_strings(graph, node)
        if keys:
            yield node, _targets(node, keys)


def _constant_strings(graph: Graph, restore: Node) -> list[str]:
    row = restore.inputs[1] if len(restore.inputs) > 1 else -1
    if row < 0 or graph.ops[row] != "Const":
        return []
    tensor = graph.node(row).attributes["value"].tensor
    return [value.decode("utf-8", "replace") for value in tensor.string_val]


def _targets(restore: Node, keys: list[str]) -> dict[str, str]:
    """Variable name to key, through the Assign that reads each output, maybe via Identity."""
    graph = restore.graph
    targets: dict[str, str] = {}
    offsets, order = graph.readers
    for edge in order[offsets[restore.row] : offsets[restore.row + 1]].tolist():
        port = int(graph.edges.port[edge])
        if port >= len(keys):
            continue
        reader = graph.node(int(graph.edges.reader[edge]))
        while reader.op == "Identity" and reader.readers():
            reader = reader.readers()[0][0]
        if reader.op.startswith("Assign") and reader.inputs and reader.inputs[0] >= 0:
            targets[graph.names[reader.inputs[0]]] = keys[port]
    return targets


def _compare(
    saver: str, targets: Mapping[str, str], by_name: Mapping[str, Variable], checkpoint: Checkpoint
) -> Restore:
    result = Restore(saver)
    for name, key in targets.items():
        variable, stored = by_name.get(name), checkpoint.tensors.get(key)
        if stored is None:
            result.missing.append(name)
        elif variable is not None and _differs(variable, stored.shape, stored.dtype):
            graph = f"{dtypes.name(variable.dtype)} {shape_text(variable.shape)}"
            there = f"{dtypes.name(stored.dtype)} {shape_text(stored.shape)}"
            result.mismatched.append(Mismatch(name, graph, there))
        else:
            result.matched.append(name)
    result.untouched.extend(name for name in by_name if name not in targets)
    used = set(targets.values())
    result.extra.extend(k for k in checkpoint.tensors if k not in used and k != OBJECT_GRAPH_KEY)
    return result


def _differs(variable: Variable, shape: tuple[int, ...], dtype: int) -> bool:
    if variable.dtype and dtypes.base(variable.dtype) != dtype:
        return True
    if variable.shape is None:
        return False
    if len(variable.shape) != len(shape):
        return True
    return any(a is not None and a != b for a, b in zip(variable.shape, shape, strict=True))
