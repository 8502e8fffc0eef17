"""What every event of a run is doing: the category its time counts for."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.events.unions import union_of
from tfprof.analyses.input_events.queue_waits import with_queue_waits
from tfprof.analyses.step_time.category_codes import Codes, code_of
from tfprof.analyses.step_time.device_events import on_device
from tfprof.analyses.step_time.host_events import on_placed_cpu, on_threads
from tfprof.analyses.step_time.thread_regions import with_regions
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import ALL_STREAMS, COPIES, is_part, is_stream, without_part
from tfprof.model.pickling import PicklesWithoutCaches
from tfprof.model.xspace import HOST_THREADS, Plane
from tfprof.results.categories import Category
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]

# their events enclose calls that wait for others; what is left of them is work of their own
ENCLOSING = (Category.HOST_PYTHON, Category.COMPILATION)
# of a session run: a GPU tells its kernels once a stream and once more as all of them, its copies
# once a stream and once more as copies
_AGAIN = ALL_STREAMS, COPIES


@frozen_dataclass(slots=False)
class Classified(PicklesWithoutCaches):
    """The events of one plane; `code` is a position in CATEGORIES, -1 counts for nothing."""

    plane: Plane
    code: Codes

    @property
    def is_device(self) -> bool:
        """Whether it is a device of its own, beside the threads of a host."""
        return _is_device(self.plane)

    @property
    def device(self) -> str:
        """The device that it is, or is a part of."""
        return without_part(self.plane.name)

    def rows(self, category: Category) -> Ints:
        return np.flatnonzero(self.code == code_of(category))

    def intervals(self, category: Category) -> Intervals:
        """When it was going on anywhere in the plane; what was asked once is kept."""
        if category not in self._known:
            rows = self.rows(category)
            found = (
                self._without_waiting(rows) if category in ENCLOSING else union_of(self.plane, rows)
            )
            if category == Category.COLLECTIVES and not self.is_device:
                # other ops go on meanwhile: only the rest is spent on the exchange
                found = found.minus(self.intervals(Category.HOST_MODEL))
            self._known[category] = found
        return self._known[category]

    @cached_property
    def _known(self) -> dict[Category, Intervals]:
        return {}

    def _without_waiting(self, rows: Ints) -> Intervals:
        waiting = self.rows(Category.OTHER)
        line, line_waiting = self.plane.line_of(rows), self.plane.line_of(waiting)
        found = [
            union_of(self.plane, rows[line == one]).minus(
                union_of(self.plane, waiting[line_waiting == one])
            )
            for one in distinct(line).tolist()
        ]
        return Intervals.none().join(*found)


def told_once(planes: Sequence[Plane]) -> list[Plane]:
    """Without what tells once more what the streams of a device tell."""
    streams = {
        without_part(plane.name)
        for plane in planes
        if is_stream(plane.name) and not plane.name.endswith(_AGAIN)
    }
    return [
        plane
        for plane in planes
        if not plane.name.endswith(_AGAIN) or without_part(plane.name) not in streams
    ]


def _is_device(plane: Plane) -> bool:
    return plane.is_device or (plane.is_placed and is_part(plane.name))


def classified(plane: Plane, markers: Collection[str], *, with_devices: bool) -> Classified | None:
    """None for a plane that is not of a run. `markers` are the names of the steps themselves."""
    if not len(plane.events):
        return None
    if plane.name == HOST_THREADS:
        seen, compiled = with_regions(with_queue_waits(plane))
        return Classified(seen, on_threads(seen, markers, compiled, with_devices=with_devices))
    if _is_device(plane):
        return Classified(plane, on_device(plane))
    if plane.is_placed and "CPU:" in plane.name.upper():
        return Classified(plane, on_placed_cpu(plane))
    if plane.is_placed:
        # of a session run, what a device's op did on the host: it enqueued its kernels
        launch = code_of(Category.KERNEL_LAUNCH)
        return Classified(plane, np.full(len(plane.events), launch, np.int8))
    return None
