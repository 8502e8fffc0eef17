"""When a model waited for the next element of its dataset."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.self_time import holders
from tfprof.analyses.input_events.event_names import (
    is_eager_get_next,
    is_get_next,
    is_get_next_op,
    is_root,
    is_tf_data,
    rows_where,
    together,
)
from tfprof.analyses.input_events.feeding_pipelines import fed_fetches
from tfprof.model.xspace import Plane
from tfprof.wire.distinct import without

Ints = npt.NDArray[np.int64]

# The first that a capture has: the kernel that fetches, what it calls, and where the tracer was set
# to a level that shows neither, the op or Python's call of it.
_SIGNS: tuple[Callable[[str], bool], ...] = (
    is_get_next, is_root, is_eager_get_next, is_get_next_op,
)  # fmt: skip


def wait_rows(plane: Plane) -> Ints:
    """The events of a host that are a model asking for an element.

    Of those within each other on a thread there is the outermost. Those of several threads may
    overlap. What a pipeline fetches from another pipeline is no wait of the model.
    """
    for sign in _SIGNS:
        rows = rows_where(plane, sign)
        if len(rows):
            outer = _outermost(plane, rows)
            return without(outer, fed_fetches(plane, outer))
    return np.zeros(0, np.int64)


def _outermost(plane: Plane, rows: Ints) -> Ints:
    """Those that are neither within each other nor within what a pipeline does."""
    events = plane.events
    both = together(plane, rows, rows_where(plane, is_tf_data))
    holder = holders(plane.line_of(both), events.start_ps[both], events.ends(both))
    return rows[holder[np.searchsorted(both, rows)] < 0]
