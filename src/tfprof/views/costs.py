"""The shapes of the four views: a tree of costs, and a list of costs by op type."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


@dataclass(frozen=True, slots=True)
class CostTreeView:
    """`style` is early, late or original: what is printed around the same numbers."""

    rows: Sequence[CostRow]
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
