"""The first section of the page: what it is and costs, what takes most, what to change."""

from __future__ import annotations

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.advice import Finding
from tfprof.results.page_parts import Amount


@frozen_dataclass
class Card:
    """A number to begin with; `note` is what it is of, `section` where there is more about it.

    `tone` is problem where the number says that something is wrong, else empty.
    """

    label: str
    amount: Amount
    note: str
    section: str
    tone: str = ""


@frozen_dataclass
class PageVerdict:
    """What there is to know first, in a sentence; `tone` is problem, hint or fine."""

    text: str
    tone: str
    section: str


@frozen_dataclass
class Advised:
    """A finding, and the section with its evidence."""

    finding: Finding
    section: str


@frozen_dataclass
class PhasePart:
    """A part of training: its share of the op time of a step, or of its multiply-adds."""

    name: str
    amount: Amount
