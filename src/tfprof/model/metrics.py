"""The original's metrics, listed once: names, units, words, and the column each is of a row."""

from __future__ import annotations

from typing import NamedTuple

COUNT, OF_BYTES, OF_TIME = "count", "bytes", "microseconds"


class Metric(NamedTuple):
    """`title` is above its column, `about` in a report, `sample` in pprof: empty where none is."""

    name: str
    unit: str
    title: str
    about: str
    sample: str = ""


METRICS = (
    Metric(
        "params", COUNT, "# parameters",
        "elements of what has a shape of its own, such as a variable.",
        "How many values the variables made here hold.",
    ),
    Metric(
        "float_ops", COUNT, "# float_ops",
        "multiplications and additions; a multiply-add is two.",
        "Floating point operations, of ops for which somebody counted them.",
    ),
    Metric(
        "bytes", OF_BYTES, "requested bytes",
        "memory asked for while the op ran.",
        "Memory that ops asked for, summed over their runs.",
    ),
    Metric(
        "peak_bytes", OF_BYTES, "peak bytes",
        "most memory held at a time while the op ran.",
        "The most memory that each run of an op held at once, summed over runs.",
    ),
    Metric(
        "residual_bytes", OF_BYTES, "residual bytes",
        "memory still held when the op was done.",
        "Memory that ops still held when they had ended.",
    ),
    Metric(
        "output_bytes", OF_BYTES, "output bytes",
        "memory of what the op returned; it may be another op's.",
        "Memory of the outputs of ops.",
    ),
    Metric(
        "micros", OF_TIME, "total execution time",
        "accelerator and cpu time together; they may overlap.",
        "Time of ops: on accelerators, and on CPUs.",
    ),
    Metric(
        "accelerator_micros", OF_TIME, "accelerator execution time",
        "time on the accelerator.",
        "Time of ops on accelerators.",
    ),
    Metric(
        "cpu_micros", OF_TIME, "cpu execution time",
        "time on the cpu; of an accelerator's op, the time to start it.",
        "Time of ops on CPUs, scheduling for accelerators included.",
    ),
    Metric(
        "occurrence", COUNT, "op count (run|defined)",
        "how often it ran, and how many nodes there are.",
    ),
)  # fmt: skip
NAMES = tuple(metric.name for metric in METRICS)

MEMORY = tuple(metric.name for metric in METRICS if metric.unit == OF_BYTES)
TIMES = tuple(metric.name for metric in METRICS if metric.unit == OF_TIME)

# columns of a row of costs: the metrics, how many nodes there are, and of how many of these
# parameters or FLOPs are not known
COLUMN_OF = {name: column for column, name in enumerate(NAMES)}
PARAMS, FLOAT_OPS, BYTES, PEAK, RESIDUAL, OUTPUT, MICROS, ACCELERATOR, CPU, RUNS = range(len(NAMES))
DEFINED = len(NAMES)
LOST_PARAMS, LOST_FLOAT_OPS = DEFINED + 1, DEFINED + 2
COLUMNS = DEFINED + 3
LOST_OF = {PARAMS: LOST_PARAMS, FLOAT_OPS: LOST_FLOAT_OPS}
