"""What would help: computing activations again, moving them away, half the precision."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tfprof.analyses.computed import FORWARD
from tfprof.analyses.memory.plans import Planner, Scored, best_plans
from tfprof.analyses.memory.program import Program
from tfprof.analyses.memory.recompute import Halves, recomputed
from tfprof.analyses.memory.swap import Link, Swapped, Swapper
from tfprof.answers.estimated_time import device_of
from tfprof.answers.estimator import Estimator
from tfprof.errors import UsageError
from tfprof.model import units
from tfprof.views.shapes import Column, Table, Unit, Value

_PLANS_SHOWN = 6
_NAMES_SHOWN = 4
_SCOPES_SHOWN = 3
_LONG_ENOUGH = 5
_GIGA = 1e9
# a data-centre GPU at half of what its maker promises
DEFAULT_DEVICE = "gpu:10T,800G"
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class WhatIfQuestion:
    """`recompute` is a pattern of scopes, or empty for a search; `swap` are GB a second."""

    recompute: str | None = None
    more_flops: float | None = None
    swap: float | None = None
    device: str = DEFAULT_DEVICE
    dtype: str | None = None

    @property
    def is_asked(self) -> bool:
        return self.recompute is not None or self.swap is not None or self.dtype is not None


@dataclass(slots=True)
class WhatIfs:
    """`changed` are the what-ifs for any batch, to draw beside the model as it is."""

    facts: list[tuple[str, str]] = field(default_factory=list)
    # what the first fact needs to be done
    details: list[tuple[str, str]] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    content: list[dict[str, Any]] = field(default_factory=list)
    changed: list[tuple[str, Estimator]] = field(default_factory=list)


def what_ifs(
    estimator: Estimator,
    asked: WhatIfQuestion,
    batch: int,
    budget: int | None,
    progress: Progress | None = None,
) -> WhatIfs:
    """Each what-if at one batch, before and after."""
    found = WhatIfs()
    made = estimator.program(batch)
    if (asked.recompute is not None or asked.swap is not None) and not _is_training(made):
        raise UsageError(
            "only a training step keeps activations: there is nothing to recompute or swap here",
            hint="--train adds a training step to a model that only predicts.",
        )
    fits = estimator.largest(budget) if budget is not None else None
    if asked.recompute is not None:
        _recompute(found, estimator, asked, batch, progress)
    if asked.swap is not None:
        _swap(found, estimator, asked, batch)
    if asked.dtype is not None:
        _dtype(found, estimator, asked.dtype, batch)
    _with_batches(found, budget, fits)
    found.facts[1:1] = found.details
    return found


def _is_training(made: Program) -> bool:
    return any(step.op.phase != FORWARD for step in made.steps)


def _with_batches(found: WhatIfs, budget: int | None, fits: int | None) -> None:
    """What fits then; said behind the line of each."""
    for place, (_, estimator) in enumerate(found.changed):
        most = estimator.largest(budget) if budget is not None else None
        found.content[place]["max_batch"] = most
        if most is not None:
            label, text = found.facts[place]
            found.facts[place] = (label, f"{text}; batch {most} instead of {fits} fits")


# --- computing again


def _recompute(
    found: WhatIfs,
    estimator: Estimator,
    asked: WhatIfQuestion,
    batch: int,
    progress: Progress | None,
) -> None:
    planner = Planner(estimator.program(batch), batch)
    whole, forward = _flops(planner.made)
    if asked.recompute:
        plan = planner.scopes(asked.recompute)
        if not plan.dropped:
            raise UsageError(
                f"nothing to recompute is called like {asked.recompute!r}",
                hint="A pattern of name scopes: --recompute-scopes 'left\\d'.",
            )
        plans = [planner.score(plan)]
    else:
        most = forward if asked.more_flops is None else int(whole * asked.more_flops / 100)
        plans = best_plans(planner, most, progress)
        plans = [one for one in plans if one.extra_flops <= most and one.peak < planner.before]
    if not plans:
        found.notes.append("No plan of recomputing lowers the peak here.")
        return
    best = plans[0]
    dropped = {planner.made.steps[number].name for number in best.plan.dropped}
    found.changed.append((f"recompute: {best.plan.name}", estimator.changed(_dropping(dropped))))
    scopes = planner.scopes_to_wrap(best)
    kept = [planner.made.steps[number].name for number in best.kept]
    found.facts.append(("Recompute", _saving(best, planner.before, whole)))
    found.details.append(("Wrap", _names(_together(group) for group in scopes)))
    found.details.append(("Keep", _names(kept)))
    found.tables.append(_plans_table(plans, planner.before, whole))
    found.notes.append(_HOW_TO_WRAP)
    found.content.append(
        _plan_data(best, planner, whole)
        | {"wrap": scopes, "keep": kept, "plans": [_plan_data(p, planner, whole) for p in plans]}
    )


_HOW_TO_WRAP = (
    "What Wrap lists together is one function for tf.recompute_grad, called in a tf.function: in "
    "the graph of a session it would run again at once (docs: memory)."
)


def _dropping(names: set[str]) -> Callable[[Program, int], Program]:
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


def _saving(one: Scored, before: int, flops: int) -> str:
    return (
        f"{units.size(one.peak)} at the peak instead of {units.size(before)} "
        f"({_change(one.peak, before)}) for {_more(one.extra_flops, flops)} FLOPs: {one.plan.name}"
    )


def _change(after: int, before: int) -> str:
    return f"{(after / before - 1) * 100:+.1f} %" if before else "0 %"


def _more(extra: int, flops: int) -> str:
    return f"+{extra / flops * 100:.1f} %" if flops else "no more"


def _together(scopes: list[str]) -> str:
    """One function for all of them: by what their names have in common, or one by one."""
    first, last = min(scopes), max(scopes)
    same = itertools.takewhile(lambda pair: pair[0] == pair[1], zip(first, last, strict=False))
    common = "".join(letter for letter, _ in same)
    if len(scopes) > 1 and len(common.rpartition("/")[2]) >= _LONG_ENOUGH:
        return f"{common}*"
    more = len(scopes) - _SCOPES_SHOWN
    shown = " + ".join(scopes[:_SCOPES_SHOWN])
    return f"{shown} + {more} more" if more > 0 else shown


def _names(names: Iterable[str]) -> str:
    listed = list(names)
    more = len(listed) - _NAMES_SHOWN
    shown = "; ".join(listed[:_NAMES_SHOWN])
    return f"{shown}; and {more:,} more" if more > 0 else shown


def _plans_table(plans: list[Scored], before: int, flops: int) -> Table:
    columns = [
        Column("plan", "recompute plan"),
        Column("peak_bytes", "peak", Unit.BYTES),
        Column("saved", "saved", Unit.SHARE),
        Column("extra_flops", "more FLOPs", Unit.SHARE),
        Column("kept", "kept", Unit.COUNT),
        Column("about", "what it is", Unit.PROSE),
    ]
    rows: list[list[Value]] = [
        [one.plan.name, one.peak, 1 - one.peak / before,
         one.extra_flops / flops if flops else 0.0, len(one.kept), one.plan.about]
        for one in plans[:_PLANS_SHOWN]
    ]  # fmt: skip
    return Table(columns, rows)


def _plan_data(one: Scored, planner: Planner, flops: int) -> dict[str, Any]:
    return {
        "kind": "recompute",
        "plan": one.plan.name,
        "about": one.plan.about,
        "peak_bytes": one.peak,
        "saved_bytes": planner.before - one.peak,
        "saved_share": 1 - one.peak / planner.before if planner.before else 0.0,
        "extra_flops": one.extra_flops,
        "extra_flops_share": one.extra_flops / flops if flops else 0.0,
        "kept_tensors": len(one.kept),
    }


# --- moving away


def _swap(found: WhatIfs, estimator: Estimator, asked: WhatIfQuestion, batch: int) -> None:
    link = Link((asked.swap or 0) * _GIGA, device_of(asked.device))
    swapper = Swapper(Halves(estimator.program(batch), batch), link)
    hidden, everything = swapper.hidden(), swapper.everything()
    found.changed.append(("swap", estimator.changed(_swapping(link))))
    before = swapper.before.peak
    found.facts.append(("Swap", _swap_text(hidden, before, asked)))
    columns = [
        Column("swap", "swapped to the host"),
        Column("tensors", "tensors", Unit.COUNT),
        Column("moved_bytes", "moved", Unit.BYTES),
        Column("peak_bytes", "peak", Unit.BYTES),
        Column("saved", "saved", Unit.SHARE),
        Column("unhidden_us", "waiting", Unit.MICROS),
    ]
    named = [("what comes back in time", hidden)]
    if everything.peak < hidden.peak:
        named.append(("all, one at a time", everything))
    rows: list[list[Value]] = [
        [name, len(one.tensors), one.moved, one.peak, 1 - one.peak / before, one.unhidden * 1e6]
        for name, one in named
    ]
    found.tables.append(Table(columns, rows))
    found.content.append(
        _swap_data(hidden, before) | {"gigabytes_a_second": asked.swap, "device": asked.device,
                                      "everything": _swap_data(everything, before)}
    )  # fmt: skip


def _swapping(link: Link) -> Callable[[Program, int], Program]:
    return lambda made, batch: Swapper(Halves(made, batch), link).hidden_program()


def _swap_text(one: Swapped, before: int, asked: WhatIfQuestion) -> str:
    if not one.tensors:
        return f"nothing comes back in time at {asked.swap:g} GB/s"
    return (
        f"{units.size(one.peak)} at the peak instead of {units.size(before)} "
        f"({_change(one.peak, before)}): {units.size(one.moved)} there and back at {asked.swap:g} "
        f"GB/s beside a step of {units.duration(one.step_seconds * 1e6)} on {asked.device}"
    )


def _swap_data(one: Swapped, before: int) -> dict[str, Any]:
    return {
        "kind": "swap",
        "peak_bytes": one.peak,
        "saved_bytes": before - one.peak,
        "moved_bytes": one.moved,
        "tensors": len(one.tensors),
        "unhidden_us": one.unhidden * 1e6,
        "step_us": one.step_seconds * 1e6,
    }


# --- half the bytes


def _dtype(found: WhatIfs, estimator: Estimator, dtype: str, batch: int) -> None:
    """Activations, gradients and scratch in half the bytes; the variables stay as they are."""
    before = estimator.highest(batch).expected
    other = estimator.modelled(replace(estimator.model, half=True))
    after = other.highest(batch).expected
    found.changed.append((dtype, other))
    text = (
        f"{dtype}: {units.size(after)} at the peak instead of {units.size(before)} "
        f"({_change(after, before)}; modelled, variables stay float32)"
    )
    found.facts.append(("Precision", text))
    found.content.append(
        {
            "kind": "dtype",
            "dtype": dtype,
            "peak_bytes": after,
            "saved_bytes": before - after,
        }
    )
