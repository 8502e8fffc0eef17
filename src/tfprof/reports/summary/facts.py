"""The upper half of the summary: one labelled line for each thing there is to say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

from tfprof.model import units
from tfprof.model.quantity import Quantity
from tfprof.reports.advise.words import in_a_line
from tfprof.reports.shared.captured import device_words, version_words
from tfprof.reports.shared.logged_run import logged_text
from tfprof.reports.shared.model_costs import in_words, phases_in_words, size_text
from tfprof.reports.shared.recorded_run import run_text
from tfprof.results.advice import Severity
from tfprof.results.checkpoint import CheckpointResult
from tfprof.results.keras_model import KerasResult, TensorRow
from tfprof.results.parameters import ParamCounts
from tfprof.results.summary import (
    CaptureFacts,
    GraphFacts,
    KernelTotals,
    KnownWork,
    OpLogFacts,
    RunFacts,
    SummaryResult,
)

_SHOWN = 4
_SOME_EAGER = 0.01
# beside what is trained
_WORDS = {
    "non_trainable": "not trainable",
    "optimizer": "optimizer state",
    "other": "other",
}

Lines = Iterator[tuple[str, str]]


def facts(found: SummaryResult) -> Lines:
    """Label and text; a repeated label continues the one above."""
    ran = run_text(found.recorded) if found.recorded is not None else ""
    if ran:
        yield "Run", ran
    if found.graph is not None:
        yield from _graph(found, found.graph)
    if found.keras is not None:
        yield from _keras(found.keras)
    if any(part is not None for part in (found.graph, found.checkpoint, found.keras)):
        for text in _parameters(found.params):
            yield "Parameters", text
    for text in _computes(found):
        yield "Computes", text
    memory = "; ".join(_memory(found))
    if memory:
        yield "Memory", memory
    if found.checkpoint is not None:
        yield "Checkpoint", _checkpoint(found.checkpoint, found.params.variables)
    if found.oplog is not None:
        yield "Op log", _oplog(found.oplog)
    if found.run is not None:
        yield from _run(found, found.run)
    yield from _told(found)


def _told(found: SummaryResult) -> Lines:
    if found.logged is not None:
        yield "Logged", logged_text(found.logged)
    if found.advice is not None:
        label = "Advice" if found.advice.severity is Severity.PROBLEM else "Hint"
        yield label, f"{in_a_line(found.advice)} `{found.advised_by}`"


def _graph(found: SummaryResult, graph: GraphFacts) -> Lines:
    yield "Nodes", f"{_nodes(found, graph)}, {_ops(found.ops)}"
    chosen = graph.signature
    if chosen is not None:
        others = ", ".join(chosen.others[:_SHOWN])
        also = f" (also: {others})" if others else ""
        yield "Signature", f"{chosen.name} gives {_tensors(chosen.outputs)}{also}"
    yield "Inputs", _inputs(found.inputs, graph)


def _nodes(found: SummaryResult, graph: GraphFacts) -> str:
    nodes = _whole(found.nodes)
    text = found.nodes.kind.mark + units.plural(nodes, "node")
    if graph.functions:
        inside = _exact(found.function_nodes)
        text += f" and {inside} in {units.plural(graph.functions, 'function')}"
    if nodes < graph.nodes_in_file:
        text += f", of {graph.nodes_in_file:,} in the file"
    return text


def _whole(quantity: Quantity) -> int:
    return int(quantity.number or 0)


def _exact(quantity: Quantity) -> str:
    """With the mark of what is at least so much, or of what is not known."""
    number = units.exact(quantity.number or 0) if quantity.known else ""
    return quantity.kind.mark + number


def _ops(counts: Mapping[str, int]) -> str:
    return f"{units.plural(len(counts), 'op type')}: {_first(counts)}" if counts else "no ops"


def _first(counts: Mapping[str, int]) -> str:
    shown = ", ".join(f"{kind} {count:,}" for kind, count in list(counts.items())[:_SHOWN])
    return shown + (", ..." if len(counts) > _SHOWN else "")


def _inputs(inputs: tuple[TensorRow, ...], graph: GraphFacts) -> str:
    if inputs:
        more = len(inputs) - _SHOWN
        return _tensors(inputs) + (f", and {more:,} more" if more > 0 else "")
    if graph.fetched_by:
        return f"fetched by {', '.join(graph.fetched_by[:2])}"
    return "no placeholder: the graph is fed by nothing it names"


def _tensors(tensors: tuple[TensorRow, ...]) -> str:
    return ", ".join(f"{one.name} {one.dtype} {units.shape(one.shape)}" for one in tensors[:_SHOWN])


def _keras(model: KerasResult) -> Lines:
    kinds = dict(Counter(layer.class_name for layer in model.layers).most_common())
    version = f"; Keras {model.version}" if model.version else ""
    yield "Model", f"{model.name}, {model.class_name}{version}"
    yield "Layers", f"{units.plural(len(model.layers), 'layer')}: {_first(kinds)}"
    if model.inputs:
        yield "Inputs", _tensors(model.inputs)


def _parameters(params: ParamCounts) -> Iterator[str]:
    whole = f"{_exact(params.total)} in all ({units.size(sum(params.bytes.values()))})"
    others = list(_others(params))
    if not params.total.known:
        yield f"? {params.total.reason}"
    elif not params.variables:
        yield "none: no variables, and no constants that look like weights"
    elif not params.trainable.known:
        yield from (whole, *others, f"trainable ? {params.trainable.reason}")
    else:
        size = units.size(params.bytes_by_role.get("trainable", 0))
        yield f"{_exact(params.trainable)} trainable ({size})"
        if others:
            yield from (*others, whole)


def _others(params: ParamCounts) -> Iterator[str]:
    """What is not the model's, where that is known, in one line."""
    counts = {
        "non_trainable": params.non_trainable,
        "optimizer": params.optimizer,
        "other": params.other,
    }
    parts = [
        f"{_exact(count)} {_WORDS[role]} ({units.size(params.bytes_by_role[role])})"
        for role, count in counts.items()
        if role in params.bytes_by_role and count.known and not params.frozen
    ]
    if parts:
        yield ", ".join(parts)


