"""`tfprof input PATH...`: the tf.data pipeline, and the stage that keeps the model waiting."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tfprof.cli.inputs import add_inputs, request_of

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "the tf.data pipeline: what each stage takes, and the bottleneck"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Result:
    from tfprof.answers.input import input_answer
    from tfprof.sources.load import read_one

    return input_answer(read_one(request_of(args), progress))
