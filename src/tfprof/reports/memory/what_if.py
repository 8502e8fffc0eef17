"""What would help: computing activations again, moving them away, a narrower data type."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace

from tfprof.analyses.graph.subgraph import FORWARD
from tfprof.analyses.memory.estimator import Change, Estimator
from tfprof.analyses.memory.grappler_peak import grappler_peak
from tfprof.analyses.memory.program import Program
from tfprof.analyses.memory.recompute import Halves, recomputed
from tfprof.analyses.memory.recompute_plans import (
    MEMORY,
    SPEED,
    Plan,
    Planner,
    Progress,
    Scored,
    best_plans,
)
from tfprof.analyses.memory.step_sources import GraphSteps, StepSource
from tfprof.analyses.memory.swap import HostLink, Swapped, Swapper, Trip
from tfprof.analyses.runtime.op_clock import Sums
from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.reports.memory.query import DEFAULT_DEVICE, INT8, WhatIfQuery
from tfprof.reports.shared.calibrating import clock_of, said_of_clock
from tfprof.results.memory_what_if import (
    Afterwards,
    GrapplerSwap,
    Narrower,
    Recompute,
    RecomputePlan,
    Swap,
    SwapPlan,
    SwapTrip,
    WhatIf,
)
from tfprof.wire import dtypes

_GIGA = 1e9
_NO_PLAN = "No plan of recomputing lowers the peak here."
_HOW_TO_WRAP = (
    "What Wrap lists together is one function for tf.recompute_grad, called in a tf.function: in "
    "the graph of a session it would run again at once (docs: memory)."
)


@frozen_dataclass
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


def said_of(found: tuple[WhatIf, ...]) -> list[str]:
    """What is to be known of a plan."""
    plans = [one for one in found if isinstance(one, Recompute)]
    return [_HOW_TO_WRAP if one.helps else _NO_PLAN for one in plans]


def _each(before: Before, asked: WhatIfQuery, progress: Progress | None) -> Iterator[WhatIf]:
    if asked.recompute is not None or asked.keep:
        planner = Planner(before.program, before.batch)
        whole, forward = _flops(planner.made)
        most = forward if asked.more_flops is None else int(whole * asked.more_flops / 100)
        plans = _plans(planner, asked, most, progress)
        if plans:
            yield _recompute(before, planner, plans, whole)
    if asked.swap is not None:
        yield _swap(before, asked, asked.swap)
    if asked.dtype is not None:
        yield _dtype(before, asked.dtype)


def _is_training(made: Program) -> bool:
    return any(step.op.phase != FORWARD for step in made.steps)


# --- computing again


def _plans(
    planner: Planner, asked: WhatIfQuery, most: int, progress: Progress | None
) -> list[Scored]:
    """What was named, then what a search finds within so many FLOPs; the best of that first.

    The well-known ones are told also where they lose, or compute more than they may.
    """
    named = [planner.score(plan) for plan in _named(planner, asked)]
    if asked.recompute != "":
        return named
    helps, loses = list[Scored](), list[Scored]()
    for one in best_plans(planner, most, progress):
        if one.extra_flops <= most and one.peak < planner.before:
            helps.append(one)
        elif one.plan.name in (MEMORY, SPEED):
            loses.append(one)
    return [*named, *helps, *loses]


def _named(planner: Planner, asked: WhatIfQuery) -> Iterator[Plan]:
    if asked.keep:
        kept = [one.removesuffix(":0") for one in asked.keep]
        names = {step.name for step in planner.made.steps}
        for one in kept:
            if one not in names:
                from difflib import get_close_matches  # where something is misspelt

                near = get_close_matches(one, names, 1)
                raise UsageError(
                    f"no op of the step is called {one!r}",
                    hint=f"Did you mean {near[0]}?" if near else "`tfprof scope PATH` lists them.",
                )
        yield planner.collection(kept)
    if asked.recompute:
        plan = planner.scopes(asked.recompute)
        if not plan.dropped:
            raise UsageError(
                f"nothing to recompute is called like {asked.recompute!r}",
                hint="A pattern of name scopes: --recompute-scopes 'left\\d'.",
            )
        yield plan


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


def _swap(before: Before, asked: WhatIfQuery, gigabytes: float) -> Swap:
    clock = clock_of(asked.device, asked.calibration, DEFAULT_DEVICE)
    link = HostLink(gigabytes * _GIGA, clock)
    swapper = Swapper(Halves(before.program, before.batch), link)
    peak, hidden = swapper.before.peak, swapper.hidden()

    def swapping(made: Program, batch: int) -> Program:
        return Swapper(Halves(made, batch), link).hidden_program()

    return Swap(
        _swapped(before, hidden, peak, swapper.step),
        gigabytes,
        said_of_clock(asked.device, asked.calibration, DEFAULT_DEVICE),
        _swapped(before, swapper.everything(), peak, swapper.step),
        tuple(_trip(swapper.halves, one) for one in _by_size(swapper.halves, hidden.trips)),
        _grappler(before.estimator.steps),
        before.then(before.estimator.changed(swapping)),
    )


def _grappler(steps: StepSource) -> GrapplerSwap | None:
    """Of a graph: Grappler sees no others, and none with sizes that a run told."""
    if not isinstance(steps, GraphSteps) or steps.is_fixed:
        return None
    found = grappler_peak(steps.as_written())
    return None if found is None else GrapplerSwap(Quantity.estimated(found.bytes), found.open)


def _swapped(before: Before, one: Swapped, peak: int, step: Sums) -> SwapPlan:
    return SwapPlan(
        "swap",
        before.bytes(one.peak),
        before.bytes(peak - one.peak),
        one.moved,
        len(one.trips),
        Quantity.estimated(one.unhidden * 1e6),
        step.quantity,
        step.interval,
    )


def _by_size(halves: Halves, trips: list[Trip]) -> list[Trip]:
    return sorted(trips, key=lambda one: (-halves.bytes_of(one.number), one.out))


def _trip(halves: Halves, one: Trip) -> SwapTrip:
    step, left, back = (halves.made.steps[at] for at in (one.number, one.left, one.back))
    return SwapTrip(
        step.name,
        step.op.site.call.op,
        halves.bytes_of(one.number),
        Quantity.estimated(one.out * 1e6),
        left.name,
        Quantity.estimated(one.home * 1e6),
        back.name,
    )


# --- fewer bytes


def _dtype(before: Before, dtype: str) -> Narrower:
    if dtype == INT8 and _is_training(before.program):
        raise UsageError(
            "nothing trains in int8: its numbers are too coarse for gradients",
            hint="--inference asks for the prediction, --dtype float16 for training.",
        )
    estimator = before.estimator
    other = estimator.modelled(replace(estimator.model, narrow=dtypes.number(dtype) or 0))
    peak, after = (one.highest(before.batch).expected for one in (estimator, other))
    held, kept = (sum(one.persistent.values()) for one in (estimator, other))
    saved = before.bytes(peak - after)
    return Narrower(
        "dtype", dtype, before.bytes(after), saved, kept, held - kept, before.then(other)
    )
