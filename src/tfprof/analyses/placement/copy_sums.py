"""Sums of copies from device to device."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.model.units import PS_A_MICROSECOND
from tfprof.results.partial import summed
from tfprof.results.placement import EXECUTED, RECORDED, Copies

_NO_SIZE = "nothing tells the size of some"
_NO_TIME = "nothing recorded it"


class CopyRoute(NamedTuple):
    """From where to where, and how; None where nothing tells."""

    source: str | None
    target: str | None
    kind: str

    @property
    def ends(self) -> tuple[str, str]:
        return self.source or "", self.target or ""


@frozen_dataclass
class CopySum:
    """Bytes and picoseconds; a sum with an unknown part is unknown."""

    count: int
    bytes: int | None
    picoseconds: int | None

    def plus(self, other: CopySum) -> CopySum:
        return CopySum(
            self.count + other.count,
            _plus(self.bytes, other.bytes),
            _plus(self.picoseconds, other.picoseconds),
        )


def _plus(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other


def copies_of(
    recorded: Mapping[CopyRoute, CopySum],
    sent: Mapping[CopyRoute, CopySum],
    name: Callable[[str], str],
    steps: int,
) -> tuple[list[Copies], str]:
    """As recorded in so many steps; between other devices as the executed graphs tell of one."""
    seen = _named(recorded, name)
    pairs = {way.ends for way in seen}
    more = {way: one for way, one in _named(sent, name).items() if way.ends not in pairs}
    copies = averaged(seen, steps) + averaged(more, 1)
    return sorted(copies, key=_largest_first), EXECUTED if more and not seen else RECORDED


def _named(
    copies: Mapping[CopyRoute, CopySum], name: Callable[[str], str]
) -> dict[CopyRoute, CopySum]:
    """By short names, in an order that does not depend on where the sums come from."""

    def short(way: CopyRoute) -> CopyRoute:
        source, target = (None if end is None else name(end) for end in way[:2])
        return CopyRoute(source, target, way.kind)

    found = summed(((short(way), copied) for way, copied in copies.items()), CopySum.plus)
    return {way: found[way] for way in sorted(found, key=lambda way: (way.ends, way.kind))}


def averaged(copies: Mapping[CopyRoute, CopySum], steps: int) -> list[Copies]:
    return [_average(way, one, steps) for way, one in copies.items()]


def _average(way: CopyRoute, one: CopySum, steps: int) -> Copies:
    size, time = one.bytes, one.picoseconds
    return Copies(
        *way,
        whole(one.count / steps),
        Quantity.unknown(_NO_SIZE) if size is None else Quantity.derived(whole(size / steps)),
        Quantity.unknown(_NO_TIME)
        if time is None
        else Quantity.derived(time / (PS_A_MICROSECOND * steps)),
    )


def whole(value: float) -> float:
    """Averages that are whole numbers are written as such."""
    return int(value) if value == int(value) else value


def _largest_first(copy: Copies) -> tuple[float, ...]:
    return -(copy.bytes.number or 0), -(copy.time_us.number or 0), -copy.count
