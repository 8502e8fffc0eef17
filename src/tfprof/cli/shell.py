"""`tfprof shell PATH...`: a profile is read, and the prompt opened over it."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tfprof.cli.output import warn
from tfprof.cli.parser import values_of
from tfprof.commands.options.inputs import request_of
from tfprof.commands.view import query_of

if TYPE_CHECKING:
    from tfprof.sources.find.load import ProgressOf


def run(args: argparse.Namespace, progress: ProgressOf | None) -> None:
    from tfprof.cli.prompt import Prompt, run_prompt
    from tfprof.reports.trees import warnings_of
    from tfprof.sources.find.load import read_one

    values = values_of(args)
    start = query_of("shell", values)
    data = read_one(request_of(values, "shell"), progress)
    warn(warnings_of(data))
    run_prompt(Prompt(data, start.settled(data), sys.stdout.write))
