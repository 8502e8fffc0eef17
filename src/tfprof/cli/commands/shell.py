"""The command `tfprof shell PATH...`: the prompt."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tfprof.cli.inputs import add_inputs, request_of
from tfprof.cli.output import talk
from tfprof.cli.view_options import add_view_options, options_of

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf

HELP = "the tfprof prompt; commands from a pipe, too"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    add_view_options(parser)


def run(args: argparse.Namespace, progress: ProgressOf | None) -> None:
    from tfprof.cli.prompt import Prompt, run_prompt
    from tfprof.sources.load import read_one

    data = read_one(request_of(args), progress)
    for warning in data.warnings:
        talk(f"warning: {warning}")
    run_prompt(Prompt(data, options_of(args), sys.stdout.write))
