"""What the four view commands share: inputs, options, and where the original puts the text."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tfprof.cli.dimensions import given_of
from tfprof.cli.inputs import request_of
from tfprof.cli.output import talk
from tfprof.cli.partitions import as_asked
from tfprof.cli.view_options import options_of
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.analyses.accounting.nodes import Nodes
    from tfprof.analyses.inference.sites import Given
    from tfprof.model.options import Options
    from tfprof.model.profile import ProfileData
    from tfprof.sources.load import ProgressOf
    from tfprof.views.result import Result

_OUTFILE = "outfile="
_KINDS = ("stdout", "file", "timeline", "pprof", "none")


def run_view(command: str, args: argparse.Namespace, progress: ProgressOf | None) -> Result | None:
    """The answer, for `-o` and `--json`; None once it has gone where `-output` says."""
    from tfprof.answers.views_data import start_of, view_result
    from tfprof.sources.load import read_one

    options_of(args)  # what is misspelt is said before anything is read
    given = given_of(args)
    kind, target = output_of(args)
    data = as_asked(read_one(request_of(args), progress), args)
    options = options_of(args, start_of(data))
    if kind == "stdout":
        result = view_result(command, data, options, given=given)
        warn(result.warnings)
        return result
    _deliver(command, data, options, kind, target, given)
    return None


def warn(warnings: Iterable[str]) -> None:
    """The views' own text has no place for it."""
    for warning in warnings:
        talk(f"warning: {warning}")


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
    if kind == "stdout":
        write(plain.render(view_result(command, data, options, nodes).view))
    else:
        _deliver(command, data, options, kind, target)


def output_of(args: argparse.Namespace) -> tuple[str, str]:
    """Kind and file of `-output KIND:outfile=FILE`; `-dump_to_file FILE` is an old form of it."""
    if args.viz and args.viz.lower() in ("true", "t", "yes", "y", "1"):
        talk("-viz never drew anything; -output timeline:outfile=NAME does")
    if args.dump_to_file:
        return "file", args.dump_to_file
    kind, _, keys = (args.output or "stdout").partition(":")
    if kind not in _KINDS:
        raise UsageError(f"-output does not know {kind!r}", hint=f"One of {', '.join(_KINDS)}.")
    target = keys.removeprefix(_OUTFILE) if keys.startswith(_OUTFILE) else ""
    if kind in ("file", "timeline", "pprof") and not target:
        raise UsageError(f"-output {kind} needs a name", hint=f"-output {kind}:outfile=NAME")
    return kind, target


def _deliver(
    command: str,
    data: ProfileData,
    options: Options,
    kind: str,
    target: str,
    given: Given | None = None,
) -> None:
    """Into files; each is written whole or not at all."""
    from tfprof.answers.views_data import view_result
    from tfprof.api.view_files import pprof_file, timeline_files
    from tfprof.api.writing import write_file
    from tfprof.renderers import plain

    path = Path(target)
    warnings: Iterable[str] = data.warnings
    files: dict[Path, str | bytes] = {}
    if kind == "timeline":
        files |= timeline_files(command, data, options, path)
    elif kind == "pprof":
        files[path] = pprof_file(command, data, options)
    else:
        result = view_result(command, data, options, given=given)
        warnings = result.warnings
        files |= {path: plain.render(result.view)} if kind == "file" else {}
    warn(warnings)
    for name, content in files.items():
        write_file(name, content, force=True)
        talk(f"Wrote {name}" + _VIEWERS.get(kind, ""))


_VIEWERS = {
    "timeline": "; open it in Chrome (chrome://tracing) or Perfetto",
    "pprof": "; read it with pprof -sample_index=1",
}
