"""`tfprof steps PATH...`: what the time of each step went to."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tfprof.cli.inputs import add_inputs, request_of

if TYPE_CHECKING:
    from tfprof.answers.steps import StepsQuestion
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "what each step's time went to: compute, input, host, idle"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    group = parser.add_argument_group("steps")
    group.add_argument("--step", type=int, metavar="N", help="one step, and what was in it")
    group.add_argument("--events", metavar="CATEGORY", help="the events behind one category")
    group.add_argument("--gaps", action="store_true",
                       help="the longest gaps of devices, and what the host did")  # fmt: skip
    group.add_argument("--device", metavar="DEVICE", help="with only one of several devices")


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Result:
    from tfprof.answers.steps import steps
    from tfprof.sources.load import read_one

    return steps(read_one(request_of(args), progress), question_of(args))


def question_of(args: argparse.Namespace) -> StepsQuestion:
    from tfprof.answers.steps import StepsQuestion

    return StepsQuestion(args.step, args.events, gaps=args.gaps, device=args.device)
