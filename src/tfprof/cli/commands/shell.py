"""The command `tfprof shell PATH...`: the prompt."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tfprof.cli.inputs import add_inputs, request_of
from tfprof.cli.view_options import add_view_options, options_of

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf

HELP = "the tfprof prompt; commands from a pipe, too"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    add_inputs(parser)
    add_view_options(parser)


def run(args: argparse.Namespace, progress: ProgressOf | None) -> None:
    from tfprof.answers.views_data import start_of, warnings_of
    from tfprof.cli.prompt import Prompt, run_prompt
    from tfprof.cli.view_command import warn
    from tfprof.sources.load import read_one

    options_of(args)  # what is misspelt is said before anything is read
    data = read_one(request_of(args), progress)
    warn(warnings_of(data))
    run_prompt(Prompt(data, options_of(args, start_of(data)), sys.stdout.write))
