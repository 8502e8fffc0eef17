"""`[tool.tfprof]` of the nearest pyproject.toml: the only reader of settings."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tfprof.commands.options.option import Values
from tfprof.errors import InputUnreadable, UsageError

_FILE: Final = "pyproject.toml"
# the commands that a setting is for
_IGNORE: Final = ("advise", "summary")


def with_settings(values: Values, command: str) -> Values:
    """What was said, and what the project says always."""
    if command not in _IGNORE:
        return values
    return values.but(ignore=(*values.texts("ignore"), *_ignored()))


def _ignored() -> tuple[str, ...]:
    path = _nearest(Path.cwd())
    if path is None:
        return ()
    found = _table(path).get("ignore", [])
    if not isinstance(found, list) or not all(isinstance(one, str) for one in found):
        raise UsageError(
            "ignore of [tool.tfprof] is no list of names",
            where=str(path),
            hint='ignore = ["unfused-batch-norm"]',
        )
    return tuple(found)


def _nearest(folder: Path) -> Path | None:
    """Upwards from where one stands."""
    return next((one / _FILE for one in (folder, *folder.parents) if (one / _FILE).is_file()), None)


def _table(path: Path) -> dict[str, object]:
    import tomllib

    try:
        text = path.read_text(encoding="utf-8")
        if "tool.tfprof" not in text:  # most projects: not ours to judge
            return {}
        tool = tomllib.loads(text).get("tool", {})
    except (OSError, ValueError) as fault:
        raise InputUnreadable(f"no TOML: {fault}", where=str(path)) from None
    found = tool.get("tfprof", {}) if isinstance(tool, dict) else {}
    return found if isinstance(found, dict) else {}
