"""Pictures of curves and of columns: what `tfprof draw` draws."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.views.shapes import HeatMap, PartKind, Series


@frozen_dataclass
class Limit:
    """A level to stay below: what to say about it, and the last point where the curve does."""

    value: float
    text: str
    last: int | None = None


@frozen_dataclass
class Chart:
    title: str
    subtitle: str
    across: str  # what the points are
    up: str  # what the values are
    series: Series
    limit: Limit | None = None
    notes: Sequence[str] = ()


@frozen_dataclass
class StackLayer:
    """What one kind takes of every column, in microseconds, and of a usual one, 0 to 1."""

    kind: PartKind
    values: Sequence[float]
    share: float | None = None


@frozen_dataclass
class Mark:
    """Something to know about a column, which is counted from 0."""

    column: int
    text: str


@frozen_dataclass
class StepChart:
    """A column of time for every step, stacked from layers; the first one lies at the bottom.

    `median` is the level to compare with, if it is not that of all columns, and `level` what it
    is called; `across` is what a column is.
    """

    title: str
    subtitle: str
    labels: Sequence[str]  # the number of each step
    layers: Sequence[StackLayer]
    marks: Sequence[Mark] = ()
    notes: Sequence[str] = ()
    median: float | None = None
    level: str = "median"
    across: str = "step"

    @property
    def totals(self) -> list[float]:
        return [sum(one.values[at] for one in self.layers) for at in range(len(self.labels))]


@frozen_dataclass
class RoofPoint:
    """What did some work: FLOPs a byte, FLOPs a second, and its part of the time, 0 to 1."""

    name: str
    intensity: float
    rate: float
    share: float


@frozen_dataclass
class RooflineChart:
    """Work against what a device can do: `flops` and `bytes` a second at its best."""

    title: str
    subtitle: str
    flops: float
    bytes: float
    points: Sequence[RoofPoint]
    notes: Sequence[str] = ()

    def roof(self, intensity: float) -> float:
        return min(self.flops, intensity * self.bytes)

    @property
    def ridge(self) -> float:
        """From so many FLOPs a byte on, arithmetic is the limit and not memory."""
        return self.flops / self.bytes


@frozen_dataclass
class FlameBox:
    """A row of a tree: how deep, where its part of the whole begins and how much that is, 0 to 1.

    `label` is short, `said` is all there is to say. `kind` are those that share a colour.
    """

    depth: int
    begin: float
    width: float
    label: str
    said: str
    kind: int


@frozen_dataclass
class FlameChart:
    """A tree of parts, the whole at the top; what is too narrow to be seen is in no box."""

    title: str
    subtitle: str
    boxes: Sequence[FlameBox]
    notes: Sequence[str] = ()


@frozen_dataclass
class GraphBox:
    """A scope or an op: its name, what it costs in words, and how much of the most, 0 to 1.

    `heat` is None where nothing is known of it. `said` is all there is to say.
    """

    label: str
    cost: str
    heat: float | None
    said: str
    is_scope: bool


@frozen_dataclass
class GraphLink:
    """What flows from a box to another, both counted from 0."""

    source: int
    target: int
    label: str
    count: int


@frozen_dataclass
class GraphChart:
    """Boxes and what flows between them, from the inputs down."""

    title: str
    subtitle: str
    boxes: Sequence[GraphBox]
    links: Sequence[GraphLink]
    notes: Sequence[str] = ()


@frozen_dataclass
class HeatChart:
    title: str
    subtitle: str
    map: HeatMap
    notes: Sequence[str] = ()


@frozen_dataclass
class RunPoint:
    """A run: when, what its steps took in microseconds, and what was expected: from, to.

    `mark` is what to say beside one that is a change, `said` is all there is to say.
    """

    when: str
    value: float
    said: str
    expected: tuple[float, float] | None = None
    mark: str = ""
    is_worse: bool = False


@frozen_dataclass
class HistoryPanel:
    """Runs of the same work in the order of time."""

    title: str
    points: Sequence[RunPoint]


@frozen_dataclass
class HistoryChart:
    """A panel for each kind of work: they have no scale in common."""

    title: str
    subtitle: str
    panels: Sequence[HistoryPanel]
    notes: Sequence[str] = ()


Picture = Chart | HeatChart | StepChart | RooflineChart | FlameChart | GraphChart | HistoryChart