def _memory(found: SummaryResult) -> Iterator[str]:
    """What a run took at its peak, what one step is estimated to take, and which batch fits."""
    measured, peak = found.measured_peak, found.estimated_peak
    if peak is None:
        if measured is not None:
            beside = "with" if measured.with_variables else "beside"
            yield f"{_size(measured.bytes)} at the peak {beside} the variables, measured"
        return
    size = _size(peak.bytes)
    batch = f" at batch {peak.batch}" if peak.batch is not None else ""
    if measured is None:
        yield f"{size} at the peak beside the variables{batch}, estimated"
    else:
        both = "; " if measured.with_variables else ", "
        held = " with the variables" if measured.with_variables else ""
        first = f"peak {_size(measured.bytes)} measured{held}"
        yield f"{first}{both}{size} estimated{batch} beside the variables"
    if peak.fits is not None:
        fits = f"batch {peak.fits:,} fits" if peak.fits else "no batch fits"
        yield f"{fits} in {units.size(peak.device_bytes)}"
    elif peak.bytes.reason:
        yield f"no batch is known to fit: {peak.bytes.reason}"


def _size(size: Quantity) -> str:
    return size.kind.mark + (units.size(_whole(size)) if size.known else "")


def _computes(found: SummaryResult) -> list[str]:
    if found.known_work is not None:
        by_layers = _by_layers(found.known_work, found.costs.computed)
        return [by_layers, *phases_in_words(found.costs)]
    return in_words(found.costs) if found.costs.phases is not None else []


def _by_layers(work: KnownWork, computed: str | None) -> str:
    least = "" if work.is_all else "at least "
    macs, flops = size_text(work.macs, "MAC"), size_text(work.flops_all, "FLOP")
    return f"{least}{macs}; {flops} with element-wise ops ({computed})"


def _checkpoint(checkpoint: CheckpointResult, variables: int) -> str:
    stored = sum(tensor.bytes for tensor in checkpoint.tensors)
    text = (
        f"{checkpoint.version}, {units.plural(len(checkpoint.tensors), 'tensor')}, "
        f"{units.size(stored)} in {units.plural(checkpoint.shards, 'shard')}"
    )
    if checkpoint.held is None:
        return text
    return f"{text}; {checkpoint.held:,} of {units.plural(variables, 'variable')}"


def _oplog(log: OpLogFacts) -> str:
    said = []
    if log.nodes:
        said.append(f"{units.count(log.float_ops)} FLOPs in {units.plural(log.nodes, 'node')}")
    if log.trained:
        said.append(units.plural(log.trained, "trained variable"))
    if log.has_code:
        said.append("code lines")
    return ", ".join(said) or "nothing"


