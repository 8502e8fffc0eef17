"""How long each op takes on a device: at its best, or as a capture of the machine says."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, sqrt

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.analyses.runtime.calibration import only_holds
from tfprof.model.device import DevicePeak
from tfprof.model.dims import at
from tfprof.model.units import MICROS_A_SECOND
from tfprof.results.calibration import Calibration, OpRate

# where a capture has no op of a family, the next one that works like it, as far as it goes
_NEAREST: Mapping[str, tuple[str, ...]] = {
    "convolutions": ("matrix products",),
    "matrix products": ("convolutions",),
    "recurrent": ("matrix products", "convolutions"),
    "quantized": ("convolutions", "matrix products"),
    "pooling": ("reductions", "element-wise"),
    "normalisation": ("reductions", "element-wise"),
    "reductions": ("normalisation", "element-wise"),
    "element-wise": ("variables", "arrays"),
    "variables": ("element-wise",),
    "images": ("pooling", "arrays", "element-wise"),
    "random": ("element-wise",),
    "lists": ("arrays", "element-wise"),
    "arrays": ("element-wise",),
    "shapes as values": ("arrays", "element-wise"),
}
# how much less sure a time is: of an op type that was not seen, of a family that was not
_OTHER_OP, _OTHER_FAMILY = 0.3, 0.7
# errors of ops of one type are partly the same error
_TOGETHER = 0.5
# what a step differs by from the next one, and a model from the calibrated one
_LEAST = 0.1
# nine of ten
_LIKELY = 1.64


@dataclass(frozen=True, slots=True)
class OpTime:
    """Microseconds, and how far off they may be: 0.2 are 20 %."""

    micros: float
    spread: float


@dataclass(frozen=True, slots=True)
class Work:
    """What one op, all its rounds together, computes and moves."""

    op: str
    family: str
    flops: int
    moved: int
    times: int
    only_holds: bool

    @classmethod
    def of(cls, op: OpCost, sizes: Mapping[str, int]) -> Work | None:
        """None while something of it is not known."""
        if op.cost is None:
            return None
        values = (at(op.cost.flops_all, sizes), at(op.cost.bytes, sizes), at(op.site.times, sizes))
        flops, moved, times = (one if isinstance(one, int) else None for one in values)
        if flops is None or moved is None or times is None:
            return None
        rule = op.site.rule
        family = rule.family if rule is not None else ""
        return cls(op.site.op, family, flops, moved, times, only_holds(rule))


def at_best(work: Work, device: DevicePeak) -> tuple[float, float]:
    """Microseconds of arithmetic and of traffic."""
    compute, memory = work.flops / device.flops, work.moved / device.bytes
    return compute * MICROS_A_SECOND, memory * MICROS_A_SECOND


class CalibratedClock:
    """Times of ops as the captures of a machine tell them; `borrowed` fills with what they lack."""

    def __init__(self, found: Calibration) -> None:
        self.found = found
        self.borrowed: dict[str, str] = {}

    def time(self, work: Work, maker: str) -> OpTime:
        """`maker` is the type of the op that made the first input."""
        rate, less_sure = self._rate(work)
        between = 0.0 if work.only_holds else self.found.between_us * work.times
        if not work.flops + work.moved:
            return OpTime(between, rate.spread)
        each = max(work.times, 1)
        micros = rate.micros(work.flops / each, work.moved / each) * each
        own = micros * self._seen(work.op, maker)
        return OpTime(own + between, rate.spread + less_sure)

    def _seen(self, op: str, maker: str) -> float:
        """Types that were never recorded were too short to be, or are not in the captures."""
        seen = self.found.seen
        if not seen.get((op, ""), 0.0):
            return 1.0
        return seen.get((op, maker), seen[op, ""])

    def _rate(self, work: Work) -> tuple[OpRate, float]:
        found = self.found
        if work.op in found.by_op:
            return found.by_op[work.op], 0.0
        if work.family in found.by_family:
            return found.by_family[work.family], _OTHER_OP
        near = (one for one in _NEAREST.get(work.family, ()) if one in found.by_family)
        family = next(near, found.families[0].family)
        if work.flops + work.moved:
            self.borrowed[work.family or work.op] = family
        return found.by_family[family], _OTHER_FAMILY


class Sums:
    """Times of ops that follow each other, and the interval of their sum."""

    def __init__(self) -> None:
        self.micros = 0.0
        self._alone = 0.0
        self._together: dict[str, float] = {}

    def add(self, op: str, time: OpTime) -> None:
        off = time.micros * time.spread
        self.micros += time.micros
        self._alone += off * off
        self._together[op] = self._together.get(op, 0.0) + off

    @property
    def interval(self) -> tuple[float, float]:
        if not self.micros:
            return 0.0, 0.0
        together = sum(off * off for off in self._together.values())
        variance = (1 - _TOGETHER) * self._alone + _TOGETHER * together
        factor = exp(_LIKELY * sqrt(variance / self.micros**2 + _LEAST**2))
        return self.micros / factor, self.micros * factor
