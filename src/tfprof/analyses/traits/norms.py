"""Batch norms of a graph: those built of small ops, and those that a condition chooses between."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.analyses.inference.sites import Site
from tfprof.analyses.traits.wiring import Wiring, output
from tfprof.late_pattern import late_pattern
from tfprof.model.dims import Open, Size, elements
from tfprof.model.graph import Graph
from tfprof.results.graph_traits import Norms

_FUSED = late_pattern(r"_?FusedBatchNorm(V[23]|Ex)?")
_ADDS = frozenset({"Add", "AddV2"})
# how often the fused op goes over an activation: it reads twice and writes once, or once each; its
# gradient reads two of them twice, and writes one
_TRAINED_PASSES, _FIXED_PASSES, _GRADIENT_PASSES = 3, 2, 5
_INNER_SCOPES = late_pattern(r"/(batchnorm|moments|FusedBatchNorm\w*)(_\d+)?$")


def norms(graph: Graph, sites: Sequence[Site]) -> Norms:
    wiring = Wiring(sites)
    fused = [site for site in sites if _FUSED.fullmatch(site.op)]
    found = [one for site in sites if site.op == "Rsqrt" for one in _unfused(site, wiring)]
    scopes = tuple(dict.fromkeys(_scope(site.name) for site, _, _ in found))
    trained = any(is_trained for _, _, is_trained in found)
    nodes, passes, gradients = _passes(sites, {_scope(s.name): size for s, size, _ in found})
    own = _TRAINED_PASSES if trained else _FIXED_PASSES
    merges = list(_merges(sites, graph))
    return Norms(
        scopes,
        frozenset(nodes),
        passes,
        own * len(scopes) + _GRADIENT_PASSES * gradients,
        trained,
        len(fused),
        tuple(dict.fromkeys(_scope(site.name) for site in merges)),
        frozenset(_zeros(graph)) if merges else frozenset(),
    )


def _unfused(site: Site, wiring: Wiring) -> Iterator[tuple[Site, Size, bool]]:
    """The root of a variance of every channel that scales an activation, and how large that is."""
    channels = _channels(output(site))
    if channels is None:
        return
    scales = [site, *(one for one in wiring.readers(site) if one.op == "Mul")]
    for scale in scales:
        for reader in wiring.readers(scale):
            size = elements(output(reader))
            if reader.op == "Mul" and _is_activation(output(reader), channels) and size is not None:
                yield site, size, _is_of_batch(site, wiring)
                return


def _channels(shape: Open) -> int | None:
    """A value a channel: [C], or [1, 1, 1, C]; a layer norm has a value a row."""
    known = [dim for dim in shape or () if dim != 1]
    return known[0] if len(known) == 1 and isinstance(known[0], int) else None


def _is_activation(shape: Open, channels: int) -> bool:
    return shape is not None and len(shape) > 1 and channels in shape[1:] and shape[0] != 1


def _is_of_batch(site: Site, wiring: Wiring) -> bool:
    """Whether the variance is that of the batch: a mean of squared differences."""
    for added in wiring.makers(site):
        if added.op in _ADDS:
            for mean in wiring.makers(added):
                if any(one.op == "SquaredDifference" for one in wiring.makers(mean)):
                    return True
    return False


def _scope(name: str) -> str:
    scope = name.rpartition("/")[0]
    return _INNER_SCOPES.sub("", scope)


def _passes(sites: Sequence[Site], sizes: dict[str, Size]) -> tuple[set[str], int, int]:
    """The ops in these scopes that go over activations, how often, and how many have gradients."""
    nodes: set[str] = set()
    backward: set[str] = set()
    passes = 0
    for site in sites if sizes else ():
        scope = _scope_in(site.name, sizes)
        if scope is None:
            continue
        tensors = [*site.call.inputs, *site.call.outputs]
        over = sum(elements(tensor.shape) == sizes[scope] for tensor in tensors)
        if over and site.op not in _VIEWS:
            nodes.add(site.name)
            passes += over
            if "gradient" in site.name:
                backward.add(scope)
    return nodes, passes, len(backward)


_VIEWS = frozenset({"Identity", "Reshape", "Shape", "Squeeze", "ExpandDims", "ShapeN"})
_GRADIENT = late_pattern(r"^(.*/)?(gradients(_\d+)?|gradient_tape)/")


def _scope_in(name: str, sizes: dict[str, Size]) -> str | None:
    """The scope among these that an op is in, or that it is a gradient of."""
    at = _GRADIENT.sub("", name)
    while at:
        at = at.rpartition("/")[0]
        if at in sizes:
            return at
    return None


def _merges(sites: Sequence[Site], graph: Graph) -> Iterator[Site]:
    """Where two batch norms meet of which a condition chooses one: the activation only."""
    found = {
        node.name
        for node in graph.of_type("Merge")
        if sum(_is_fused(graph, row) for row in node.inputs) > 1
    }
    return (one for one in sites if one.name in found and len(output(one) or ()) > 1)


def _is_fused(graph: Graph, row: int) -> bool:
    return row >= 0 and _FUSED.fullmatch(graph.ops[row]) is not None


def _zeros(graph: Graph) -> Iterator[str]:
    """The gradients of the branch that is not taken: zeros as large as an activation."""
    for node in graph.of_type("Fill", "ZerosLike"):
        if _GRADIENT.match(node.name) and any(one.op == "Merge" for one, _ in node.readers()):
            yield node.name
