"""The answer of `tfprof config`: only the command line knows where settings come from."""

from __future__ import annotations

import argparse
import difflib
from typing import TYPE_CHECKING

from tfprof.cli.config import (
    Setting,
    budget_of,
    key_of,
    project_file,
    settable,
    settings_of,
    variable_of,
)
from tfprof.commands import check
from tfprof.commands.command import Command
from tfprof.commands.registry import commands
from tfprof.errors import UsageError
from tfprof.results.config import ConfigResult, ConfigValue

if TYPE_CHECKING:
    from tfprof.results.answered import Answered
    from tfprof.sources.find.load import ProgressOf

NAME = "config"
_DEFAULT = "default"
_MORE = "`tfprof config COMMAND` lists all settings of a command."


def run(args: argparse.Namespace, _progress: ProgressOf | None) -> Answered[object]:
    asked: list[str] = args.about
    if not asked:
        values = tuple(
            one
            for command in commands().values()
            for one in _values(command)
            if one.source != _DEFAULT
        )
        return _answered("what is set", values, (_MORE,))
    return _answered(", ".join(asked), tuple(v for name in asked for v in _values(_named(name))))


def _answered(
    title: str, values: tuple[ConfigValue, ...], notes: tuple[str, ...] = ()
) -> Answered[object]:
    from tfprof.results.answered import SCHEMA, Answered, Subject  # loads numpy, help must not

    path = project_file().path
    result = ConfigResult(values, None if path is None else str(path))
    return Answered(SCHEMA, NAME, (), (), result, Subject(title), notes)


def _named(name: str) -> Command:
    if name in commands():
        return commands()[name]
    near = difflib.get_close_matches(name, commands(), 1)
    hint = f"Did you mean {near[0]}?" if near else "`tfprof --help` lists the commands."
    raise UsageError(f"no command is called {name!r}", hint=hint)


def _values(command: Command) -> list[ConfigValue]:
    """Words that only set another option, as --train does, are not listed."""
    found = {**_budget(command), **settings_of(command)}
    return [
        ConfigValue(
            f"{command.name}.{key_of(one)}",
            _text(found[one.dest].value if one.dest in found else one.default),
            found[one.dest].source if one.dest in found else _DEFAULT,
            variable_of(one),
        )
        for one in settable(command)
        if not one.sets
    ]


def _budget(command: Command) -> dict[str, Setting]:
    """What a project is held to are options of `check` by another name."""
    if command is not check.COMMAND:
        return {}
    project = project_file()
    source = f"[tool.tfprof.budget] of {project.path}"
    words = check.words_of(budget_of(project))
    return {key: Setting(value, source) for key, value in words.items()}


def _text(value: object) -> str | None:
    if value is None or value == []:
        return None
    return ",".join(map(str, value)) if isinstance(value, list) else str(value)
