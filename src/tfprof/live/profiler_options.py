"""Options of TensorFlow's profiler that arrive."""

from __future__ import annotations

from tfprof.live.calls import loaded
from tfprof.live.live_objects import Live


class _Level(int):
    """A number that is no truth value.

    TensorFlow 2.21 asks an option first whether it is a bool, which every int answers, and then
    drops it: the level has to be a number. Its log says so, at a level that is rarely shown.
    """

    def __bool__(self) -> bool:
        raise TypeError("a level of the profiler is a number, not a truth value")


def host_tracer_level(*, every_op: bool) -> int:
    """TensorFlow's own is 2, where ops that it has found to be cheap are left out."""
    return 3 if every_op else 2


def profiler_options(
    *,
    host_tracer_level: int = 2,
    python_tracer_level: int = 0,
    device_tracer_level: int = 1,
    delay_ms: int | None = None,
) -> Live:
    """What `tf.profiler.experimental.start(logdir, options=...)` takes, and TensorFlow 2.21 keeps.

    `python_tracer_level=1` records every call of Python: some steps, not minutes.
    """
    tensorflow = loaded("tensorflow")
    return tensorflow.profiler.experimental.ProfilerOptions(
        _Level(host_tracer_level),
        _Level(python_tracer_level),
        _Level(device_tracer_level),
        None if delay_ms is None else _Level(delay_ms),
    )
