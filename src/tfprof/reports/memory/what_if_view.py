"""What would help, in words and tables."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence

from tfprof.model import units
from tfprof.model.quantity import Quantity
from tfprof.reports.memory.words import size, whole
from tfprof.results.memory_what_if import GrapplerSwap, Narrower, Recompute, Swap, SwapPlan, WhatIf
from tfprof.views.shapes import Column, Fold, Table, Unit, Value

_PLANS_SHOWN = 6
_NAMES_SHOWN = 4
_TRIPS_SHOWN = 6
_SCOPES_SHOWN = 3
_LONG_ENOUGH = 5


def what_if_facts(changed: Sequence[WhatIf], fits: int | None) -> Iterator[tuple[str, str]]:
    """`fits` is the batch that fits without."""
    for one in changed:
        most = one.then.max_batch
        then = f"; batch {most} instead of {fits} fits" if most is not None else ""
        match one:
            case Recompute() if not one.helps:
                yield "Recompute", _losing_text(one)
            case Recompute():
                yield "Recompute", _recompute_text(one) + then
                yield "Wrap", _names(_together(group) for group in one.wrap)
                yield "Keep", _names(one.keep)
            case Swap():
                yield "Swap", _swap_text(one) + then
                if one.grappler is not None:
                    yield "Grappler", _grappler_text(one.grappler)
            case Narrower():
                yield "Precision", _narrow_text(one) + then


def what_if_tables(changed: Sequence[WhatIf]) -> Iterator[Table]:
    for one in changed:
        if isinstance(one, Recompute):
            yield _plans_table(one)
        elif isinstance(one, Swap):
            yield _swap_table(one)
            if one.trips:
                yield _trips_table(one)


def _recompute_text(one: Recompute) -> str:
    best = one.best
    more = f"+{best.extra_flops_share * 100:.1f} %"
    return f"{_lower(best.peak_bytes, best.saved_bytes)}) for {more} FLOPs: {best.plan}"


def _losing_text(one: Recompute) -> str:
    best = one.best
    more = -(best.saved_bytes.number or 0)
    lost = f"needs {units.size(more)} more" if more else "saves nothing"
    return f"no plan lowers the peak: {best.plan} {lost}"


def _swap_text(one: Swap) -> str:
    hidden, speed = one.hidden, f"{one.gigabytes_a_second:g} GB/s"
    if not hidden.tensors:
        return f"nothing comes back in time at {speed}"
    step = units.duration(hidden.step_us.number or 0)
    low, high = hidden.step_interval_us
    if high is not None:
        step += f" ({units.duration(low)} to {units.duration(high)})"
    return (
        f"{_lower(hidden.peak_bytes, hidden.saved_bytes)}): {units.size(hidden.moved_bytes)} there "
        f"and back at {speed} beside a step of {step} on {one.device}"
    )


def _grappler_text(one: GrapplerSwap) -> str:
    taken = " = ".join([*one.open_sizes, "1"])
    return f"its SwappingPass would go by a peak of {size(one.peak_bytes)}: it takes {taken}"


def _narrow_text(one: Narrower) -> str:
    lower = _lower(one.peak_bytes, one.saved_bytes)
    if not one.saved_persistent_bytes:
        return f"{one.dtype}: {lower}; modelled, variables stay float32)"
    held = units.size(one.persistent_bytes)
    before = units.size(one.persistent_bytes + one.saved_persistent_bytes)
    return f"{one.dtype}: {lower}), variables {held} instead of {before}; modelled"


def _lower(peak: Quantity, saved: Quantity) -> str:
    """A bracket is left open for what there is to add."""
    before = whole(peak) + whole(saved)
    change = f"{(whole(peak) / before - 1) * 100:+.1f} %" if before else "0 %"
    return f"{size(peak)} at the peak instead of {units.size(before)} ({change}"


def _together(scopes: Sequence[str]) -> str:
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


def _plans_table(one: Recompute) -> Table:
    columns = [
        Column("plan", "recompute plan"),
        Column("peak_bytes", "peak", Unit.BYTES),
        Column("saved", "saved", Unit.SHARE),
        Column("extra_flops", "more FLOPs", Unit.SHARE),
        Column("kept", "kept", Unit.COUNT),
        Column("about", "what it is", Unit.PROSE),
    ]
    rows: list[list[Value]] = [
        [it.plan, it.peak_bytes, it.saved_share, it.extra_flops_share, it.kept_tensors, it.about]
        for it in one.plans
    ]
    return Table(columns, rows, fold=Fold(_PLANS_SHOWN))


def _swap_table(one: Swap) -> Table:
    columns = [
        Column("swap", "swapped to the host"),
        Column("tensors", "tensors", Unit.COUNT),
        Column("moved_bytes", "moved", Unit.BYTES),
        Column("peak_bytes", "peak", Unit.BYTES),
        Column("saved", "saved", Unit.SHARE),
        Column("unhidden_us", "waiting", Unit.MICROS),
    ]
    rows = [_swap_row("what comes back in time", one.hidden)]
    if whole(one.everything.peak_bytes) < whole(one.hidden.peak_bytes):
        rows.append(_swap_row("all, one at a time", one.everything))
    return Table(columns, rows)


def _trips_table(one: Swap) -> Table:
    columns = [
        Column("tensor", "waits on the host"),
        Column("bytes", "bytes", Unit.BYTES),
        Column("out_us", "has left", Unit.MICROS),
        Column("back_us", "starts back", Unit.MICROS),
        Column("before", "while there runs"),
    ]
    rows: list[list[Value]] = [
        [it.tensor, it.bytes, it.out, it.back, it.before] for it in one.trips
    ]
    return Table(columns, rows, fold=Fold(_TRIPS_SHOWN))


def _swap_row(name: str, one: SwapPlan) -> list[Value]:
    peak = whole(one.peak_bytes)
    before = peak + whole(one.saved_bytes)
    saved = whole(one.saved_bytes) / before if before else 0
    return [name, one.tensors, one.moved_bytes, one.peak_bytes, saved, one.unhidden_us]
