"""The commands by name, in the order in which help lists them."""

from __future__ import annotations

import importlib
from functools import cache

from tfprof.commands.command import Command

# a module each, in the order of help
_NAMES = (
    "summary", "doctor",
    "layers", "memory",
    "steps", "input", "timeline", "placement",
    "scope", "graph", "op", "code",
    "draw", "shell", "formats", "rules",
)  # fmt: skip


@cache
def commands() -> dict[str, Command]:
    found: dict[str, Command] = {}
    for name in _NAMES:
        command: Command = importlib.import_module(f"tfprof.commands.{name}").COMMAND
        found[command.name] = command
    return found
