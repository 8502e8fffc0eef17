"""What each device did in each step: computed, waited for copies or for other devices, nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.step_time.classify import Classified
from tfprof.analyses.step_time.queued import queued
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.categories import Category
from tfprof.results.host_steps import WaitedFor
from tfprof.results.step_windows import StepWindow

Ints = npt.NDArray[np.int64]

# a device that waits for input does nothing
_WORK = tuple(category for category in Category if category is not Category.INPUT)
_COMPUTE = (Category.DEVICE_COMPUTE_16, Category.DEVICE_COMPUTE_32)
_COPIES = (Category.HOST_TO_DEVICE, Category.DEVICE_TO_DEVICE, Category.OUTPUT)
# what the cores of a TPU note beside their ops
_BARRIER = "barrier-cores"
_HOST = (
    Category.COMPILATION, Category.HOST_MODEL, Category.HOST_TF_DATA, Category.HOST_PYTHON,
)  # fmt: skip


@frozen_dataclass
class DeviceUse:
    """Picoseconds, one value a step. `hidden` is what of copies or collectives kernels cover.

    `active` is when anything at all went on. `waited` is what the rest of a step, when nothing
    did, was waited for.
    """

    host: str
    name: str
    active: Ints
    compute: Ints
    copies: Ints
    copies_hidden: Ints
    collectives: Ints
    collectives_hidden: Ints
    # from the begin of a step to the end of the last that ran in it; -1 where nothing did
    finished: Ints
    waited: Mapping[WaitedFor, Ints]
    # within a step, from the first kernel to the last; and what of that nothing went on
    span: Ints
    span_idle: Ints
    # in the whole capture, for others to arrive; None where barriers are not recorded
    barriers: int | None
    when_active: Intervals = field(repr=False)

    @property
    def work(self) -> Ints:
        """Without the collectives, in which devices wait for each other."""
        return self.active - (self.collectives - self.collectives_hidden)


@frozen_dataclass
class _Host:
    """What a host did that devices may have waited for."""

    input: Intervals
    launching: Intervals
    working: Intervals
    queues: Mapping[str, Intervals]

    @classmethod
    def of(cls, planes: Sequence[Classified]) -> _Host:
        threads = [one for one in planes if not one.is_device]
        return cls(
            _joined(threads, (Category.INPUT,)),
            _joined(threads, (Category.KERNEL_LAUNCH,)),
            _joined(threads, _HOST),
            queued(planes),
        )


def device_uses(planes: Sequence[Classified], windows: Sequence[StepWindow]) -> list[DeviceUse]:
    """By name; the streams that a session run tells apart are one device."""
    devices: dict[tuple[str, str], list[Classified]] = {}
    for one in planes:
        if one.is_device:
            key = one.plane.host, one.device
            devices.setdefault(key, []).append(one)
    if not devices:
        return []
    active = {key: _joined(parts, _WORK) for key, parts in devices.items()}
    host = _Host.of(planes)
    found = []
    for key in sorted(devices):
        others = Intervals.none().join(*(when for other, when in active.items() if other != key))
        found.append(_use(key, devices[key], active[key], _Around(host, others), windows))
    return found


@frozen_dataclass
class _Around:
    """What went on beside a device."""

    host: _Host
    others: Intervals

    def when_waiting(self, device: str) -> Iterator[tuple[WaitedFor, Intervals]]:
        """An instant counts for the first of them."""
        queue = self.host.queues.get(device, Intervals.none())
        yield WaitedFor.INPUT, self.host.input.minus(queue)
        yield WaitedFor.LAUNCH, self.host.launching.join(queue)
        yield WaitedFor.DEVICE, self.others
        yield WaitedFor.HOST, self.host.working


def _use(
    key: tuple[str, str],
    parts: list[Classified],
    active: Intervals,
    around: _Around,
    windows: Sequence[StepWindow],
) -> DeviceUse:
    begin = np.array([window.begin for window in windows], np.int64)
    until = np.array([window.until for window in windows], np.int64)
    compute, copies = _joined(parts, _COMPUTE), _joined(parts, _COPIES)
    collectives = _joined(parts, (Category.COLLECTIVES,))
    last = _first_and_last(active, begin, until)[1]
    first_kernel, last_kernel = _first_and_last(compute, begin, until)
    span = last_kernel - first_kernel
    at = begin + np.maximum(first_kernel, 0)
    return DeviceUse(
        *key,
        active.covered_between(begin, until),
        compute.covered_between(begin, until),
        copies.covered_between(begin, until),
        copies.both(compute).covered_between(begin, until),
        collectives.covered_between(begin, until),
        collectives.both(compute.join(copies)).covered_between(begin, until),
        last,
        _waited(key[1], active, around, begin, until),
        span,
        span - active.covered_between(at, at + span),
        _barriers(parts),
        active,
    )


def _waited(
    device: str, active: Intervals, around: _Around, begin: Ints, until: Ints
) -> dict[WaitedFor, Ints]:
    so_far = active
    before = active.covered_between(begin, until)
    found: dict[WaitedFor, Ints] = {}
    for reason, when in around.when_waiting(device):
        so_far = so_far.join(when)
        covered = so_far.covered_between(begin, until)
        found[reason], before = covered - before, covered
    found[WaitedFor.UNKNOWN] = until - begin - before
    return found


def _barriers(parts: Sequence[Classified]) -> int | None:
    rows = [(one.plane, one.plane.named(_BARRIER)) for one in parts]
    if not any(len(mine) for _, mine in rows):
        return None
    return sum(int(plane.events.duration_ps[mine].sum()) for plane, mine in rows)


def _joined(parts: Sequence[Classified], categories: Sequence[Category]) -> Intervals:
    return Intervals.none().join(
        *(one.intervals(category) for one in parts for category in categories)
    )


def _first_and_last(active: Intervals, begin: Ints, until: Ints) -> tuple[Ints, Ints]:
    """When in each step something began and ended, from its begin on; -1 where nothing did."""
    if not len(active):
        nothing = np.full(len(begin), -1, np.int64)
        return nothing, nothing
    last = np.searchsorted(active.starts, until, side="left") - 1
    first = np.minimum(np.searchsorted(active.ends, begin, side="right"), len(active) - 1)
    ended = np.minimum(active.ends[np.maximum(last, 0)], until)
    began = np.maximum(active.starts[first], begin)
    ran = (last >= 0) & (ended > begin)
    return np.where(ran, began - begin, -1), np.where(ran, ended - begin, -1)
