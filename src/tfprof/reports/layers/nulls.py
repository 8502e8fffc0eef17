"""For who reads the data: which keys are null in every row, and why."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tfprof.model.quantity import Quantity
from tfprof.results.fields import plan_of
from tfprof.results.layers import LayersRow, RowCost
from tfprof.results.op_times import MeasuredTime


def nulls(rows: Sequence[LayersRow], why_no_shape: str) -> list[str]:
    """Keys with one reason together; a shape, like a class, does not know its own."""
    found: dict[str, list[str]] = {}
    for plan in plan_of(RowCost) if rows else ():
        reason = _reason([getattr(row.cost, plan.name) for row in rows], why_no_shape)
        if reason:
            found.setdefault(reason, []).append(plan.key)
    return [f"{', '.join(keys)}: {reason}" for reason, keys in found.items()]


def _reason(values: Sequence[object], why_no_shape: str) -> str:
    """Nothing if one of them is known."""
    if any(not _is_null(value) for value in values):
        return ""
    return next(_reasons(values), why_no_shape)


def _is_null(value: object) -> bool:
    return value is None or (isinstance(value, Quantity) and not value.known)


def _reasons(values: Iterable[object]) -> Iterator[str]:
    return (value.reason for value in values if isinstance(value, Quantity) and value.reason)


def null_peaks(time: MeasuredTime | None) -> list[str]:
    if time is None:
        return []
    lost = []
    if time.peak is None:
        lost.append(
            "time.peak, peak_share, bandwidth_share: the peak of the device is not known; "
            "--device tells it"
        )
    if time.device_us is None:
        lost.append("device_us and what is of it: no device was recorded")
    return lost
