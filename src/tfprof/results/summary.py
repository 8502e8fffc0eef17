"""What a model is, what it costs, where the cost sits; or several models, a row each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import Size
from tfprof.model.hosts import LeftOut
from tfprof.model.quantity import Quantity
from tfprof.results.advice import Finding
from tfprof.results.answered import Used
from tfprof.results.checkpoint import CheckpointResult
from tfprof.results.fields import AMONG, IF_KNOWN, INSIDE, ROW_KEY
from tfprof.results.keras_model import KerasResult, TensorRow
from tfprof.results.logged_run import LoggedRun
from tfprof.results.missing import MissingInput
from tfprof.results.model_costs import ComputedCosts
from tfprof.results.parameters import ParamCounts
from tfprof.results.recorded_run import RecordedRun


@frozen_dataclass
class NodeTime:
    """What a node cost in an average step."""

    name: Annotated[str, ROW_KEY]
    op: str | None
    time_us: float
    requested_bytes: float | None
    runs: int
    copy_us: Annotated[float, INSIDE] = 0.0


@frozen_dataclass
class LayerParams:
    name: Annotated[str, ROW_KEY]
    op: str
    params: Quantity
    shapes: tuple[tuple[int, ...], ...]
    trainable: bool


@frozen_dataclass
class VariableParams:
    name: Annotated[str, ROW_KEY]
    op: str | None
    shape: tuple[int | None, ...]
    params: int
    role: str | None


TopRows = tuple[NodeTime, ...] | tuple[LayerParams, ...] | tuple[VariableParams, ...]


@frozen_dataclass
class PhaseTimes:
    """Own time of ops in a step, by the phase of training that they belong to."""

    forward: float
    backward: float
    update: float
    other: float


@frozen_dataclass
class TimeResult:
    """`op_us` is the time of the devices where one was recorded, which `device_us` then is, too.

    `host_us` is what ops took on threads of hosts; `phases` are of `op_us`. Of several hosts,
    steps are those of `host`, ops are of all, and `input_bound_host` waits longest for input.
    """

    step_us: Quantity
    op_us: Quantity
    span_us: Quantity
    steps: Quantity
    device_us: Quantity
    host_us: Quantity
    phases: PhaseTimes | None
    input_bound: Annotated[Quantity | None, IF_KNOWN]
    host: Annotated[str | None, IF_KNOWN] = None
    input_bound_host: Annotated[str | None, IF_KNOWN] = None


@frozen_dataclass
class DeviceKind:
    """Devices that are alike; `working` are those of them that did something."""

    kind: Annotated[str, ROW_KEY]
    count: int
    working: int
    memory_bytes: int | None


@frozen_dataclass
class CaptureFacts:
    """Where it was recorded, and by what; shares are of the time of all ops, on either side."""

    hosts: tuple[str, ...]
    devices: tuple[DeviceKind, ...]
    versions: Mapping[str, str]
    host_share: float | None
    device_share: float | None
    eager_share: float | None
    left_out: tuple[LeftOut, ...] = ()


@frozen_dataclass
class KernelTotals:
    """Of all kernels; `idle_us`: of those that could use tensor cores and do not.

    `half_us` is in 16 bits or fewer, `tensor_us` on tensor or matrix cores.
    """

    time_us: float
    runs: int
    kernels: int
    idle_us: float
    half_us: float
    tensor_us: float


@frozen_dataclass
class RunFacts:
    """What else there is to say of a run.

    `is_period`: a step lasts until the next begins. `step` tells what its time went to, `input` of
    another host that waits longer for its input, `waits_for` the stage of the input that holds it
    up, if one does, `bound` what the steps of devices are bound by, `slowest` which of several
    hosts is behind, `missing` what was not recorded.
    """

    executions: int
    is_period: bool
    pipeline_us: float
    devices: Mapping[str, float]
    step: str
    input: str
    waits_for: str
    kernels: KernelTotals | None
    host_us: float
    copy_us: float
    phase_copies: Mapping[str, float]
    on_device: bool
    bound: str
    slowest: str
    missing: tuple[str, ...]


@frozen_dataclass
class MeasuredPeak:
    bytes: Quantity
    with_variables: bool


@frozen_dataclass
class EstimatedPeak:
    """`batch` is the one that was taken as nothing says it; `fits` the one for `device_bytes`."""

    bytes: Quantity
    batch: int | None
    fits: int | None
    device_bytes: int


@frozen_dataclass
class SignatureRow:
    """The one that is looked at, and the names of the others."""

    name: str
    outputs: tuple[TensorRow, ...]
    others: tuple[str, ...]


@frozen_dataclass
class GraphFacts:
    """`fetched_by`: ops that fetch their own data."""

    nodes_in_file: int
    functions: int
    signature: SignatureRow | None
    fetched_by: tuple[str, ...]


@frozen_dataclass
class OpLogFacts:
    """FLOPs that are said, of how many nodes; how many variables are trained."""

    float_ops: int
    nodes: int
    trained: int
    has_code: bool


@frozen_dataclass
class KnownWork:
    """What the layers compute that are known."""

    macs: Size
    flops_all: Size
    is_all: bool


@frozen_dataclass
class SummaryResult:
    """`top` are the first of the `costliest`; `estimated_batch` is that of estimated memory.

    `advice` is the finding that gains most, `advised_by` the command that tells all.
    """

    params: ParamCounts
    costs: Annotated[ComputedCosts, AMONG]
    peak_memory: Mapping[str, Quantity] | None
    memory_kind: str | None
    estimated_peak_memory: Annotated[Mapping[str, Quantity] | None, IF_KNOWN]
    estimated_batch: Annotated[int | None, IF_KNOWN]
    time: TimeResult
    capture: Annotated[CaptureFacts | None, IF_KNOWN]
    requested_bytes: Quantity
    nodes: Quantity
    function_nodes: Quantity
    ops: Mapping[str, int]
    inputs: tuple[TensorRow, ...]
    top: TopRows
    top_by: str | None
    checkpoint: Annotated[CheckpointResult | None, IF_KNOWN]
    keras: Annotated[KerasResult | None, IF_KNOWN]
    costliest: Annotated[TopRows, INSIDE]
    graph: Annotated[GraphFacts | None, INSIDE]
    run: Annotated[RunFacts | None, INSIDE]
    measured_peak: Annotated[MeasuredPeak | None, INSIDE]
    estimated_peak: Annotated[EstimatedPeak | None, INSIDE]
    known_work: Annotated[KnownWork | None, INSIDE]
    oplog: Annotated[OpLogFacts | None, INSIDE]
    missing: Annotated[tuple[MissingInput, ...], INSIDE]
    recorded: Annotated[RecordedRun | None, IF_KNOWN] = None
    logged: Annotated[LoggedRun | None, IF_KNOWN] = None
    advice: Annotated[Finding | None, IF_KNOWN] = None
    advised_by: Annotated[str, INSIDE] = ""


@frozen_dataclass
class ModelTime:
    step_us: Quantity


@frozen_dataclass
class ModelRow:
    name: Annotated[str, ROW_KEY]
    inputs: tuple[Used, ...]
    nodes: Quantity
    params: ParamCounts
    time: ModelTime


@frozen_dataclass
class ModelsResult:
    """Largest first."""

    models: tuple[ModelRow, ...]
