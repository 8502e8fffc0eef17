"""The layers of a side before it runs: what each is and costs, and which others it reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

from tfprof.analyses.cost.layers import LayerOps
from tfprof.analyses.graph.layer_names import NO_LAYER
from tfprof.analyses.graph.subgraph import FORWARD
from tfprof.errors import InputMissing
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.keras_model import KerasModel, Ref
from tfprof.reports.layers import of_graph, of_keras
from tfprof.reports.shared.digest import Digest
from tfprof.reports.shared.model_costs import costs_of
from tfprof.results.layers import RowCost

# by layer, those that it reads, sorted
Reads = Mapping[str, tuple[str, ...]]
_MOST_STEPS = 1_000_000


@frozen_dataclass
class Layers:
    """By name, in the order in which they run.

    `reads` is empty where nothing says how layers are connected; `are_classes`: their kind is the
    class of Keras, not an op.
    """

    costs: Mapping[str, RowCost] = field(default_factory=dict)
    reads: Reads = field(default_factory=dict)
    are_classes: bool = False


def layers_of(known: Digest) -> Layers:
    """None where no graph and no Keras file tells them."""
    if known.data.graph is not None:
        return _of_graph(known)
    if known.keras is None or known.data.keras is None:
        return Layers()
    costs: dict[str, RowCost] = {}
    for call in known.keras.calls:
        costs.setdefault(call.layer, of_keras.cost_of(call, known.question.sizes))
    return Layers(costs, _read_in_keras(known.data.keras), are_classes=True)


def _of_graph(known: Digest) -> Layers:
    try:
        # a summary leaves large graphs alone
        costs = known.static or costs_of(known.data, known.question)
    except InputMissing:
        return Layers()
    found = of_graph.layers_of(known.data, costs)
    return Layers({one.name: of_graph.cost_of(one) for one in found}, _read_in_graph(found))


def _read_in_keras(model: KerasModel) -> Reads:
    calls = model.flow.calls
    found: dict[str, set[str]] = {}
    for call in calls:
        mine = found.setdefault(call.layer, set())
        for ref in _refs([call.args, call.kwargs]):
            mine.add(calls[ref.call].layer if 0 <= ref.call < len(calls) else "?")
    return {name: tuple(sorted(read)) for name, read in found.items()}


def _refs(args: list[object]) -> Iterator[Ref]:
    waiting = [*args]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Ref):
            yield one
        elif isinstance(one, Mapping):
            waiting += one.values()
        elif isinstance(one, list | tuple):
            waiting += one


def _read_in_graph(layers: Sequence[LayerOps]) -> Reads:
    """Of the forward pass; ops of no layer hand on what they were made from.

    Where many layers lie behind many of those, it is not followed.
    """
    placed = [
        (op.site.call, layer.name) for layer in layers for op in layer.ops if op.phase == FORWARD
    ]
    left = _MOST_STEPS
    made = {id(tensor): at for at, (call, _) in enumerate(placed) for tensor in call.outputs}
    found: dict[str, set[str]] = {layer.name: set() for layer in layers}
    for call, name in placed:
        if name == NO_LAYER:
            continue
        waiting = [*call.inputs]
        seen: set[int] = set()
        while waiting:
            left -= 1
            if left < 0:
                return {}
            at = made.get(id(waiting.pop()))
            if at is None or at in seen:
                continue
            seen.add(at)
            maker, of_layer = placed[at]
            if of_layer == NO_LAYER:
                waiting += maker.inputs
            elif of_layer != name:
                found[name].add(of_layer)
    return {name: tuple(sorted(read)) for name, read in found.items() if name != NO_LAYER}
