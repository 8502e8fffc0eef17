"""What a question came to: the result, what it was made from, and what there is to say about it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Generic, TypeVar

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.profile import ProfileData
from tfprof.printable import place
from tfprof.results.fields import INSIDE
from tfprof.results.which_run import which_run

SCHEMA = "tfprof/1"
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@frozen_dataclass
class Used:
    """A file that was read."""

    path: str
    format: str


@frozen_dataclass
class Subject:
    """What the answer is about: its name, and what was read of it in a line."""

    title: str
    recognised: str = ""

    @property
    def lines(self) -> tuple[str, str]:
        """Title and subtitle of a report."""
        return self.title, self.recognised


@frozen_dataclass
class Answered(Generic[R_co]):
    """The JSON object every command answers with, its fields in order.

    `warnings` are for programs: also why a number is null. `notes` are what a person is told.
    """

    schema: str
    command: str
    inputs: tuple[Used, ...]
    warnings: tuple[str, ...]
    data: R_co
    subject: Annotated[Subject, INSIDE]
    notes: Annotated[tuple[str, ...], INSIDE] = ()

    @property
    def files_read(self) -> tuple[Path, ...]:
        return tuple(Path(one.path) for one in self.inputs)


def answered(
    command: str,
    data: ProfileData,
    result: R,
    warnings: Iterable[str] = (),
    notes: Iterable[str] = (),
    *,
    recognised: str = "",
) -> Answered[R]:
    """About a loaded profile; `recognised` says what was read of it."""
    lines = [one for one in (recognised, which_run(data)) if one]
    subject = Subject(place(data.title), " · ".join(lines))
    used = used_inputs(data)
    return Answered(SCHEMA, command, used, tuple(warnings), result, subject, tuple(notes))


def used_inputs(data: ProfileData) -> tuple[Used, ...]:
    return tuple(Used(place(one.path), one.format) for one in data.inputs if one.used)
