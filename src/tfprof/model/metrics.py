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

# columns of a row of costs: the metrics, and how many nodes there are
COLUMN_OF = {name: column for column, name in enumerate(NAMES)}
PARAMS, FLOAT_OPS, BYTES, PEAK, RESIDUAL, OUTPUT, MICROS, ACCELERATOR, CPU, RUNS = range(len(NAMES))
DEFINED = len(NAMES)
COLUMNS = DEFINED + 1
