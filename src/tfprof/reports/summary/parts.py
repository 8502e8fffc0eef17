"""What analyses found, as the parts of a result."""

from __future__ import annotations

from tfprof.analyses.inference.fed_batch import fed_batch
from tfprof.model.dims import BATCH
from tfprof.model.graph import Graph
from tfprof.model.hosts import Hosts
from tfprof.model.oplog import OpLog
from tfprof.model.profile import TensorSpec
from tfprof.model.quantity import Quantity
from tfprof.reports.shared.digest import COMMON_DEVICE, Digest
from tfprof.reports.shared.input_bound import NO_OPS, step_text
from tfprof.reports.shared.missing_sizes import bytes_known
from tfprof.reports.shared.words import NO_STEPS, of_host
from tfprof.reports.summary.late import of_devices
from tfprof.reports.summary.slow_input import slow_stage
from tfprof.reports.summary.whose import whose
from tfprof.results.device_work import Phase
from tfprof.results.keras_model import TensorRow
from tfprof.results.step_average import StepAverage
from tfprof.results.summary import (
    EstimatedPeak,
    GraphFacts,
    KernelTotals,
    MeasuredPeak,
    OpLogFacts,
    PhaseTimes,
    RunFacts,
    SignatureRow,
    TimeResult,
)
from tfprof.wire import dtypes

NO_GRAPH = "no graph was given"
NO_RUN = "no run was given"
NOT_TOLD = "a capture does not tell"
NO_DEVICE = "no device was recorded"

Peaks = dict[str, Quantity]


def nodes_of(known: Digest) -> tuple[Quantity, Quantity]:
    """Of the model, and of the functions it calls."""
    if known.data.graph is None:
        return Quantity.unknown(NO_GRAPH), Quantity.unknown(NO_GRAPH)
    nodes, inside, cut = len(known.part.rows), known.part.function_nodes, known.data.graph.cut
    if cut:
        return Quantity.part(nodes, cut), Quantity.part(inside, cut)
    return Quantity.derived(nodes), Quantity.derived(inside)


def graph_facts(known: Digest, graph: Graph) -> GraphFacts:
    return GraphFacts(
        len(graph), len(known.part.functions), _signature(known), tuple(known.data_ops)
    )


def _signature(known: Digest) -> SignatureRow | None:
    chosen = known.part.signature
    if chosen is None:
        return None
    others = [
        name
        for name, one in known.data.declared.signatures.items()
        if one.outputs and name != chosen.name and not name.startswith("__saved_model")
    ]
    outputs = tuple(tensor_row(one) for one in chosen.outputs)
    return SignatureRow(chosen.name, outputs, tuple(sorted(others)))


def tensor_row(spec: TensorSpec) -> TensorRow:
    return TensorRow(spec.name, dtypes.name(spec.dtype), spec.shape)


def oplog_facts(known: Digest, log: OpLog) -> OpLogFacts:
    whole = sum(log.float_ops.values()) if known.logged is None else known.logged.float_ops
    return OpLogFacts(whole, len(log.float_ops), len(log.trainable), log.has_code)


def peaks_of(known: Digest) -> tuple[Peaks | None, str | None, Peaks | None]:
    """By device, and their kind; what was measured comes before what is estimated."""
    memory = known.memory
    estimated = None
    if memory is not None:
        estimated = {
            name: bytes_known(one.expected, memory.missing) for name, one in memory.peaks.items()
        }
    if not known.measured:
        return estimated, "estimated" if estimated is not None else None, None
    measured = {one.device: one.highest.measured_peak for one in known.measured}
    return measured, "measured", estimated


def estimated_batch(known: Digest) -> int | None:
    """The batch of what is estimated: as it was said, or one sample where nothing says it."""
    if known.memory is None:
        return None
    assumed = known.memory.highest.batch if known.memory.is_open else None
    fed = fed_batch(known.data.graph, known.question.feeds)
    return known.question.sizes.get(BATCH, assumed if fed is None else fed)


def measured_peak(known: Digest) -> MeasuredPeak | None:
    """The highest. A run tells of the step alone, an allocator of all that it handed out."""
    highest = max(known.measured, key=lambda one: one.peak, default=None)
    if highest is None:
        return None
    one = highest.highest
    return MeasuredPeak(one.measured_peak, with_variables=one.with_variables)


def estimated_peak(known: Digest) -> EstimatedPeak | None:
    memory = known.memory
    if memory is None or not (memory.highest.expected or memory.missing):
        return None
    peak = memory.highest
    batch = peak.batch if memory.is_open else None
    size = bytes_known(peak.expected, memory.missing)
    return EstimatedPeak(size, batch, memory.fits, COMMON_DEVICE)


def time_of(known: Digest) -> TimeResult:
    run, of = known.run, whose(known)
    bound = None
    if known.steps is not None:
        bound = Quantity.unknown(NO_OPS) if of.share is None else Quantity.measured(of.share)
    if run is None:
        lost = Quantity.unknown(NO_RUN)
        return TimeResult(lost, lost, lost, lost, lost, lost, None, bound, of.counted, of.waits)
    step = steps = Quantity.unknown(NO_STEPS)
    if run.steps:
        step, steps = Quantity.measured(run.span_us), Quantity.measured(run.steps)
    span = Quantity.measured(run.span_us * max(1, run.steps))
    device = Quantity.unknown(NO_DEVICE)
    if run.device_us is not None:
        device = Quantity.measured(run.device_us)
    phases = PhaseTimes(*(run.phases.get(one.value, 0.0) for one in Phase))
    op, host = Quantity.measured(run.op_us), Quantity.measured(run.host_us)
    return TimeResult(step, op, span, steps, device, host, phases, bound, of.counted, of.waits)


def requested_of(known: Digest) -> Quantity:
    if known.run is None:
        return Quantity.unknown(NO_RUN)
    requested = known.run.requested
    return Quantity.unknown(NOT_TOLD) if requested is None else Quantity.measured(requested)


def run_facts(known: Digest, run: StepAverage) -> RunFacts:
    found, of = known.steps, whose(known)
    step = step_text(found.average(), found.input_share) if found is not None else ""
    hosts = known.data.hosts
    slow = slow_stage(hosts, of, known.data.graph)
    waits = of.input_text(slow)
    devices = of_devices(known)
    return RunFacts(
        run.executions,
        run.is_period,
        run.pipeline_us,
        run.devices,
        of_host(of.shown, step),
        waits,
        "" if waits else of_host(of.shown, slow),
        _kernels(hosts),
        run.host_us,
        run.copy_us,
        run.phase_copies,
        run.device_us is not None,
        devices.bound,
        devices.slowest,
        devices.missing,
    )


def _kernels(hosts: Hosts) -> KernelTotals | None:
    from tfprof.analyses.runtime.kernels import kernels_of

    found = [one for one in kernels_of(hosts).finish() if not one.is_copy]
    if not found:
        return None
    return KernelTotals(
        sum(one.total_us for one in found),
        sum(one.runs for one in found),
        len({one.kernel for one in found}),
        sum(one.total_us for one in found if one.launch.could_do_better),
        sum(one.half_us for one in found),
        sum(one.total_us for one in found if one.launch.uses_tensor_cores),
    )
