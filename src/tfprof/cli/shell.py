"""`tfprof shell PATH...`: a profile is read, and the prompt opened over it."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import TYPE_CHECKING

from tfprof.cli.output import warn
from tfprof.cli.parser import values_of
from tfprof.cli.streams import to_stdout
from tfprof.commands.options.inputs import request_of
from tfprof.commands.view import query_of

if TYPE_CHECKING:
    from tfprof.sources.find.load import ProgressOf


def run(args: argparse.Namespace, progress: ProgressOf | None) -> Callable[[], int]:
    """The prompt; it opens when nobody paints progress any more."""
    from tfprof.cli.prompt import Prompt, run_prompt
    from tfprof.reports.trees import warnings_of
    from tfprof.sources.find.load import read_one

    values = values_of(args)
    start = query_of("shell", values)
    data = read_one(request_of(values, "shell"), progress)
    prompt = Prompt(data, start.settled(data), to_stdout)

    def opened() -> int:
        warn(warnings_of(data))
        return run_prompt(prompt)

    return opened
