"""What the four view commands share: inputs, options, and where the original puts the text."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfprof.cli.inputs import request_of
from tfprof.cli.output import talk, write_file
from tfprof.cli.view_options import options_of
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.analyses.accounting.nodes import Nodes
    from tfprof.model.options import Options
    from tfprof.model.profile import ProfileData
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

_OUTFILE = "outfile="
_KINDS = ("stdout", "file", "none")


def run_view(command: str, args: argparse.Namespace, progress: ProgressOf | None) -> Result | None:
    """The answer, for `-o` and `--json`; None once it has gone where `-output` says."""
    from tfprof.answers.views_data import view_result
    from tfprof.api.ask import one_profile

    options = options_of(args)
    kind, target = output_of(args)
    data = one_profile(request_of(args), progress)
    result = view_result(command, data, options)
    if kind == "stdout":
        return result
    _deliver(result, kind, target)
    return None


def write_view(
    command: str,
    data: ProfileData,
    options: Options,
    args: argparse.Namespace,
    write: Callable[[str], Any],
    nodes: Nodes | None = None,
) -> None:
    """The same at the prompt, which keeps the nodes from one question to the next."""
    from tfprof.answers.views_data import view_result
    from tfprof.renderers import plain

    kind, target = output_of(args)
    result = view_result(command, data, options, nodes)
    if kind == "stdout":
        write(plain.render(result.view))
    else:
        _deliver(result, kind, target)


def output_of(args: argparse.Namespace) -> tuple[str, str]:
    """Kind and file of `-output KIND:outfile=FILE`; `-dump_to_file FILE` is an old form of it."""
    if args.dump_to_file:
        return "file", args.dump_to_file
    kind, _, keys = (args.output or "stdout").partition(":")
    if kind not in _KINDS:
        raise UsageError(f"-output does not know {kind!r}", hint=f"One of {', '.join(_KINDS)}.")
    target = keys.removeprefix(_OUTFILE) if keys.startswith(_OUTFILE) else ""
    if kind == "file" and not target:
        raise UsageError("-output file needs a name", hint="-output file:outfile=NAME")
    return kind, target


def _deliver(result: Result, kind: str, target: str) -> None:
    from tfprof.renderers import plain

    if kind == "file":
        write_file(Path(target), plain.render(result.view), force=True)
        talk(f"Wrote {target}")
