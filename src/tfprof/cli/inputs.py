"""The inputs every command takes: paths, and the original's flags that name a file's kind."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.sources.load import Request

_FLAGS = {
    "graph_path": "the graph: GraphDef, .meta or SavedModel, binary or text",
    "run_meta_path": "run metadata; several files, comma between them, are several steps",
    "op_log_path": "the op log (tfprof_log)",
    "checkpoint_path": "the checkpoint",
    "profile_path": "a profile saved by the original tool",
    "vars": "JSON table of the variables a function captured",
}


def add_inputs(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paths", nargs="*", metavar="PATH", help="files and folders of one model")
    group = parser.add_argument_group("inputs by kind")
    for flag, text in _FLAGS.items():
        group.add_argument(f"--{flag.replace('_', '-')}", dest=flag, metavar="FILE", help=text)


def request_of(args: argparse.Namespace) -> Request:
    from tfprof.sources.load import Request

    named = {}
    for flag in _FLAGS:
        value = getattr(args, flag)
        if value:
            parts = value.split(",") if flag == "run_meta_path" else [value]
            named[flag] = [Path(part) for part in parts if part]
    if not args.paths and not named:
        raise UsageError("no file or folder given", hint=f"tfprof {args.command} PATH")
    return Request([Path(path) for path in args.paths], named)
