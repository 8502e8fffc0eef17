"""The commands by name, in the order in which help lists them.

A file of this folder that has a `COMMAND` is one, and has its name. All of them are imported by
`tfprof --help`, so what takes long to import is imported inside their functions.
"""

from __future__ import annotations

import importlib
from functools import cache

import tfprof.commands
from tfprof.commands.command import Command, HelpGroup
from tfprof.module_names import module_names

# what is asked first stands first in its group; a name that is not here comes after those that are
_ORDER = (
    "summary", "advise", "run", "doctor",
    "layers", "memory",
    "steps", "input", "timeline", "placement",
    "scope", "graph", "op", "code",
    "report", "diff", "log", "check", "save", "draw", "shell", "formats", "rules", "explain",
)  # fmt: skip


@cache
def commands() -> dict[str, Command]:
    found: dict[str, Command] = {}
    for name in _files():
        command = command_called(name)
        if command is not None:
            found[command.name] = command
    return dict(sorted(found.items(), key=lambda one: _place(one[1])))


def command_called(name: str) -> Command | None:
    """The command of this name, without loading the others; None if there is none."""
    if name not in _files():
        return None
    command = getattr(importlib.import_module(f"tfprof.commands.{name}"), "COMMAND", None)
    if not isinstance(command, Command):
        return None  # what several commands share
    if command.name != name:
        raise ValueError(f"the command {command.name!r} is in the file of {name!r}")
    return command


@cache
def _files() -> frozenset[str]:
    return module_names(tfprof.commands.__path__)


def _place(command: Command) -> tuple[int, int, str]:
    listed = _ORDER.index(command.name) if command.name in _ORDER else len(_ORDER)
    return list(HelpGroup).index(command.group), listed, command.name
