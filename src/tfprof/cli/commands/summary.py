"""`tfprof summary PATH...`, and what `tfprof PATH...` means."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tfprof.cli.dimensions import add_dimensions, question_of
from tfprof.cli.inputs import add_inputs, request_of

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "what this model is, what it costs, where the cost sits"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    add_dimensions(parser)
    parser.add_argument(
        "--stats",
        action="store_true",
        help="read every value of a checkpoint: extremes, NaN, zeros",
    )
    parser.add_argument(
        "--signature", metavar="NAME", help="of a SavedModel (default: serving_default)"
    )


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Result:
    from tfprof.api.ask import ask_summary

    question = question_of(args)
    return ask_summary(
        request_of(args), progress, args.signature, stats=args.stats, question=question
    )
