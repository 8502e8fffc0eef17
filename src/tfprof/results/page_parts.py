"""What several sections of the page are made of: numbers with their kind, and tables of columns."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Kind, Quantity
from tfprof.results.columns import FieldColumns

Doubles = npt.NDArray[np.float64]


@frozen_dataclass
class Amount:
    """A number as the page writes it: `unit` says how; `text` is a formula while a size is open.

    `kind` is measured, derived, estimated, at_least or unknown, and `reason` what is missing of it.
    """

    number: float | None
    unit: str
    kind: str
    reason: str
    text: str | None = None

    @classmethod
    def of(cls, value: Quantity, unit: str) -> Amount:
        text = str(value.value) if value.known and value.number is None else None
        return cls(value.number, unit, value.kind.value, value.reason, text)

    @classmethod
    def measured(cls, number: float, unit: str) -> Amount:
        return cls(number, unit, Kind.MEASURED.value, "")


@frozen_dataclass(eq=False)
class TableColumn(FieldColumns):
    """Texts or numbers, a value a row; a number that is not there is NaN.

    `said` tells of single rows: a mark before the number or why there is none, a formula in place
    of it. Many rows say the same: it is an index into `words`, 0 for nothing.
    """

    key: str
    title: str
    unit: str
    texts: tuple[str, ...] | None
    numbers: Doubles | None
    said: npt.NDArray[np.uint16] | None
    words: tuple[CellWords, ...]


@frozen_dataclass
class CellWords:
    """What is to be said of a number: its kind, the reason, what stands in its place."""

    kind: str
    reason: str
    text: str | None


@frozen_dataclass(eq=False)
class TablePart(FieldColumns):
    """A table of any length, as columns."""

    title: str
    count: int
    parts: tuple[TableColumn, ...]


@frozen_dataclass
class FactRow:
    """A label, and what there is to say about it; a label may come again."""

    label: str
    text: str


@frozen_dataclass(eq=False)
class TableChoice(FieldColumns):
    """One of several tables about the same; `rows` is how many there are, also if some were cut."""

    by: str
    title: str
    rows: int
    table: TablePart
