"""What would help: computing activations again, moving them away, half the precision."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace

from tfprof.analyses.graph.subgraph import FORWARD
from tfprof.analyses.memory.estimator import Change, Estimator
from tfprof.analyses.memory.program import Program
from tfprof.analyses.memory.recompute import Halves, recomputed
from tfprof.analyses.memory.recompute_plans import Planner, Progress, Scored, best_plans
from tfprof.analyses.memory.swap import HostLink, Swapped, Swapper
from tfprof.errors import UsageError
from tfprof.model.quantity import Quantity
from tfprof.reports.memory.query import WhatIfQuery
from tfprof.reports.shared.device_rates import device_of
from tfprof.results.memory_what_if import (
    Afterwards,
    HalfPrecision,
    Recompute,
    RecomputePlan,
    Swap,
    SwapPlan,
    WhatIf,
)

_GIGA = 1e9
_NO_PLAN = "No plan of recomputing lowers the peak here."
_HOW_TO_WRAP = (
    "What Wrap lists together is one function for tf.recompute_grad, called in a tf.function: in "
    "the graph of a session it would run again at once (docs: memory)."
)


@dataclass(frozen=True, slots=True)
class Before:
    """The model as it is. Each what-if is worked out at the last of the batches.

    `bytes` makes the quantity of a size that is as sure as the sizes of the model are.
    """

    estimator: Estimator
    batches: tuple[int, ...]
    budget: int | None
    bytes: Callable[[int], Quantity]

    @property
    def batch(self) -> int:
        return self.batches[-1]

    @property
    def program(self) -> Program:
        return self.estimator.program(self.batch)

    def then(self, other: Estimator) -> Afterwards:
        """With something changed."""
        most = other.largest(self.budget) if self.budget is not None else None
        return Afterwards(most, tuple(other.highest(batch).expected for batch in self.batches))


def what_ifs(
    before: Before, asked: WhatIfQuery, progress: Progress | None = None
) -> tuple[WhatIf, ...]:
    if (asked.recompute is not None or asked.swap is not None) and not _is_training(before.program):
        raise UsageError(
            "only a training step keeps activations: there is nothing to recompute or swap here",
            hint="--train adds a training step to a model that only predicts.",
        )
    return tuple(_each(before, asked, progress))


def said_of(asked: WhatIfQuery, found: tuple[WhatIf, ...]) -> list[str]:
    """What is to be known of a plan."""
    if asked.recompute is None:
        return []
    return [_HOW_TO_WRAP if any(isinstance(one, Recompute) for one in found) else _NO_PLAN]


def _each(before: Before, asked: WhatIfQuery, progress: Progress | None) -> Iterator[WhatIf]:
    if asked.recompute is not None:
        planner = Planner(before.program, before.batch)
        whole, forward = _flops(planner.made)
        most = forward if asked.more_flops is None else int(whole * asked.more_flops / 100)
        plans = _plans(planner, asked.recompute, most, progress)
        if plans:
            yield _recompute(before, planner, plans, whole)
    if asked.swap is not None:
        yield _swap(before, asked.swap, asked.device)
    if asked.dtype is not None:
        yield _dtype(before, asked.dtype)


def _is_training(made: Program) -> bool:
    return any(step.op.phase != FORWARD for step in made.steps)


# --- computing again


def _plans(planner: Planner, pattern: str, most: int, progress: Progress | None) -> list[Scored]:
    """The one that is named, or what a search finds within so many FLOPs; the best first."""
    if not pattern:
        plans = best_plans(planner, most, progress)
        return [one for one in plans if one.extra_flops <= most and one.peak < planner.before]
    plan = planner.scopes(pattern)
    if not plan.dropped:
        raise UsageError(
            f"nothing to recompute is called like {pattern!r}",
            hint="A pattern of name scopes: --recompute-scopes 'left\\d'.",
        )
    return [planner.score(plan)]


def _recompute(before: Before, planner: Planner, plans: list[Scored], flops: int) -> Recompute:
    best = plans[0]
    steps = planner.made.steps
    dropped = {steps[number].name for number in best.plan.dropped}
    rows = tuple(_plan(before, one, planner.before, flops) for one in plans)
    return Recompute(
        rows[0],
        tuple(tuple(scopes) for scopes in planner.scopes_to_wrap(best)),
        tuple(steps[number].name for number in best.kept),
        rows,
        before.then(before.estimator.changed(_dropping(dropped))),
    )


def _dropping(names: Collection[str]) -> Change:
    def change(made: Program, batch: int) -> Program:
        halves = Halves(made, batch)
        again = [n for n in halves.droppable if made.steps[n].name in names]
        return recomputed(halves, again).program

    return change


def _flops(made: Program) -> tuple[int, int]:
    """Of the step, and of its forward pass."""
    whole = forward = 0
    for step in made.steps:
        count = step.op.cost.flops if step.op.cost is not None else 0
        if isinstance(count, int):
            whole += count
            forward += count if step.op.phase == FORWARD else 0
    return whole, forward


def _plan(before: Before, one: Scored, peak: int, flops: int) -> RecomputePlan:
    return RecomputePlan(
        "recompute",
        one.plan.name,
        one.plan.about,
        before.bytes(one.peak),
        before.bytes(peak - one.peak),
        1 - one.peak / peak if peak else 0.0,
        one.extra_flops,
        one.extra_flops / flops if flops else 0.0,
        len(one.kept),
    )


# --- moving away


def _swap(before: Before, gigabytes: float, device: str) -> Swap:
    link = HostLink(gigabytes * _GIGA, device_of(device))
    swapper = Swapper(Halves(before.program, before.batch), link)
    peak = swapper.before.peak

    def swapping(made: Program, batch: int) -> Program:
        return Swapper(Halves(made, batch), link).hidden_program()

    return Swap(
        _swapped(before, swapper.hidden(), peak),
        gigabytes,
        device,
        _swapped(before, swapper.everything(), peak),
        before.then(before.estimator.changed(swapping)),
    )


def _swapped(before: Before, one: Swapped, peak: int) -> SwapPlan:
    return SwapPlan(
        "swap",
        before.bytes(one.peak),
        before.bytes(peak - one.peak),
        one.moved,
        len(one.tensors),
        Quantity.estimated(one.unhidden * 1e6),
        Quantity.estimated(one.step_seconds * 1e6),
    )


# --- half the bytes


def _dtype(before: Before, dtype: str) -> HalfPrecision:
    estimator = before.estimator
    other = estimator.modelled(replace(estimator.model, half=True))
    peak, after = (one.highest(before.batch).expected for one in (estimator, other))
    saved = before.bytes(peak - after)
    return HalfPrecision("dtype", dtype, before.bytes(after), saved, before.then(other))
