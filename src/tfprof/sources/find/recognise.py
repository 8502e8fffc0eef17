"""Which format a file has: the best score wins, names break ties."""

from __future__ import annotations

import fnmatch
from pathlib import Path

from tfprof.errors import AccessDenied, EmptyFile, PathNotFound, WrongKind
from tfprof.sources.files.probe import Probe
from tfprof.sources.files.registry import Format, formats

# a file that fits less than this is damaged or foreign
_ENOUGH = 0.5
# scores this close are a tie
_CLOSE = 0.05
_MANGLED = "What was no text is lost. Copy the original again, as binary (no editor, no text mode)."


def recognise(path: Path) -> Format:
    """The format of a file, or an error that says what the file is instead."""
    try:
        probe = Probe.of_file(path)
    except FileNotFoundError:
        raise PathNotFound("no such file or folder", where=str(path)) from None
    except OSError as fault:
        raise AccessDenied.because(fault, str(path)) from None
    if probe.size == 0:
        raise EmptyFile(str(path))
    found = best_format(probe)
    if found is None:
        from tfprof.sources.find.foreign import describe

        raise WrongKind(
            f"this is {describe(probe)}",
            where=str(path),
            hint=_MANGLED if probe.is_mangled else "`tfprof formats` lists what can be read.",
        )
    return found


def best_format(probe: Probe) -> Format | None:
    """The format that fits best; None if none fits."""
    scored = [(made.score(probe), made) for made in formats().values()]
    top = max(score for score, _ in scored)
    if top < _ENOUGH:
        return None
    tied = [made for score, made in scored if score >= top - _CLOSE]
    named = [made for made in tied if _name_fits(probe.name, made)]
    return (named or tied)[0]


def _name_fits(name: str, made: Format) -> bool:
    patterns = (pattern.strip() for pattern in made.names.split(","))
    return any(fnmatch.fnmatch(name, pattern) for pattern in patterns)
