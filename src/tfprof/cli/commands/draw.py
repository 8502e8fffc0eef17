"""`tfprof draw SUBJECT PATH...`: the answer to a question as a picture."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tfprof.cli.commands import memory
from tfprof.cli.inputs import request_of
from tfprof.cli.parser import add_options, values_of
from tfprof.cli.partitions import on_partition
from tfprof.cli.pictures import add_picture_outputs, picture_writer
from tfprof.commands.registry import commands
from tfprof.errors import InputMissing, UsageError

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.chart import Chart, Picture
    from tfprof.views.result import Result

HELP = "an answer as a picture (SVG): memory, or the time of steps"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    subjects = parser.add_subparsers(
        dest="subject", metavar="SUBJECT", required=True, help=", ".join(_SUBJECTS)
    )
    for name, subject in _SUBJECTS.items():
        sub = subjects.add_parser(
            name, help=subject.help, description=subject.help, allow_abbrev=False
        )
        subject.add_arguments(sub)
        add_picture_outputs(sub)  # there is no JSON of a picture


def add_outputs(_: argparse.ArgumentParser) -> None:
    """Each subject has them: what stands behind it is read by its parser."""


def run(args: argparse.Namespace, progress: ProgressOf | None) -> None:
    from tfprof.renderers import picture

    write = picture_writer(args)
    # what is missing is told by the name of the whole command
    args.command = f"draw {args.subject}"
    write(picture.render(_SUBJECTS[args.subject].draw(args, progress)))


def _memory(args: argparse.Namespace, progress: ProgressOf | None) -> Chart:
    from tfprof.answers.memory_chart import memory_chart

    measured = _measured_memory(args, progress)
    if measured is not None:
        return measured
    if args.form == "executed":
        raise UsageError("what was executed has the batch of its run: a point, not a curve")

    def ask(batches: Sequence[int]) -> Result:
        asked = {"batch": ",".join(map(str, batches)) or None}
        return memory.run(argparse.Namespace(**{**vars(args), **asked}), progress)

    batches = memory.batches_of(args.batch) if args.batch else ()
    budget = memory.bytes_of(args.device_memory) if args.device_memory else None
    return memory_chart(ask, batches, budget, [*args.dim, *args.feed])


def _measured_memory(args: argparse.Namespace, progress: ProgressOf | None) -> Chart | None:
    """Over time, where a trace tells it and nothing is asked that did not run."""
    from tfprof.analyses.measured_memory.devices import measured_memory
    from tfprof.answers.measured_memory import asks_for_measurement, why_none
    from tfprof.answers.memory_over_time import time_chart
    from tfprof.sources.load import read_one

    args = argparse.Namespace(**vars(args))  # what it asks is changed on the way
    asked = memory.asked_of(args)
    if not asks_for_measurement(asked, estimate=memory.wants_estimate(args)):
        return None
    data = on_partition(read_one(request_of(args), progress), args)
    devices = measured_memory(data.trace)
    if not devices and data.trace is not None and data.graph is None and data.keras is None:
        why, then = why_none(data.trace)
        raise InputMissing(why, where=data.title, hint=then)
    return time_chart(data, devices) if devices else None


def _of_registry(name: str) -> _Subject:
    """The picture of a command that is rebuilt."""
    command = commands()[name]
    drawing = command.drawing
    if drawing is None:
        raise KeyError(name)

    def draw(args: argparse.Namespace, progress: ProgressOf | None) -> Picture:
        return command.module().picture(drawing.answer(values_of(args), progress))

    return _Subject(drawing.help, lambda parser: add_options(parser, drawing.options), draw)


@dataclass(frozen=True, slots=True)
class _Subject:
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    draw: Callable[[argparse.Namespace, ProgressOf | None], Picture]


_SUBJECTS = {
    "memory": _Subject("peak memory over the batch or over time", memory.add_arguments, _memory),
    "steps": _of_registry("steps"),
}
