"""What the four view commands share: inputs, options, and where the original would put the text."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from tfprof.cli.inputs import request_of
from tfprof.cli.view_options import options_of
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

_OUTFILE = "outfile="


def run_view(command: str, args: argparse.Namespace, progress: ProgressOf | None) -> Result:
    from tfprof.api.ask import ask_view

    options = options_of(args)
    _direct_output(args)
    return ask_view(command, request_of(args), options, progress)


def _direct_output(args: argparse.Namespace) -> None:
    """The original's `-output` and `-dump_to_file` in terms of `-o`."""
    target = args.dump_to_file
    kind, _, keys = (args.output or "stdout").partition(":")
    if kind == "file":
        if not keys.startswith(_OUTFILE):
            raise UsageError("-output file needs a name", hint="-output file:outfile=NAME")
        target = keys.removeprefix(_OUTFILE)
    elif kind == "none":
        args.silent = True
    elif kind != "stdout":
        raise UsageError(f"-output {kind} is not one of stdout, file, none")
    if target:
        args.output_file, args.format, args.force = target, args.format or "txt", True
