"""`[tool.tfprof]` of the nearest pyproject.toml: the only reader of settings."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from tfprof.commands.options.option import Values
from tfprof.errors import InputUnreadable, UsageError

_FILE: Final = "pyproject.toml"
_BUDGET: Final = "budget"


def with_settings(values: Values, command: str) -> Values:
    """What was said, and what the project says always."""
    if command != "check":
        return values
    try:
        start = Path.cwd()
    except FileNotFoundError:  # the folder is gone
        return values
    budget = tool_settings(start).get(_BUDGET, {})
    if not isinstance(budget, Mapping):
        raise UsageError(
            "budget of [tool.tfprof] is no table", hint='[tool.tfprof.budget] max-params = "5M"'
        )
    return values.but(budget=budget)


def tool_settings(start: Path) -> Mapping[str, object]:
    """What stands under [tool.tfprof], upwards from a folder; nothing without it."""
    import tomllib

    above = (folder / _FILE for folder in (start, *start.parents))
    path = next((one for one in above if one.is_file()), None)
    if path is None:
        return {}
    try:
        text = path.read_text(encoding="utf-8")
        if "tfprof" not in text:  # most projects: not ours to judge
            return {}
        tool = tomllib.loads(text).get("tool", {})
    except (OSError, ValueError) as fault:
        raise InputUnreadable(f"no TOML: {fault}", where=str(path)) from None
    found = tool.get("tfprof", {}) if isinstance(tool, dict) else {}
    return found if isinstance(found, dict) else {}