def _run(found: SummaryResult, run: RunFacts) -> Lines:
    time = found.time
    steps = _whole(time.steps)
    span = units.duration((time.step_us if steps else time.span_us).number or 0)
    a_step = " a step" if steps else ""
    until = "" if run.is_period else " from first to last op"
    traced = f"{units.plural(steps, 'step')} traced" if steps else "steps are not known"
    on = f" on {time.host}" if time.host else ""
    yield "Time", f"{span}{a_step}{on}{until}, {traced}"
    if run.step:
        yield "Step", run.step
    if run.input:
        yield "Input", run.input
    if run.bound:
        yield "Bound", run.bound
    if run.slowest:
        yield "Slowest", run.slowest
    if run.waits_for:
        yield "Waits for", run.waits_for
    yield ("Device time", _device_time(found, run)) if run.on_device else (
        "Op time", _op_time(found, run)
    )  # fmt: skip
    phases = _phases(found, run)
    if phases:
        yield "Phases", phases
    if found.capture is not None:
        yield "Ran on", _ran_on(found.capture)
    if found.requested_bytes.known and found.measured_peak is None:  # the peak says more
        size = units.size(found.requested_bytes.number or 0)
        yield "Requested", f"{size} a step, by all ops for outputs and scratch"
    if run.kernels is not None:
        yield "Kernels", _kernels(run.kernels)


def _op_time(found: SummaryResult, run: RunFacts) -> str:
    a_step = " a step" if _whole(found.time.steps) else ""
    own = "" if found.requested_bytes.known else " of self time"
    took = units.duration(found.time.op_us.number or 0)
    ops = f"{took}{own}{a_step} in {run.executions:,} executions{_places(run.devices)}"
    if run.pipeline_us:
        ops += f"; {units.duration(run.pipeline_us)} of it in ops of the input pipeline"
    return ops


def _device_time(found: SummaryResult, run: RunFacts) -> str:
    """Kernels first: copies go on beside them."""
    a_step = " a step" if _whole(found.time.steps) else ""
    whole = found.time.op_us.number or 0
    of = " of kernels" if run.copy_us else ""
    # devices work side by side: their times are no time of a step together
    worked = {name: time for name, time in run.devices.items() if time}
    many = max(1, len(worked))
    each = f" on each of {many} devices{_between(worked)}" if many > 1 else ""
    text = f"{units.duration((whole - run.copy_us) / many)}{of}{a_step}{each}"
    text += f" in {units.plural(run.executions, 'execution')}"
    if run.copy_us:
        text += f", {units.duration(run.copy_us / many)} of copies"
    text += _places(run.devices) if many == 1 else ""
    return f"{text}; ops on the host {units.duration(run.host_us)}" if run.host_us else text


def _between(devices: Mapping[str, float]) -> str:
    """From the one that did least to the one that did most, where they differ."""
    least, most = min(devices, key=devices.__getitem__), max(devices, key=devices.__getitem__)
    low, high = units.duration(devices[least]), units.duration(devices[most])
    return "" if low == high else f" ({least} {low}, {most} {high})"


def _phases(found: SummaryResult, run: RunFacts) -> str:
    """Of a step that trains, without copies; of one that only predicts there is nothing to tell."""
    phases = found.time.phases
    if phases is None or not (phases.backward or phases.update):
        return ""
    parts = {
        # to the picosecond: the two are quotients
        name: round(getattr(phases, name) - run.phase_copies.get(name, 0.0), 6)
        for name in ("forward", "backward", "update", "other")
    }
    whole = sum(parts.values())
    return ", ".join(f"{name} {units.share(took, whole)}" for name, took in parts.items() if took)


def _ran_on(capture: CaptureFacts) -> str:
    """Hosts, devices, versions; shares of op time where there is more than one side to it."""
    some = ", ".join(capture.hosts[:_SHOWN]) + (", ..." if len(capture.hosts) > _SHOWN else "")
    hosts = f"{len(capture.hosts)} hosts: {some}" if len(capture.hosts) > 1 else some
    said = [hosts or "a host without a name", device_words(capture.devices) or "no device"]
    if capture.versions:
        said.append(version_words(capture.versions))
    if capture.device_share and capture.host_share is not None:
        said.append(
            f"op time {capture.device_share:.0%} on devices, {capture.host_share:.0%} on hosts"
        )
    if capture.eager_share is not None and capture.eager_share >= _SOME_EAGER:
        said.append(f"{capture.eager_share:.0%} of op time is of eager ops")
    return "; ".join(said)


def _places(devices: Mapping[str, float]) -> str:
    if len(devices) == 1:
        return f" on {next(iter(devices))}"
    places = list(devices.items())[:3]
    listed = ", ".join(f"{units.duration(time)} on {name}" for name, time in places)
    return f": {listed}" if listed else ""


def _kernels(ran: KernelTotals) -> str:
    launches, names = units.plural(ran.runs, "run"), units.plural(ran.kernels, "kernel")
    text = f"{units.duration(ran.time_us)} in {launches} of {names}"
    if ran.half_us:
        text += f"; {units.share(ran.half_us, ran.time_us)} in 16 bits"
    if ran.tensor_us:
        text += f", {units.share(ran.tensor_us, ran.time_us)} on tensor cores"
    if ran.idle_us:
        text += f"; {units.share(ran.idle_us, ran.time_us)} could use tensor cores and does not"
    return f"{text}: `tfprof layers --by kernel`"
