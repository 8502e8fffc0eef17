"""What the time of a device counts for."""

from __future__ import annotations

import numpy as np

from tfprof.analyses.device_events.activities import (
    ACTIVITIES,
    activity_codes,
    in_half_precision,
)
from tfprof.analyses.device_events.activities import code_of as code_of_activity
from tfprof.analyses.events.self_time import holders
from tfprof.analyses.step_time.category_codes import NO_CODE, Codes, by_name, code_of
from tfprof.late_pattern import late_pattern
from tfprof.model.kernel_lines import is_tpu, lines_that_count
from tfprof.model.xspace import Plane
from tfprof.results.categories import Category
from tfprof.results.device_work import Activity

_SHAPE = late_pattern(r"\b[a-z]\w*\[[\d,]*\](?:\{([^}]*)\})?")
_SOURCE, _HOST_MEMORY = 2, "S(5)"
_CATEGORIES = {
    Activity.COMPUTE: Category.DEVICE_COMPUTE_32,
    Activity.MEMSET: Category.DEVICE_COMPUTE_32,
    Activity.TO_DEVICE: Category.HOST_TO_DEVICE,
    Activity.TO_HOST: Category.OUTPUT,
    Activity.ON_DEVICE: Category.DEVICE_TO_DEVICE,
    Activity.BETWEEN: Category.DEVICE_TO_DEVICE,
    Activity.COLLECTIVE: Category.COLLECTIVES,
    Activity.WAITING: Category.DEVICE_TO_DEVICE,
    Activity.INPUT: Category.INPUT,
    Activity.OUTPUT: Category.OUTPUT,
}


def on_device(plane: Plane) -> Codes:
    by_activity = np.array([code_of(_CATEGORIES[one]) for one in ACTIVITIES], np.int8)
    activity = activity_codes(plane)
    code: Codes = by_activity[activity]
    waits = activity == code_of_activity(Activity.WAITING)
    code[waits] = by_name(plane, _awaited)[waits]
    computes = np.isin(
        activity, [code_of_activity(one) for one in (Activity.COMPUTE, Activity.MEMSET)]
    )
    code[computes & in_half_precision(plane)] = code_of(Category.DEVICE_COMPUTE_16)
    if is_tpu(plane):
        _leave_out_enclosing(code, plane)
    for line in np.flatnonzero(~lines_that_count(plane)).tolist():
        code[plane.rows_of_line(line)] = NO_CODE
    return code


def _awaited(instruction: str) -> Category:
    """Of `%copy-done.2 = f32[8]{0} copy-done((f32[8]{0}, f32[8]{0:S(5)}, u32[]) ...)`, the way.

    The first shape is that of the target, the third that of the source; a layout says which memory
    it lies in.
    """
    layouts = [match[1] or "" for match in _SHAPE.finditer(instruction)]
    if len(layouts) < _SOURCE + 1:
        return Category.DEVICE_TO_DEVICE
    to_host, from_host = (_HOST_MEMORY in layouts[place] for place in (0, _SOURCE))
    if to_host == from_host:
        return Category.DEVICE_TO_DEVICE
    return Category.OUTPUT if to_host else Category.HOST_TO_DEVICE


def _leave_out_enclosing(code: Codes, plane: Plane) -> None:
    """A loop has the instructions of its rounds within it: what it waits for is in these."""
    events = plane.events
    line = plane.line_of(np.arange(len(events)))
    holder = holders(line, events.start_ps, events.end_ps)
    code[holder[holder >= 0]] = NO_CODE
