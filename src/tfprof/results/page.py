"""The page of a profile: a section a question, each from a finished result."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import ROW_KEY


@frozen_dataclass
class Section:
    """`kind` is the file of the page that shows it.

    `data` are results by name, and columns (`results/columns.py`), which stay columns of numbers.
    """

    kind: str
    data: Mapping[str, object]


@frozen_dataclass
class Absent:
    """A section that this profile has nothing for: why, and what would help."""

    kind: Annotated[str, ROW_KEY]
    why: str


@frozen_dataclass
class Page:
    """What is shown of a profile, in the order of the page."""

    title: str
    subtitle: str
    version: str
    sections: tuple[Section, ...]
    absent: tuple[Absent, ...]
    notes: tuple[str, ...] = ()


@frozen_dataclass
class SectionSize:
    """What a section takes in the file."""

    kind: Annotated[str, ROW_KEY]
    bytes: int


@frozen_dataclass
class PageWritten:
    """`written` has `bytes`; `absent` are sections with nothing to show, or without room.

    `notes` are what the page says about itself: warnings, and what was thinned out.
    """

    written: tuple[str, ...]
    bytes: int
    sections: tuple[SectionSize, ...]
    absent: tuple[Absent, ...]
    notes: tuple[str, ...]
