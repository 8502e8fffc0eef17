"""What every event of a run is doing: the category its time counts for."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tfprof.analyses.intervals import Intervals
from tfprof.analyses.step_time.categories import Category
from tfprof.analyses.step_time.codes import Codes, code_of
from tfprof.analyses.step_time.device_events import on_device
from tfprof.analyses.step_time.host_events import on_placed_cpu, on_threads
from tfprof.model.xspace import HOST_THREADS, Plane

Ints = npt.NDArray[np.int64]

# their events enclose calls that wait for others; what is left of them is work of their own
ENCLOSING = (Category.HOST_PYTHON, Category.COMPILATION)
_STREAM = "/stream:"


@dataclass(frozen=True, slots=True)
class Classified:
    """The events of one plane; `code` is a position in CATEGORIES, -1 counts for nothing."""

    plane: Plane
    code: Codes

    @property
    def is_device(self) -> bool:
        """Whether it is a device of its own, beside the threads of a host."""
        name = self.plane.name
        return self.plane.is_device or (self.plane.is_placed and _STREAM in name)

    def rows(self, category: Category) -> Ints:
        return np.flatnonzero(self.code == code_of(category))

    def intervals(self, category: Category) -> Intervals:
        """When it was going on anywhere in the plane."""
        rows = self.rows(category)
        return self._without_waiting(rows) if category in ENCLOSING else self._union(rows)

    def _union(self, rows: Ints) -> Intervals:
        start = self.plane.events.start_ps[rows]
        return Intervals.union(start, start + self.plane.events.duration_ps[rows])

    def _without_waiting(self, rows: Ints) -> Intervals:
        waiting = self.rows(Category.OTHER)
        line, line_waiting = self.plane.line_of(rows), self.plane.line_of(waiting)
        found = [
            self._union(rows[line == one]).minus(self._union(waiting[line_waiting == one]))
            for one in np.unique(line).tolist()
        ]
        return Intervals.none().join(*found)


def classified(plane: Plane, markers: Collection[str], *, with_devices: bool) -> Classified | None:
    """None for a plane that is not of a run. `markers` are the names of the steps themselves."""
    if not len(plane.events):
        return None
    if plane.name == HOST_THREADS:
        return Classified(plane, on_threads(plane, markers, with_devices=with_devices))
    if plane.is_device or (plane.is_placed and _STREAM in plane.name):
        return Classified(plane, on_device(plane))
    if plane.is_placed and "CPU:" in plane.name.upper():
        return Classified(plane, on_placed_cpu(plane))
    if plane.is_placed:
        # of a session run, what a device's op did on the host: it enqueued its kernels
        launch = code_of(Category.KERNEL_LAUNCH)
        return Classified(plane, np.full(len(plane.events), launch, np.int8))
    return None
