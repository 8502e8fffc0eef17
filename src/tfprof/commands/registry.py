"""The commands by name, in the order in which help lists them.

A file of this folder that has a `COMMAND` is one. All of them are imported by `tfprof --help`, so
what takes long to import is imported inside their functions.
"""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache

import tfprof.commands
from tfprof.commands.command import Command, HelpGroup

# what is asked first stands first in its group; a name that is not here comes after those that are
_ORDER = (
    "summary", "advise", "run", "doctor",
    "layers", "memory",
    "steps", "input", "timeline", "placement",
    "scope", "graph", "op", "code",
    "diff", "check", "save", "draw", "shell", "formats", "rules", "explain",
)  # fmt: skip


@cache
def commands() -> dict[str, Command]:
    found: dict[str, Command] = {}
    for file in pkgutil.iter_modules(tfprof.commands.__path__, "tfprof.commands."):
        command = getattr(importlib.import_module(file.name), "COMMAND", None)
        if not isinstance(command, Command):
            continue  # what several commands share
        if command.name in found:
            raise ValueError(f"two commands are called {command.name!r}")
        found[command.name] = command
    return dict(sorted(found.items(), key=lambda one: _place(one[1])))


def _place(command: Command) -> tuple[int, int, str]:
    listed = _ORDER.index(command.name) if command.name in _ORDER else len(_ORDER)
    return list(HelpGroup).index(command.group), listed, command.name
