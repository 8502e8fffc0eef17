"""Facts, tables and notes, stacked in a report. More shapes join as answers need them."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.views.trees import CostTreeView, OpCostView

Value = str | int | float | Quantity | None


class Unit(Enum):
    """What a column holds; a name is known by its end, a sentence by its beginning."""

    NAME = "name"
    PROSE = "prose"
    COUNT = "count"
    SCALED = "scaled"
    BYTES = "bytes"
    MICROS = "microseconds"
    SHARE = "share"
    # a share with its sign
    CHANGE = "change"
    NUMBER = "number"
    # ISO 8601 in UTC; a screen has the minute
    MOMENT = "moment"

    @property
    def is_number(self) -> bool:
        return self not in (Unit.NAME, Unit.PROSE, Unit.MOMENT)


@frozen_dataclass
class Column:
    """What is not `on_screen` is for formats that have room for it, and for data.

    Where a column `tells_rows` apart, names that differ look different, however they are cut.
    """

    key: str
    title: str
    unit: Unit = Unit.NAME
    on_screen: bool = True
    tells_rows: bool = False


@frozen_dataclass
class Fold:
    """How many rows a screen needs; what the rest is of the `whole`, by the sum of a column.

    Without a column the rest is only counted. `then` stands behind it.
    """

    show: int
    column: str = ""
    whole: float = 0.0
    then: str = ""


@frozen_dataclass
class Table:
    """All rows, of raw values. Only where they are read by people does a renderer fold them.

    Of many tables that are alike, a screen needs but some: others are not `on_screen`. A `wide` one
    may be wider than the screen: nothing in it is cut.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[Value]]
    title: str = ""
    fold: Fold | None = None
    on_screen: bool = True
    wide: bool = False


@frozen_dataclass
class Facts:
    """A label and what there is to say about it, a line each."""

    rows: Sequence[tuple[str, str]]


@frozen_dataclass
class Notes:
    """Sentences, each one standing alone; a screen shows the first `show` of them."""

    lines: Sequence[str]
    show: int | None = None


@frozen_dataclass
class Curve:
    name: str
    values: Sequence[float]


@frozen_dataclass
class Series:
    """Curves of bytes over the same points, such as batch sizes, or microseconds.

    Over time, a value holds from its point to the next.
    """

    points: Sequence[int]
    curves: Sequence[Curve]
    unit: Unit = Unit.COUNT

    @property
    def over_time(self) -> bool:
        return self.unit is Unit.MICROS

    @property
    def rows(self) -> Sequence[Curve]:
        return self.curves


@frozen_dataclass
class LaneBar:
    """How busy a lane of a timeline was in each of many equal stretches, 0 to 1, and in all.

    What took longest is named in its place: where it began and ended, 0 to 1 of the whole. Lanes of
    one `host` follow each other, and it is empty where there is one only.
    """

    label: str
    busy: Sequence[float]
    share: float
    named: Sequence[tuple[float, float, str]] = ()
    host: str = ""


@frozen_dataclass
class Lanes:
    """`span` is what the whole width stands for, its beginning and its end.

    A screen shows the busiest `show` of the lanes, and no `idle` ones: these have no bar. `table`
    has all lanes, for formats that draw nothing.
    """

    title: str
    span: tuple[str, str]
    rows: Sequence[LaneBar]
    table: Table
    idle: int = 0
    show: int | None = None


@frozen_dataclass
class PartKind:
    """What a part of a bar stands for: its name, and the key that gives it its colour."""

    key: str
    label: str


@frozen_dataclass
class Bar:
    """A value for each kind, and what there is to say if the bar is an odd one."""

    label: str
    parts: Sequence[float]
    note: str = ""

    @property
    def total(self) -> float:
        return sum(self.parts)


@frozen_dataclass
class Bars:
    """Bars of microseconds in the order of time, each stacked from the same kinds.

    `table` has all of them, for formats that draw nothing; `each` is what one bar is, such as a
    step.
    """

    title: str
    each: str
    kinds: Sequence[PartKind]
    rows: Sequence[Bar]
    table: Table


@frozen_dataclass
class HeatRow:
    """How many times what is usual each cell is; None where there is nothing."""

    label: str
    values: Sequence[float | None]


@frozen_dataclass
class HeatMap:
    """Rows of cells against what is usual, the worst row first.

    `row` and `column` are what these stand for, `usual` what a cell of 1 is in words. A screen
    shows the first `show` rows, and what is the median of the others. `table` has all cells, for
    formats that draw nothing.
    """

    row: str
    column: str
    labels: Sequence[str]
    rows: Sequence[HeatRow]
    usual: str
    table: Table
    show: int


Part = Facts | Table | Notes | Series | Lanes | Bars | HeatMap | CostTreeView | OpCostView


def without_empty(parts: Sequence[Part]) -> list[Part]:
    """What has something to show."""
    return [part for part in parts if (part.lines if isinstance(part, Notes) else part.rows)]


@frozen_dataclass
class OneScreen:
    """What gives way where a report has to fit one screen.

    Tables are cut to the room that is left. The first `kept_notes` notes stay; the facts with
    these labels say least, and go first. `spare` lines are left free, for a prompt.
    """

    kept_notes: int
    says_least: Sequence[str]
    spare: int = 0


@frozen_dataclass
class Report:
    title: str
    subtitle: str
    parts: Sequence[Part]
    screen: OneScreen | None = None
