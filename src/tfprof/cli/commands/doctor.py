"""The command `tfprof doctor PATH...`."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tfprof.cli.inputs import add_inputs, request_of

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

HELP = "what is here, what is taken and why, what is missing"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Result:
    from tfprof.api.ask import ask_doctor

    return ask_doctor(request_of(args), progress)
