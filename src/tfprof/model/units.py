"""Units: of time, and how numbers are written everywhere.

k/M/G and KB/MB/GB are decimal, time is µs to minutes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

# captures tell time in picoseconds, allocators in nanoseconds, the original in microseconds
PS_A_NANOSECOND = NS_A_MICROSECOND = 1_000
PS_A_MICROSECOND = MICROS_A_SECOND = 1_000_000
PS_A_MILLISECOND = 1_000_000_000

_DECIMAL = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
_BYTES = ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "KB"))
_SECONDS = ((6e8, 60e6, "min"), (1e6, 1e6, "s"), (1e3, 1e3, "ms"))
_DIGITS = 4


def as_micros(picoseconds: float) -> float:
    return picoseconds / PS_A_MICROSECOND


def _scaled(value: float, steps: tuple[tuple[float, str], ...], base: str) -> str:
    for factor, unit in steps:
        if abs(value) >= factor:
            return f"{_four_digits(value / factor)} {unit}"
    return f"{value:,.0f} {base}".rstrip()


def _four_digits(value: float) -> str:
    """Always as many digits, so that columns read well: 1.480, 693.9; none lost above: 12,345."""
    return f"{value:,.0f}" if abs(value) >= 9999.5 else f"{value:#.{_DIGITS}g}".rstrip(".")


def exact(value: float) -> str:
    """All digits: 31,030,658."""
    return f"{value:,.0f}"


def count(value: float) -> str:
    """Four digits: 31.03 M."""
    return _scaled(value, _DECIMAL, "")


def size(value: float) -> str:
    """Bytes: 124.1 MB."""
    return _scaled(value, _BYTES, "B")


def axis_sizes(values: Sequence[float]) -> list[str]:
    """Bytes along an axis, all in the unit of the largest: 0, 0.5 GB, 1 GB."""
    highest = max(values, default=0)
    factor, unit = next((step for step in _BYTES if highest >= step[0]), (1.0, "B"))
    return [f"{value / factor:,.10g} {unit}" if value else "0" for value in values]


def axis_durations(values: Sequence[float]) -> list[str]:
    """Microseconds along an axis, all in the unit of the largest: 0, 0.5 s, 1 s."""
    highest = max(values, default=0)
    factor, unit = next((step[1:] for step in _SECONDS[1:] if highest >= step[0]), (1.0, "µs"))
    return [f"{value / factor:,.10g} {unit}" if value else "0" for value in values]


def round_step(value: float) -> float:
    """The next of 1, 2, 5, 10, 20, 50, ... that is not below `value`; at least 1."""
    power = 10.0 ** math.floor(math.log10(max(1.0, value)))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= value)


def duration(micros: float) -> str:
    """Time from microseconds: 3.61 s."""
    for from_, factor, unit in _SECONDS:
        if abs(micros) >= from_:
            return f"{_four_digits(micros / factor)} {unit}"
    return f"{micros:,.0f} µs"


def duration_ps(picoseconds: float) -> str:
    return duration(as_micros(picoseconds))


def number(value: float) -> str:
    """Any number in four digits: 0.0312, -1.5, 3.2e+08."""
    return f"{value:.4g}"


def share(part: float, whole: float) -> str:
    """A percentage with one decimal; tiny ones say so."""
    if not whole:
        return "0.0%"
    percent = 100 * part / whole
    return "<0.1%" if 0 < percent < 0.05 else f"{percent:.1f}%"


def signed_share(part: float) -> str:
    """A change: +12.3%, −4.5%."""
    return f"{'−' if round(part, 3) < 0 else '+'}{100 * abs(part):.1f}%"


def shape(dims: tuple[int | None, ...] | None) -> str:
    """[?, 224, 224, 3]; an unknown rank is [...]."""
    if dims is None:
        return "[...]"
    return "[" + ", ".join("?" if d is None else str(d) for d in dims) + "]"


def plural(number: int, noun: str) -> str:
    """1 step, 2 steps."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")
