"""The shapes of the four views: a tree of costs, and a list of costs by op type."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.int64]

# positions in a row of costs
PARAMS, FLOAT_OPS, BYTES, PEAK, RESIDUAL, OUTPUT, MICROS, ACCELERATOR, CPU, RUNS, DEFINED = range(
    11
)

ROOT_NAME = "_TFProfRoot"

Costs = tuple[int, ...]
InputShape = tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class TensorValue:
    """What a checkpoint holds for a node: its values one after the other, and their shape."""

    values: Sequence[object]
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class CostRow:
    """A displayed node; `parent` is the position of the displayed one it stands under."""

    name: str
    parent: int
    indent: int
    accounted: bool
    own: Costs
    total: Costs
    shape: tuple[int, ...] = ()
    device: str = ""
    types: tuple[str, ...] = ()
    inputs: tuple[tuple[int, InputShape], ...] = ()
    devices: tuple[str, ...] = ()
    # early style: how many nodes were passed over since the displayed one above
    hidden: int = 0
    value: TensorValue | None = None


@dataclass(frozen=True)
class CostRows(Sequence[CostRow]):
    """Displayed nodes as columns; a row is made when somebody reads it.

    The columns with a default may be left out, and hold what every row then has.
    """

    names: Sequence[str]
    parent: Ints
    indent: Ints
    accounted: npt.NDArray[np.bool_]
    own: Ints
    total: Ints
    shape: Callable[[int], tuple[int, ...]] = lambda _: ()
    device: Callable[[int], str] = lambda _: ""
    types: Callable[[int], tuple[str, ...]] = lambda _: ()
    inputs: Callable[[int], tuple[tuple[int, InputShape], ...]] = lambda _: ()
    devices: Callable[[int], tuple[str, ...]] = lambda _: ()
    hidden: Ints | None = None
    values: Mapping[int, TensorValue] = field(default_factory=dict)

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
        at %= len(self)
        return CostRow(
            self.names[at],
            int(self.parent[at]),
            int(self.indent[at]),
            bool(self.accounted[at]),
            tuple(self.own[at].tolist()),
            tuple(self.total[at].tolist()),
            self.shape(at),
            self.device(at),
            self.types(at),
            self.inputs(at),
            self.devices(at),
            0 if self.hidden is None else int(self.hidden[at]),
            self.values.get(at),
        )


@dataclass(frozen=True, slots=True)
class CostTreeView:
    """`style` is early, late or original: what is printed around the same numbers."""

    rows: CostRows
    select: frozenset[str]
    of_code: bool = False
    style: str = "original"


@dataclass(frozen=True, slots=True)
class InputSignature:
    """Nodes of one type that read the same shapes."""

    shapes: tuple[tuple[int, InputShape], ...]
    runs: int
    defined: int
    micros: int


@dataclass(frozen=True, slots=True)
class OpCostRow:
    op: str
    own: Costs
    total: Costs
    nodes: int
    devices: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    signatures: tuple[InputSignature, ...] = ()


@dataclass(frozen=True, slots=True)
class OpCostView:
    rows: Sequence[OpCostRow]
    root_total: Costs
    select: frozenset[str]
    empty_graph: bool = False
    style: str = "original"
