"""How long each op takes on a device: at its best, or as a capture of the machine says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from math import exp, sqrt

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.analyses.runtime.calibration import only_holds, packed_bytes, with_makers
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import DevicePeak
from tfprof.model.dims import at
from tfprof.model.quantity import Quantity
from tfprof.model.units import MICROS_A_SECOND
from tfprof.results.calibration import Calibration, OpRate
from tfprof.results.times import Interval

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
# what a model differs by from those of the captures, all its ops together: as was measured
# (docs: flops, times of your machine)
_LEAST = 0.15
# nine of ten
_LIKELY = 1.64


@frozen_dataclass
class OpTime:
    """Microseconds, what of them goes with the arithmetic and what with the traffic.

    `spread` is how far off they may be: 0.2 are 20 %; None where nothing says so.
    """

    micros: float
    compute: float
    memory: float
    spread: float | None


@frozen_dataclass
class Work:
    """What one op, all its rounds together, computes and moves, and packs to compute."""

    op: str
    family: str
    flops: int
    moved: int
    times: int
    only_holds: bool
    packed: float

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
        packed = packed_bytes(op, sizes) * times
        family = rule.family if rule is not None else ""
        return cls(op.site.op, family, flops, moved, times, only_holds(rule), packed)


@frozen_dataclass(slots=False)
class OpClock:
    """A device at its best, a calibrated machine, or both: then nothing is faster than the best.

    `borrowed` fills with families that the captures lack, and whose rates were taken instead.
    """

    device: DevicePeak | None = None
    calibration: Calibration | None = None
    borrowed: dict[str, str] = field(default_factory=dict)

    def times(
        self, ops: Sequence[OpCost], sizes: Mapping[str, int]
    ) -> Iterator[tuple[OpCost, OpTime | None]]:
        """Each op with its time; None where something of its work is not known."""
        for op, maker in with_makers(ops):
            work = Work.of(op, sizes)
            yield op, None if work is None else self._time(work, maker)

    def _time(self, work: Work, maker: str) -> OpTime:
        best = OpTime(0.0, 0.0, 0.0, None) if self.device is None else at_best(work, self.device)
        if self.calibration is None:
            return best
        found = self._calibrated(self.calibration, work, maker)
        return found if found.micros >= best.micros else replace(best, spread=found.spread)

    def _calibrated(self, found: Calibration, work: Work, maker: str) -> OpTime:
        rate, less_sure = self._rate(found, work)
        between = 0.0 if work.only_holds else found.between_us * work.times
        if not work.flops + work.moved:
            return OpTime(between, 0.0, 0.0, rate.spread)
        seen = _seen(found, work.op, maker)
        compute = work.flops * rate.us_per_flop * seen
        memory = (work.moved + work.packed) * rate.us_per_byte * seen
        fixed = rate.fixed_us * work.times * seen
        spread = rate.spread + less_sure
        return OpTime(compute + memory + fixed + between, compute, memory, spread)

    def _rate(self, found: Calibration, work: Work) -> tuple[OpRate, float]:
        if work.op in found.by_op:
            return found.by_op[work.op], 0.0
        if work.family in found.by_family:
            return found.by_family[work.family], _OTHER_OP
        near = (one for one in _NEAREST.get(work.family, ()) if one in found.by_family)
        family = next(near, found.families[0].family)
        if work.flops + work.moved:
            self.borrowed[work.family or work.op] = family
        return found.by_family[family], _OTHER_FAMILY


def at_best(work: Work, device: DevicePeak) -> OpTime:
    """The longer of arithmetic and traffic: how long it takes at most, nothing says."""
    compute = work.flops / device.flops * MICROS_A_SECOND
    memory = work.moved / device.bytes * MICROS_A_SECOND
    return OpTime(max(compute, memory), compute, memory, None)


def _seen(found: Calibration, op: str, maker: str) -> float:
    """Types that were never recorded were too short to be, or are not in the captures."""
    if not found.seen.get((op, ""), 0.0):
        return 1.0
    return found.seen.get((op, maker), found.seen[op, ""])


class Sums:
    """Times of ops that follow each other, and the interval of their sum."""

    def __init__(self) -> None:
        self.micros = self.compute = self.memory = 0.0
        self.count = self.unknown = 0
        self._is_bounded = True
        self._alone = 0.0
        self._together: dict[str, float] = {}

    def add(self, op: str, time: OpTime | None) -> None:
        self.count += 1
        if time is None:
            self.unknown += 1
            return
        self.micros += time.micros
        self.compute += time.compute
        self.memory += time.memory
        self._is_bounded &= time.spread is not None
        off = time.micros * (time.spread or 0.0)
        self._alone += off * off
        self._together[op] = self._together.get(op, 0.0) + off

    @property
    def quantity(self) -> Quantity:
        if self.unknown:
            missing = f"{self.unknown:,} of {self.count:,} ops not counted"
            return Quantity.part(self.micros, missing)
        return Quantity.estimated(self.micros)

    @property
    def interval(self) -> Interval:
        """Open above where a part is not known, or only a device's best is."""
        if not self._is_bounded:
            return self.micros, None
        together = sum(off * off for off in self._together.values())
        variance = (1 - _TOGETHER) * self._alone + _TOGETHER * together
        relative = variance / self.micros**2 if self.micros else 0.0
        factor = exp(_LIKELY * sqrt(relative + _LEAST**2))
        return self.micros / factor, None if self.unknown else self.micros * factor
