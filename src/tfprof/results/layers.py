"""What layers, op types, scopes, nodes, devices, threads or kernels cost and took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

from tfprof.model.device import Device
from tfprof.model.dims import Open
from tfprof.model.quantity import Quantity
from tfprof.results.computed import ComputedCosts
from tfprof.results.fields import AMONG, IF_KNOWN, INSIDE, ROW_KEY, Key
from tfprof.results.kernels import KernelTime
from tfprof.results.op_times import MeasuredTime, OpTime


@dataclass(frozen=True, slots=True)
class LayerCost:
    """A layer of a graph, or of a run alone; `time_us` is its own time in an average step."""

    layer: Annotated[str, ROW_KEY]
    kind: Annotated[str | None, Key("class")]
    output_shape: Open
    params: Quantity
    macs: Quantity
    flops: Quantity
    flops_all: Quantity
    activation_bytes: Quantity
    peak_bytes: Quantity
    time_us: Quantity


@dataclass(frozen=True, slots=True)
class KerasLayerCost:
    """One call of a layer, by the configuration of its model.

    `reason` says why something is not known. `output` is the shape at the sizes that were given.
    """

    layer: Annotated[str, ROW_KEY]
    kind: Annotated[str, Key("class")]
    call: Annotated[int, ROW_KEY]
    output_shape: Open
    params: Quantity
    macs: Quantity
    flops: Quantity
    activation_bytes: Quantity
    reason: str | None
    peak_bytes: Quantity
    time_us: Quantity
    output: Annotated[Open, INSIDE]


@dataclass(frozen=True, slots=True)
class GroupCost:
    """The ops of a graph that are of one type or in one scope, which is what `row` says."""

    row: Annotated[Mapping[str, str], AMONG]
    name: Annotated[str, ROW_KEY, INSIDE]
    count: int
    macs: Quantity
    flops: Quantity
    flops_all: Quantity
    float_ops: Quantity
    bytes_read: Quantity
    bytes_written: Quantity


@dataclass(frozen=True, slots=True)
class Estimate:
    """What some ops would take at best, run one after the other, and at most.

    `measured_us` is what a step of a run took for the same ops, `efficiency` how near it came.
    """

    name: Annotated[str, ROW_KEY]
    count: int
    time_us: Quantity
    upper_us: Quantity
    compute_us: Quantity
    memory_us: Quantity
    bound: str
    measured_us: float | None
    efficiency: Quantity | None


@dataclass(frozen=True, slots=True)
class EstimatedTime:
    device: Device
    kind: str
    rows: tuple[Estimate, ...]


Rows = (
    tuple[LayerCost, ...]
    | tuple[KerasLayerCost, ...]
    | tuple[GroupCost, ...]
    | tuple[OpTime, ...]
    | tuple[KernelTime, ...]
)


@dataclass(frozen=True, slots=True)
class LayersResult:
    """`by` is what a row is. A graph adds the total, a run its time, a device what it would take.

    `by_layers` is the total by the configuration of a Keras model.
    """

    rows: Rows
    total: Annotated[ComputedCosts | None, IF_KNOWN] = None
    time: Annotated[MeasuredTime | None, IF_KNOWN] = None
    estimated_time: Annotated[EstimatedTime | None, IF_KNOWN] = None
    by: Annotated[str, INSIDE] = "layer"
    by_layers: Annotated[ComputedCosts | None, INSIDE] = None
