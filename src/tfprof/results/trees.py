"""The four views: a tree of costs by scope, graph or code, and costs by op type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field, fields
from typing import Annotated, NamedTuple, overload

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.metrics import COLUMN_OF, LOST_OF, NAMES
from tfprof.results.columns import Columns
from tfprof.results.fields import INSIDE, ROW_KEY, Key

Ints = npt.NDArray[np.int64]

ROOT_NAME = "_TFProfRoot"

Shape = tuple[int, ...]
# by the number of the input; None where the graph does not say
InputShapes = tuple[tuple[int, Shape | None], ...]


class Costs(NamedTuple):
    """A field a metric: `occurrence` is how often it ran, `defined` how many nodes there are.

    What is lost are nodes of which parameters or FLOPs are not known: they are in no sum.
    """

    params: int = 0
    float_ops: int = 0
    bytes: int = 0
    peak_bytes: int = 0
    residual_bytes: int = 0
    output_bytes: int = 0
    micros: int = 0
    accelerator_micros: int = 0
    cpu_micros: int = 0
    occurrence: int = 0
    defined: Annotated[int, INSIDE] = 0
    lost_params: Annotated[int, INSIDE] = 0
    lost_float_ops: Annotated[int, INSIDE] = 0

    def known(self, unknown: Mapping[str, str]) -> KnownCosts:
        """Without what the profile does not tell, and sums that miss a part."""
        told = (None if self.lacks(at, unknown) else self[at] for at in COLUMN_OF.values())
        return KnownCosts(*told)

    def lacks(self, column: int, unknown: Mapping[str, str]) -> bool:
        lost = LOST_OF.get(column)
        return NAMES[column] in unknown or (lost is not None and self[lost] > 0)


class KnownCosts(NamedTuple):
    """As far as they are known; None is unknown, for a reason that is told once for all rows."""

    params: int | None
    float_ops: int | None
    bytes: int | None
    peak_bytes: int | None
    residual_bytes: int | None
    output_bytes: int | None
    micros: int | None
    accelerator_micros: int | None
    cpu_micros: int | None
    occurrence: int | None


@frozen_dataclass
class CostColumns:
    """The costs of many rows: a row each, a column a metric; None where it is `unknown`."""

    matrix: Ints
    unknown: Mapping[str, str]

    def columns(self) -> Mapping[str, npt.NDArray[np.generic]]:
        return {metric: self._column(metric, at) for metric, at in COLUMN_OF.items()}

    def _column(self, metric: str, at: int) -> npt.NDArray[np.generic]:
        if metric in self.unknown:
            return np.full(len(self.matrix), None)
        lost = LOST_OF.get(at)
        values = self.matrix[:, at]
        if lost is None or not self.matrix[:, lost].any():
            return values
        return np.where(self.matrix[:, lost] > 0, np.array(None), values)


@frozen_dataclass
class TensorValue:
    """What a checkpoint holds for a node: its values one after the other, and their shape."""

    values: Sequence[object]
    shape: Shape


@frozen_dataclass
class CostRow:
    """A displayed node; `parent` is the position of the displayed one it stands under."""

    name: Annotated[str, ROW_KEY]
    parent: int
    indent: int
    accounted: bool
    own: Costs
    total: Costs
    device: str = ""


class CostRecord(NamedTuple):
    """A displayed node in data: what `columns` below has of a row."""

    id: int
    parent: int | None
    name: str
    accounted: bool
    own: Annotated[KnownCosts, Key("self")]
    total: KnownCosts


@frozen_dataclass(slots=False, eq=False)
class CostRows(Sequence[CostRow]):
    """Displayed nodes as columns; a row is made when somebody reads it.

    What follows the totals is for the text alone, and empty where it was not asked for: `shapes`
    and `values` by position, `hidden` (early style) how many nodes were passed over since the
    displayed one above, `devices` and `types` of all nodes behind a row.
    """

    names: Sequence[str]
    parent: Ints
    indent: Ints
    accounted: npt.NDArray[np.bool_]
    own: Ints
    total: Ints
    device: Sequence[str] = ()
    shapes: Mapping[int, Shape] = field(default_factory=dict)
    types: Sequence[tuple[str, ...]] = ()
    inputs: Sequence[InputShapes] = ()
    devices: Sequence[tuple[str, ...]] = ()
    hidden: Ints | None = None
    values: Mapping[int, TensorValue] = field(default_factory=dict)
    # metrics that nothing tells, with the reason
    unknown: Mapping[str, str] = field(default_factory=dict)

    def columns(self) -> Mapping[str, Iterable[object] | Columns]:
        return {
            "id": np.arange(len(self)),
            "parent": np.where(self.parent < 0, np.array(None), self.parent),
            "name": self.names,
            "accounted": self.accounted,
            "self": CostColumns(self.own, self.unknown),
            "total": CostColumns(self.total, self.unknown),
        }

    def total_of(self, metric: str) -> Ints:
        return self.total[:, COLUMN_OF[metric]]

    def rest_of(self, metric: str) -> Ints:
        """What of a row's total none of the rows below it has."""
        total = self.total_of(metric)
        below = np.zeros_like(total)
        inner = np.flatnonzero(self.parent >= 0)
        np.add.at(below, self.parent[inner], total[inner])
        found: Ints = np.maximum(total - below, 0)
        return found

    def short_names(self) -> list[str]:
        """Without the name of the row that each stands under."""
        return [
            name.removeprefix(f"{self.names[parent]}/") if parent >= 0 else name
            for name, parent in zip(self.names, self.parent.tolist(), strict=True)
        ]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostRows):
            return NotImplemented
        both = ((getattr(self, one.name), getattr(other, one.name)) for one in fields(self))
        return all(np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b for a, b in both)

    __hash__ = None  # type: ignore[assignment]  # columns can be compared, not hashed

    def __len__(self) -> int:
        return len(self.names)

    @overload
    def __getitem__(self, at: int) -> CostRow: ...
    @overload
    def __getitem__(self, at: slice) -> list[CostRow]: ...
    def __getitem__(self, at: int | slice) -> CostRow | list[CostRow]:
        if isinstance(at, slice):
            return [self[one] for one in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(at)
        return CostRow(
            self.names[at],
            int(self.parent[at]),
            int(self.indent[at]),
            bool(self.accounted[at]),
            Costs(*self.own[at].tolist()),
            Costs(*self.total[at].tolist()),
            self.device[at] if self.device else "",
        )


@frozen_dataclass
class CostTreeResult:
    """`select` is what the text shows; `style` (early, late or original) what stands around it."""

    nodes: CostRows
    select: Annotated[frozenset[str], INSIDE]
    style: Annotated[str, INSIDE]
    of_code: Annotated[bool, INSIDE] = False


@frozen_dataclass
class InputSignature:
    """Nodes of one type that read the same shapes."""

    shapes: InputShapes
    runs: int
    defined: int
    micros: int


@frozen_dataclass
class OpCostRow:
    """`total` is the sum of this row and all rows below it; `nodes` how many there are."""

    op: Annotated[str, ROW_KEY]
    known: Annotated[KnownCosts, Key("self")]
    own: Annotated[Costs, INSIDE]
    total: Annotated[Costs, INSIDE]
    nodes: Annotated[int, Key("occurrence")]
    devices: Annotated[tuple[str, ...], INSIDE] = ()
    types: Annotated[tuple[str, ...], INSIDE] = ()
    signatures: Annotated[tuple[InputSignature, ...], INSIDE] = ()


@frozen_dataclass
class OpCostsResult:
    rows: tuple[OpCostRow, ...]
    known: Annotated[KnownCosts, Key("total")]
    total: Annotated[Costs, INSIDE]
    select: Annotated[frozenset[str], INSIDE]
    style: Annotated[str, INSIDE]
    empty_graph: Annotated[bool, INSIDE] = False
    unknown: Annotated[Mapping[str, str], INSIDE] = field(default_factory=dict)
