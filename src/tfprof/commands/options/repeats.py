"""Sides with repeats of a run, `a1,a2,a3`, and how far runs differ where there are none."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.options.option import Option, Values
from tfprof.errors import UsageError
from tfprof.late_pattern import late_pattern

if TYPE_CHECKING:
    from tfprof.model.profile import ProfileData
    from tfprof.sources.find.load import ProgressOf

RUN_NOISE = Option(
    "--run-noise",
    "how far runs of one program differ by chance, where one capture a side cannot tell",
    metavar="10%",
)
_SHARE = late_pattern(r"(\d{1,3}(?:\.\d{1,6})?)\s*%", re.ASCII)
_MOST = 100


def run_noise_of(values: Values) -> float | None:
    """A share; None where nobody says it."""
    said = values.text("run_noise")
    return None if said is None else noise_share(said)


def noise_share(said: str) -> float:
    match = _SHARE.fullmatch(said.strip())
    if match is None or float(match[1]) > _MOST:
        raise UsageError(f"{said[:40]!r} is no share for --run-noise", hint="--run-noise 3%")
    return float(match[1]) / 100


def repeats(side: str) -> list[str]:
    """A comma is between repeats; a file may be called so, too."""
    return [side] if _is_there(side) else [one for one in side.split(",") if one]


def name_of(side: str) -> str:
    """What a side is called: addresses are, without what opens doors."""
    if ":/" not in side:
        return side
    return ",".join("+".join(str(_spelt(file)) for file in _files(run)) for run in repeats(side))


def loaded(side: str, progress: ProgressOf | None) -> list[ProfileData]:
    """The repeats of a side; a plus is between files of one."""
    from tfprof.sources.find.load import Request, read_one

    found = []
    for run in repeats(side):
        try:
            found.append(read_one(Request([*map(Path, _files(run))]), progress))
        except UsageError as fault:
            # a side has no options of its own, such as --run
            raise UsageError(
                fault.what, hint=f"Name one of them; `tfprof {run}` lists them."
            ) from None
    if not found:
        raise UsageError(f"{side!r} names no file", hint="tfprof diff BEFORE AFTER")
    return found


def _files(run: str) -> list[str]:
    return [run] if _is_there(run) else [one for one in run.split("+") if one]


def _is_there(name: str) -> bool:
    """Also in a store."""
    from tfprof.sources.files.opener import opener_for

    path = _spelt(name)
    return opener_for(path).exists(path)


def _spelt(name: str) -> Path:
    from tfprof.sources.files.opener import spelt

    return spelt(Path(name))
