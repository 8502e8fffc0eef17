"""The ops of a model by layer: the name scopes people gave them, gradients with their layer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import field

from tfprof.analyses.cost.op_costs import Cost, OpCost, OpCosts, summed
from tfprof.analyses.graph.handles import TOUCHES
from tfprof.analyses.graph.layer_names import (
    NO_LAYER,
    call_around,
    inside,
    path_of,
    paths_of,
    trunk_of,
)
from tfprof.analyses.graph.subgraph import BACKWARD, FORWARD
from tfprof.frozen_dataclass import mutable_dataclass
from tfprof.model.dims import Open, Size, at, elements, packed, symbols
from tfprof.ops.rule import Call, Tensor
from tfprof.wire import dtypes

_SOME_SIZE = 512
_READS = ("Identity", "ReadVariableOp")
_PUTS = ("Assign", "AssignVariableOp")


# what layers are called, by the scopes that their ops stand in
KnownLayers = Mapping[tuple[str, ...], str]


@mutable_dataclass
class LayerOps:
    """`variables` are the names of those that are its own, with their sizes."""

    name: str
    ops: list[OpCost] = field(default_factory=list)
    kind: str = ""
    output: Open = None
    variables: dict[str, Size | None] = field(default_factory=dict)
    # when its output is there: layers stand in this order
    ends: int = -1
    activation_bytes: Size = 0

    @property
    def cost(self) -> Cost:
        return summed(self.ops)

    @property
    def forward(self) -> Cost:
        return summed(op for op in self.ops if op.phase == FORWARD)


def by_layer(
    costs: OpCosts, uncounted: Collection[str] = (), known: KnownLayers | None = None
) -> list[LayerOps]:
    """In the order in which layers run; variables that are `uncounted` are no parameters.

    Where layers are `known`, an op without a scope is none, such as that of a metric.
    """
    around = call_around(op.site.name for op in costs.ops)
    named = _without(path_of(around), known or {})
    paths = paths_of(op.site.name.removeprefix(around) for op in costs.ops)
    trunk = trunk_of(_forward_work(costs.ops, paths))
    layers: dict[str, LayerOps] = {}
    layer_of: list[LayerOps] = []
    for place, (op, path) in enumerate(zip(costs.ops, paths, strict=True)):
        inner = inside(path, trunk)
        # an op that works and stands in no scope is a layer of its own
        works = op.phase == FORWARD and op.cost is not None and op.cost.flops_all != 0
        works = works and known is None
        guessed = inner[0] if len(inner) > 1 or (inner and works) else NO_LAYER
        name = _known(path, named) or guessed
        layer = layers.get(name)
        if layer is None:
            layer = layers[name] = LayerOps(name)
        layer.ops.append(op)
        layer_of.append(layer)
        if _take(layer, op):
            layer.ends = place
    _give_variables(layer_of, costs.ops, uncounted)
    # scopes that only hold variables, or prepare something for others, are no layers
    found = [layer for layer in layers.values() if layer.output is not None or _works(layer)]
    for layer in found:
        layer.kind = _kind(layer)
    return sorted(found, key=lambda layer: (layer.name == NO_LAYER, layer.ends < 0, layer.ends))


def _without(around: tuple[str, ...], known: KnownLayers) -> KnownLayers:
    """By what is left of a scope behind the loop, branch or call that the step stands in."""
    return {inside(scope, around): name for scope, name in known.items()}


def _known(path: tuple[str, ...], named: KnownLayers) -> str | None:
    """The innermost layer that an op stands in."""
    if not named:
        return None
    scopes = (path[:depth] for depth in range(len(path), 0, -1))
    return next((named[scope] for scope in scopes if scope in named), None)


def _forward_work(
    ops: Sequence[OpCost], paths: Sequence[tuple[str, ...]]
) -> list[tuple[tuple[str, ...], int]]:
    return [
        (path, _rough(op.cost.flops_all))
        for op, path in zip(ops, paths, strict=True)
        if op.phase == FORWARD and op.cost is not None
    ]


def _take(layer: LayerOps, op: OpCost) -> bool:
    """What a forward op tells of its layer: what is kept; true if it may come out."""
    call, rule = op.site.call, op.site.rule
    if op.phase != FORWARD or rule is None:  # a call has its ops inside
        return False
    if not call.inputs or not call.outputs or not rule.allocates:
        return False
    first = call.outputs[0]
    if first.shape is None or not dtypes.is_floating(first.dtype):
        return False
    # of what comes out last, statistics on the side have fewer dimensions
    comes_out = not first.variable and (
        layer.output is None or len(first.shape) >= len(layer.output)
    )
    if comes_out:
        layer.output = first.shape
    if rule.alias is None:
        held = packed(elements(first.shape), first.dtype)
        layer.activation_bytes = layer.activation_bytes + (held or 0)
    return comes_out


def _give_variables(
    layer_of: Sequence[LayerOps], ops: Sequence[OpCost], uncounted: Collection[str]
) -> None:
    """Each variable to the layer that first works with it: a sum over layers has it once.

    What the forward pass does not work with, such as the state of an optimizer, belongs to whoever
    updates it. A read for others is no work: one stands beside every variable of a session's graph,
    slots included, in the scope of the layer. Nor is putting a value in, as Saver does with all.
    """
    owned = set(uncounted)
    pairs = list(zip(ops, layer_of, strict=True))
    forward = [pair for pair in pairs if pair[0].phase == FORWARD]
    others = [pair for pair in pairs if pair[0].phase not in (FORWARD, BACKWARD)]
    others += [pair for pair in forward if pair[0].site.op in _PUTS]
    works = [pair for pair in forward if pair[0].site.op not in _PUTS]
    for op, layer in (*works, *others):
        call = op.site.call
        if op.site.rule is None or call.op in _READS:
            continue
        for tensor in call.inputs:
            # iterators and tables are resources, too
            is_other = tensor.dtype == dtypes.RESOURCE and not TOUCHES.fullmatch(call.op)
            if tensor.variable and tensor.variable not in owned and not is_other:
                owned.add(tensor.variable)
                layer.variables[tensor.variable] = _held(tensor, call)


def _held(tensor: Tensor, call: Call) -> Size | None:
    """The size of the variable behind an input."""
    if tensor.holds is not None and tensor.holds.shape is not None:
        return elements(tensor.holds.shape)
    if tensor.dtype == dtypes.RESOURCE:  # what is read of it tells
        return elements(call.output(0)) if call.op == "ReadVariableOp" else None
    return elements(tensor.shape)


def _works(layer: LayerOps) -> bool:
    return any(op.cost is None or op.cost.flops_all != 0 for op in layer.ops)


def _kind(layer: LayerOps) -> str:
    """The op that does most of the layer's work."""
    work: Counter[str] = Counter()
    for op in layer.ops:
        if op.phase == FORWARD and op.cost is not None:
            work[op.site.op] += _rough(op.cost.flops_all)
    (kind, most), *_ = work.most_common(1) or [("", 0)]
    return kind if most else ""


def _rough(size: Size) -> int:
    """A number to compare formulas by."""
    if isinstance(size, int):
        return size
    value = at(size, dict.fromkeys(symbols(size), _SOME_SIZE))
    return value if isinstance(value, int) else 0
