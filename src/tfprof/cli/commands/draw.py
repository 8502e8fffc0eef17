"""`tfprof draw SUBJECT PATH...`: the answer to a question as a picture."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tfprof.cli.inputs import add_inputs, request_of
from tfprof.cli.parser import add_options, values_of
from tfprof.cli.pictures import add_picture_outputs, picture_writer
from tfprof.commands.command import Drawing
from tfprof.commands.memory import COMMAND as _MEMORY

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.chart import Picture, StepChart

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


def _memory(args: argparse.Namespace, progress: ProgressOf | None) -> Picture:
    return _MEMORY.module().picture(_memory_drawing().answer(values_of(args), progress))


def _memory_drawing() -> Drawing:
    if _MEMORY.drawing is None:
        raise TypeError("memory has a picture")
    return _MEMORY.drawing


def _steps(args: argparse.Namespace, progress: ProgressOf | None) -> StepChart:
    from tfprof.answers.steps_chart import steps_chart
    from tfprof.sources.load import read_one

    return steps_chart(read_one(request_of(args), progress))


@dataclass(frozen=True, slots=True)
class _Subject:
    help: str
    add_arguments: Callable[[argparse.ArgumentParser], None]
    draw: Callable[[argparse.Namespace, ProgressOf | None], Picture]


_SUBJECTS = {
    "memory": _Subject(
        _memory_drawing().help,
        lambda parser: add_options(parser, _memory_drawing().options),
        _memory,
    ),
    "steps": _Subject("what the time of each step went to", add_inputs, _steps),
}
