"""The inputs every command takes: paths, and the original's flags that name a file's kind."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.sources.find.load import Request

PATHS = OptionSection(
    "",
    (
        Option("paths", "files and folders of one model", Takes.PATHS, "PATH"),
        Option("--run", "of a folder of several runs or captures, this one", metavar="NAME"),
    ),
)
BY_KIND = OptionSection(
    "inputs by kind",
    tuple(
        Option(f"--{flag}", text, metavar="FILE")
        for flag, text in (
            ("graph-path", "the graph: GraphDef, .meta or SavedModel, binary or text"),
            ("run-meta-path", "run metadata; several files, comma between them, are several steps"),
            ("op-log-path", "the op log (tfprof_log)"),
            ("checkpoint-path", "the checkpoint"),
            ("profile-path", "a profile saved by the original tool"),
            ("vars", "JSON table of the variables a function captured"),
        )
    ),
)
INPUTS = (PATHS, BY_KIND)


def request_of(values: Values, command: str) -> Request:
    """What was named; an error with the name of the command if nothing was."""
    from tfprof.sources.find.load import Request

    paths, named = [Path(path) for path in values.texts("paths")], named_of(values)
    if not paths and not named:
        raise UsageError("no file or folder given", hint=f"tfprof {command} PATH")
    return Request(paths, named, values.text("run"))


def named_of(values: Values) -> dict[str, list[Path]]:
    """The files whose kind was said."""
    named = {}
    for flag in BY_KIND.options:
        value = values.text(flag.dest)
        if value:
            parts = value.split(",") if flag.dest == "run_meta_path" else [value]
            named[flag.dest] = [Path(part) for part in parts if part]
    return named
