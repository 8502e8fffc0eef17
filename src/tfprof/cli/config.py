"""Settings: `[tool.tfprof]` of the nearest pyproject.toml, and the environment. Nobody else reads.

Every option of a command has a key, `device` or only for one command `layers.device`, and a
variable, TFPROF_DEVICE. What is said in a call wins over the environment, and that over the file.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from tfprof.commands.command import Command
from tfprof.commands.options.option import Option, Takes, Values
from tfprof.commands.registry import commands
from tfprof.errors import InputUnreadable, UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern

if TYPE_CHECKING:
    from pathlib import Path

_FILE: Final = "pyproject.toml"
_NAME: Final = "tfprof"
_TABLE: Final = f"tool.{_NAME}"
# a table of ours cannot be said without one of these, however it is spelt
_MAY_BE_OURS: Final = late_pattern(rf"""tool["']?\s*(\.\s*["']?{_NAME}|[\]=])""")
_PREFIX: Final = "TFPROF_"
# tables and lists that commands ask for as they are, and which commands do
_BUDGET: Final = "budget"
_WHOLE: Final = {_BUDGET: ("check",), "ignore": ("advise", "summary")}
_NOT_OF_A_FILE: Final = ("scheduler",)
_NO_SETTING: Final = (Takes.PATHS, Takes.WORD)
_TRUE, _FALSE = ("1", "true", "yes", "on"), ("0", "false", "no", "off", "")


@frozen_dataclass
class Setting:
    """What an option is where nobody says it, and who says so."""

    value: object
    source: str


@frozen_dataclass
class ProjectFile:
    """The nearest pyproject.toml with our table; `path` is None without one."""

    path: Path | None
    table: Mapping[str, object]


def settings_of(command: Command) -> dict[str, Setting]:
    """What the environment or the project sets, by what the parser calls each option."""
    project = project_file()
    _check_keys(project)
    own = project.table.get(command.name, {})
    of_all = {
        key: value
        for key, value in project.table.items()
        if key not in commands() or not isinstance(value, Mapping)
    }
    found: dict[str, Setting] = {}
    for option in settable(command):
        variable = variable_of(option)
        if variable in os.environ:
            told = Setting(_from_text(option, os.environ[variable], variable), variable)
            found[option.dest] = told
            continue
        for table, name in ((own, f"{_TABLE}.{command.name}"), (of_all, _TABLE)):
            said = _of(table, key_of(option)) if isinstance(table, Mapping) else None
            if said is not None:
                where = f"[{name}] of {project.path}"
                _check_trust(option, where)
                found[option.dest] = Setting(_from_toml(option, said, where), where)
                break
    return found


def _check_trust(option: Option, where: str) -> None:
    """Whoever wrote a project does not say whom code is handed to, and whose is run."""
    if key_of(option) in _NOT_OF_A_FILE:
        raise UsageError(
            f"{key_of(option)} is in {where}, where it may not be",
            hint=f"Say {option.name}, or set {variable_of(option)}.",
        )


def with_settings(values: Values, command: str) -> Values:
    """With the tables and lists that a command takes whole."""
    asked = [key for key, names in _WHOLE.items() if command in names]
    if not asked:
        return values
    project = project_file()
    for key in asked:
        if key == "ignore":
            said = _names(_of(project.table, key))
            values = values.but(ignore=(*values.texts("ignore"), *said))
        else:
            values = values.but(**{key: budget_of(project)})
    return values


def budget_of(project: ProjectFile) -> Mapping[str, object]:
    """What a project is held to. A path in it is seen from the file that says it."""
    found = _of(project.table, _BUDGET)
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        raise UsageError(f"{_BUDGET} of [{_TABLE}] is no table", hint=f"[{_TABLE}.{_BUDGET}]")
    said = found.get("baseline")
    if not isinstance(said, str) or not said or project.path is None:
        return found
    folder = project.path.parent
    paths = [said] if (folder / said).exists() else said.split(",")
    return {**found, "baseline": ",".join(str(folder / one) for one in paths if one)}


def settable(command: Command) -> list[Option]:
    every = (one for section in command.options for one in section.options)
    return [one for one in every if one.takes not in _NO_SETTING and one.help]


def key_of(option: Option) -> str:
    """As it is said, with underscores."""
    return option.name.lstrip("-").replace("-", "_")


def variable_of(option: Option) -> str:
    return _PREFIX + key_of(option).upper()


def project_file(folder: Path | None = None) -> ProjectFile:
    """Upwards from a folder, or from where one stands."""
    from pathlib import Path

    try:
        start = folder or Path.cwd()
    except FileNotFoundError:  # the folder is gone
        return ProjectFile(None, {})
    above = (folder / _FILE for folder in (start, *start.parents))
    path = next((one for one in above if one.is_file()), None)
    table = {} if path is None else _table(path)
    return ProjectFile(path if table else None, table)


def _table(path: Path) -> Mapping[str, object]:
    text = ""
    try:
        text = path.read_text(encoding="utf-8")
        # most projects do not know us, or depend on us and say no more
        tool = _tools(text) if _NAME in text and _MAY_BE_OURS.search(text) else {}
    except (OSError, ValueError) as fault:
        if text and _TABLE not in text:
            return {}  # nothing of ours in it: not ours to judge
        raise InputUnreadable(f"no TOML: {fault}", where=str(path)) from None
    found = tool.get(_NAME, {}) if isinstance(tool, dict) else {}
    return found if isinstance(found, dict) else {}


@lru_cache(1)
def _tools(text: str) -> object:
    """Some commands ask twice."""
    import tomllib  # takes a while, and few have a table of ours

    return tomllib.loads(text).get("tool", {})


def _of(table: Mapping[str, object], key: str) -> object | None:
    """Words with `-` and with `_` are the same."""
    return next((table[one] for one in (key, key.replace("_", "-")) if one in table), None)


def _check_keys(project: ProjectFile) -> None:
    """A key that nobody reads is a misspelt one, also in the table of a command."""
    if not project.table:
        return
    of_command = {
        name: {key_of(one) for one in settable(command)} for name, command in commands().items()
    }
    of_all = {*of_command, *_WHOLE}.union(*of_command.values())
    _check_table(project.table, of_all, f"[{_TABLE}] of {project.path}")
    for name, known in of_command.items():
        table = project.table.get(name)
        if isinstance(table, Mapping):
            _check_table(table, known, f"[{_TABLE}.{name}] of {project.path}")


def _check_table(table: Mapping[str, object], known: set[str], where: str) -> None:
    for key in table:
        if key.replace("-", "_") not in known and key not in known:
            import difflib  # where something is misspelt

            near = difflib.get_close_matches(key, known, 1)
            hint = f"Did you mean {near[0]}?" if near else "`tfprof config` lists the settings."
            raise UsageError(f"{where} has {key!r}", hint=hint)


def _names(found: object) -> Iterator[str]:
    said = found if found is not None else []
    if not isinstance(said, list) or not all(isinstance(one, str) for one in said):
        raise UsageError(
            f"ignore of [{_TABLE}] is no list of names", hint='ignore = ["unfused-batch-norm"]'
        )
    yield from said


def _from_text(option: Option, text: str, where: str) -> object:
    match option.takes:
        case Takes.FLAG:
            if text.lower() not in (*_TRUE, *_FALSE):
                raise UsageError(f"{where}={text!r} is neither true nor false")
            is_said = text.lower() in _TRUE
            return (option.sets or True) if is_said else option.default
        case Takes.MANY:
            return [one for one in text.split(",") if one]
        case Takes.WHOLE | Takes.NUMBER:
            return _number(option, text, where)
        case _:
            return _chosen(option, text, where)


def _from_toml(option: Option, said: object, where: str) -> object:
    match option.takes:
        case Takes.FLAG if isinstance(said, bool):
            return (option.sets or True) if said else option.default
        case Takes.MANY if isinstance(said, list):
            return [str(one) for one in said]
        case Takes.WHOLE | Takes.NUMBER if isinstance(said, int | float):
            return _number(option, str(said), where)
        case Takes.TEXT | Takes.MAYBE if isinstance(said, str | int | float):
            return _chosen(
                option, str(said).lower() if isinstance(said, bool) else str(said), where
            )
        case _:
            raise UsageError(f"{key_of(option)} in {where} does not take {said!r}")


def _number(option: Option, text: str, where: str) -> float:
    try:
        return int(text) if option.takes is Takes.WHOLE else float(text)
    except ValueError:
        raise UsageError(f"{key_of(option)} in {where} is no number: {text!r}") from None


def _chosen(option: Option, text: str, where: str) -> str:
    if option.choices and text not in option.choices:
        raise UsageError(
            f"{key_of(option)} in {where} does not take {text!r}",
            hint=f"One of {', '.join(option.choices)}.",
        )
    return text
