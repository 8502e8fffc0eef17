"""What every op takes before it runs: MACs, FLOPs, bytes; formulas where sizes are open."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import cached_property

from tfprof.analyses.graph.inlined import inlined
from tfprof.analyses.graph.subgraph import BACKWARD, FORWARD, PHASES, Subgraph, phases, subgraph
from tfprof.analyses.inference.engine import infer
from tfprof.analyses.inference.sites import Given, Inferred, Site
from tfprof.frozen_dataclass import frozen_dataclass, mutable_dataclass
from tfprof.model.budget import OverBudget
from tfprof.model.dims import Dim, Monomial, Size, elements, made, packed, symbols
from tfprof.model.graph import Graph
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import Key, is_kept, remembered
from tfprof.ops.rule import Tensor


@mutable_dataclass
class Cost:
    """Two `flops` a MAC; `flops_all` adds the element-wise; `float_ops` is what tfprof counts."""

    macs: Size = 0
    flops_all: Size = 0
    float_ops: Size = 0
    read: Size = 0
    written: Size = 0

    @property
    def flops(self) -> Size:
        return self.macs * 2

    @property
    def bytes(self) -> Size:
        return self.read + self.written


# one an op: nobody changes it, and frozen it would take longer to make
@mutable_dataclass(unsafe_hash=True)
class OpCost:
    """A site with its cost, rounds of loops included; None where it is not known."""

    site: Site
    phase: str
    cost: Cost | None


@frozen_dataclass
class Uncounted:
    """Ops of one type whose cost is missing, and why."""

    op: str
    count: int
    reason: str


@frozen_dataclass(slots=False)
class OpCosts:
    """`cut` says so where there are more ops: the file ended before them, or they are too many."""

    part: Subgraph
    inferred: Inferred
    ops: list[OpCost]
    uncounted: list[Uncounted] = field(default_factory=list)
    cut: str = ""

    # an answer asks for these many times, and the sums of polynomials take a while

    @cached_property
    def total(self) -> Cost:
        return summed(self.ops)

    def of_phase(self, phase: str) -> Cost:
        return self._of_phases[phase]

    @cached_property
    def _of_phases(self) -> dict[str, Cost]:
        return {phase: summed(op for op in self.ops if op.phase == phase) for phase in PHASES}

    @cached_property
    def symbols(self) -> list[str]:
        total = self.total
        return sorted(symbols(total.macs) | symbols(total.flops_all) | symbols(total.written))


def op_costs(
    data: ProfileData, part: Subgraph | None = None, given: Given | None = None
) -> OpCosts:
    return _counted(data, subgraph(data) if part is None else part, given)


def _asked(data: ProfileData, part: Subgraph, given: Given | None) -> Key:
    computed = part.rows.tobytes(), part.mode, part.what, part.only_forward
    return (data.graph, data.declared, data.recorded), (*computed, given)


@remembered(_asked, lambda data, *_: data.recorded is None and is_kept(data.graph))
def _counted(data: ProfileData, part: Subgraph, given: Given | None) -> OpCosts:
    inferred = infer(data, part.rows.tolist(), given)
    phase_of = _Phases(data.graph)
    ops, missing = [], []
    known: dict[object, Cost | None] = {}
    only_forward = part.only_forward
    for site in inferred.sites:
        phase = phase_of(site)
        if only_forward and phase != FORWARD:
            continue
        cost = known.get(site.call.alike)
        if cost is None or site.times != 1 or site.cut:
            cost = _once(site, known)
        ops.append(OpCost(site, phase, cost))
        if cost is None:
            missing.append(site)
    cut = data.graph.cut if data.graph is not None else ""
    return OpCosts(part, inferred, ops, _uncounted(missing, inferred.sites), cut or inferred.cut)


class _Phases:
    """Of a site: that of its node where its function is written out, else that of the call."""

    def __init__(self, graph: Graph | None) -> None:
        whole = inlined(graph).graph if graph is not None else None
        codes = phases(whole).tolist() if whole is not None else []
        self._of_rows = [PHASES[code] for code in codes]
        has_functions = whole is not None and graph is not None and len(whole) > len(graph)
        self._rows = whole.index if whole is not None and has_functions else {}

    def __call__(self, site: Site) -> str:
        name, row = site.call.name, site.row
        if "gradient_tape/" in name:
            return BACKWARD
        return self._of_rows[self._rows.get(name, row) if self._rows else row]


def _once(site: Site, known: dict[object, Cost | None]) -> Cost | None:
    """Calls that are alike cost the same; nobody changes a cost."""
    alike = site.call.alike if site.times == 1 and not site.cut else None
    if alike is not None and alike in known:
        return known[alike]
    try:
        cost = _cost(site)
    except OverBudget:
        cost = None
    if alike is not None:
        known[alike] = cost
    return cost


def _cost(site: Site) -> Cost | None:
    """None if the op has no rule, or a shape it needs is unknown."""
    rule, call = site.rule, site.call
    if site.cut:
        return None
    if rule is None:
        return Cost() if call.op in CALLS else None
    macs = rule.macs(call) if rule.macs is not None else 0
    work = rule.work(call) if rule.work is not None else 0
    if macs is None or work is None:
        return None
    counted = rule.float_ops(call) if rule.float_ops else 0
    read: Size = 0
    written: Size = 0
    if rule.allocates and rule.alias is None:
        read = 0 if call.op in _READ_SHAPES else total_bytes(call.inputs)
        written = total_bytes(call.outputs)
    times = site.times
    if times == 1:
        return Cost(macs, macs * 2 + work, counted or 0, read, written)
    return Cost(
        macs * times,
        (macs * 2 + work) * times,
        (counted or 0) * times,
        read * times,
        written * times,
    )


NO_RULE = "has no rule"
_ITS_OWN = "its shapes are not known"
# these look at the shape of an input, not at what it holds
_READ_SHAPES = frozenset({"Shape", "ShapeN", "Size", "Rank", "ZerosLike", "OnesLike"})
CALLS = frozenset({
    "PartitionedCall", "StatefulPartitionedCall", "While", "StatelessWhile", "If", "StatelessIf",
    "Case", "StatelessCase", "_Arg", "_Retval",
})  # fmt: skip


def total_bytes(tensors: Iterable[Tensor]) -> Size:
    """Of the tensors whose size is known; handles and strings have none."""
    total: Size = 0
    for tensor in tensors:
        total = total + (packed(elements(tensor.shape), tensor.dtype) or 0)
    return total


def summed(ops: Iterable[OpCost]) -> Cost:
    known = [op.cost for op in ops if op.cost is not None]
    return Cost(
        _sum([cost.macs for cost in known]),
        _sum([cost.flops_all for cost in known]),
        _sum([cost.float_ops for cost in known]),
        _sum([cost.read for cost in known]),
        _sum([cost.written for cost in known]),
    )


def _sum(sizes: list[Size]) -> Size:
    """Numbers at once; of formulas the terms in place, instead of a polynomial a step."""
    if Dim not in set(map(type, sizes)):
        return sum(sizes)
    formulas = [size for size in sizes if not isinstance(size, int)]
    terms: Counter[Monomial] = Counter()
    for formula in formulas:
        terms.update(formula.terms)
    return made(dict(terms)) + sum(size for size in sizes if isinstance(size, int))


def _uncounted(missing: list[Site], sites: list[Site]) -> list[Uncounted]:
    """By op type and cause, most frequent first; a cause is the first op with unknown shapes."""
    if not missing:
        return []
    made = {id(tensor): site for site in sites for tensor in site.call.outputs}
    reasons: Counter[tuple[str, str]] = Counter()
    begins: dict[int, Site] = {}
    for site in missing:
        reason = site.cut or ("no rule" if site.rule is None else _cause(site, made, begins))
        reasons[site.op, reason] += 1
    found = [Uncounted(op, count, reason) for (op, reason), count in reasons.items()]
    return sorted(found, key=lambda one: (-one.count, one.op, one.reason))


def opened_by(name: str, sites: Sequence[Site]) -> str:
    """Which op leaves a size open that the op of this name does not know; empty if its own does."""
    made = {id(tensor): site for site in sites for tensor in site.call.outputs}
    asked = next((site for site in sites if site.name == name), None)
    cause = "" if asked is None else _cause(asked, made, {})
    return "" if cause == _ITS_OWN else cause


def _cause(site: Site, made: Mapping[int, Site], begins: dict[int, Site]) -> str:
    """Back through unknown shapes to where they begin, which `begins` keeps of all on the way."""
    at, seen = site, {id(site)}
    while id(at) not in begins:
        sources = (made.get(id(tensor)) for tensor in at.call.inputs if _is_open(tensor))
        source = next((one for one in sources if one is not None and id(one) not in seen), None)
        if source is None:
            break
        seen.add(id(source))
        at = source
    at = begins.get(id(at), at)
    begins.update(dict.fromkeys(seen, at))
    if at is site:
        return _ITS_OWN
    why = NO_RULE if at.rule is None else "leaves its shape open"
    return f"{at.name} ({at.op}) {why}"


def _is_open(tensor: Tensor) -> bool:
    return tensor.shape is None or None in tensor.shape
