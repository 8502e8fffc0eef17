"""What layers, op types, scopes, nodes, devices, threads or kernels cost and took."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import DevicePeak
from tfprof.model.dims import Open
from tfprof.model.quantity import Quantity
from tfprof.results.calibration import Calibration
from tfprof.results.fields import AMONG, IF_KNOWN, INSIDE, ROW_KEY, Key
from tfprof.results.kernels import KernelTime
from tfprof.results.model_costs import ComputedCosts
from tfprof.results.op_times import MeasuredTime, OpTime
from tfprof.results.times import Interval


@frozen_dataclass
class RowCost:
    """What every row tells, whatever was read; `time_us` is its own time in an average step."""

    kind: Annotated[str | None, Key("class")]
    output_shape: Open
    params: Quantity
    macs: Quantity
    flops: Quantity
    flops_all: Quantity
    activation_bytes: Quantity
    peak_bytes: Quantity
    time_us: Quantity


@frozen_dataclass
class CallOfLayer:
    """Which call of a layer, and why something of it is not known."""

    call: Annotated[int, ROW_KEY]
    reason: str | None


@frozen_dataclass
class LayerTime:
    """What of the time of a layer in a step was on devices, and what on threads of hosts."""

    device_us: float | None
    host_us: float
    device_min_us: float | None
    device_max_us: float | None

    @classmethod
    def of(cls, row: OpTime) -> LayerTime:
        return cls(row.device_us, row.host_us, row.device_min_us, row.device_max_us)


@frozen_dataclass
class GroupWork:
    """The ops of a graph that are of one type or in one scope."""

    count: int
    float_ops: Quantity
    bytes_read: Quantity
    bytes_written: Quantity


@frozen_dataclass
class LayersRow:
    """`named` is the name under what the table is about: layer, op, scope, node, ...

    `beside` is what only some kinds of input tell.
    """

    named: Annotated[Mapping[str, str], AMONG]
    name: Annotated[str, ROW_KEY, INSIDE]
    cost: Annotated[RowCost, AMONG]
    beside: Annotated[CallOfLayer | LayerTime | GroupWork | OpTime | KernelTime | None, AMONG] = (
        None
    )


@frozen_dataclass
class Estimate:
    """What some ops take, and the interval that it lies in nine times of ten.

    At a device's best, `time_us` is with arithmetic and traffic at the same time, `upper_us` with
    one after the other. `measured_us` is what a step of a run took for the same ops, `efficiency`
    how near it came.
    """

    name: Annotated[str, ROW_KEY]
    count: int
    time_us: Quantity
    time_interval_us: Interval
    upper_us: Quantity
    compute_us: Quantity
    memory_us: Quantity
    bound: str
    measured_us: float | None
    efficiency: Quantity | None


@frozen_dataclass
class EstimatedTime:
    """Of a step: on a device at its best, on a calibrated machine, or both.

    `borrowed` are the families that the calibration has not seen, with those that stand for them.
    """

    device: DevicePeak | None
    kind: str
    time_us: Quantity
    time_interval_us: Interval
    rows: tuple[Estimate, ...]
    calibration: Annotated[Calibration | None, IF_KNOWN] = None
    borrowed: Mapping[str, str] = field(default_factory=dict)


@frozen_dataclass
class LayersResult:
    """`by` is what a row is; `wide` shows whole names of kernels.

    A graph or layers add the total, a run its time, a device what it would take.
    """

    rows: tuple[LayersRow, ...]
    by: str
    total: Annotated[ComputedCosts | None, IF_KNOWN] = None
    time: Annotated[MeasuredTime | None, IF_KNOWN] = None
    estimated_time: Annotated[EstimatedTime | None, IF_KNOWN] = None
    wide: Annotated[bool, INSIDE] = False
