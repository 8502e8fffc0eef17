"""`tfprof draw SUBJECT PATH...`: the answer to a question as a picture."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from tfprof.cli.commands import memory
from tfprof.cli.inputs import request_of
from tfprof.cli.partitions import on_partition
from tfprof.cli.pictures import add_picture_outputs, picture_writer
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.chart import Chart
    from tfprof.views.result import Result

HELP = "an answer as a picture (SVG): memory over the batch or over time"

add_outputs = add_picture_outputs  # there is no JSON of a picture


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "subject", choices=sorted(_SUBJECTS), metavar="SUBJECT", help=", ".join(sorted(_SUBJECTS))
    )
    memory.add_arguments(parser)


def run(args: argparse.Namespace, progress: ProgressOf | None) -> None:
    from tfprof.renderers import line_chart

    write = picture_writer(args)
    write(line_chart.render(_SUBJECTS[args.subject](args, progress)))


def _memory(args: argparse.Namespace, progress: ProgressOf | None) -> Chart:
    from tfprof.answers.memory_chart import memory_chart

    measured = _measured_memory(args, progress)
    if measured is not None:
        return measured
    if args.form == "executed":
        raise UsageError("what was executed has the batch of its run: a point, not a curve")

    def ask(batches: Sequence[int]) -> Result:
        asked = {"command": "draw memory", "batch": ",".join(map(str, batches)) or None}
        return memory.run(argparse.Namespace(**{**vars(args), **asked}), progress)

    batches = memory.batches_of(args.batch) if args.batch else ()
    budget = memory.bytes_of(args.device_memory) if args.device_memory else None
    return memory_chart(ask, batches, budget, [*args.dim, *args.feed])


def _measured_memory(args: argparse.Namespace, progress: ProgressOf | None) -> Chart | None:
    """Over time, where a trace tells it and nothing is asked that did not run."""
    from tfprof.analyses.measured_memory.devices import measured_memory
    from tfprof.answers.measured_memory import asks_for_measurement
    from tfprof.answers.memory_over_time import time_chart
    from tfprof.sources.load import read_one

    args = argparse.Namespace(**{**vars(args), "command": "draw memory"})
    asked = memory.asked_of(args)
    if not asks_for_measurement(asked, estimate=memory.wants_estimate(args)):
        return None
    data = on_partition(read_one(request_of(args), progress), args)
    devices = measured_memory(data.trace)
    return time_chart(data, devices) if devices else None


_SUBJECTS: dict[str, Callable[[argparse.Namespace, ProgressOf | None], Chart]] = {"memory": _memory}
