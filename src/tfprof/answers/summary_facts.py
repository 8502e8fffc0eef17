"""The upper half of the summary: one labelled line for each thing there is to say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from tfprof.analyses.measured_memory.devices import DeviceMemory
from tfprof.analyses.params import Parameters
from tfprof.analyses.roles import Role
from tfprof.answers.digest import COMMON_DEVICE, Digest
from tfprof.answers.keras_static import in_words as keras_in_words
from tfprof.answers.kernels import kernel_facts
from tfprof.answers.static import in_words
from tfprof.answers.step_parts import step_text
from tfprof.model import units
from tfprof.model.checkpoint import Checkpoint
from tfprof.model.keras_model import KerasModel
from tfprof.model.oplog import OpLog
from tfprof.model.profile import TensorSpec
from tfprof.wire import dtypes

_OPS_SHOWN = 4
_INPUTS_SHOWN = 4
_WORDS = {
    Role.TRAINABLE: "trainable",
    Role.NON_TRAINABLE: "not trainable",
    Role.OPTIMIZER: "optimizer state",
    Role.OTHER: "other",
}


def facts(digest: Digest) -> Iterator[tuple[str, str]]:
    """Label and text; a repeated label continues the one above."""
    graph = digest.data.graph
    if graph is not None:
        yield "Nodes", f"{_nodes(digest)}, {_ops(digest)}"
        yield from _signature(digest)
        yield "Inputs", _inputs(digest)
    if digest.data.keras is not None:
        yield from _keras(digest.data.keras)
    if any(part is not None for part in (graph, digest.data.checkpoint, digest.data.keras)):
        for text in _parameters(digest.parameters):
            yield "Parameters", text
    if digest.static is not None:
        for text in in_words(digest.static):
            yield "Computes", text
    memory = "; ".join(_memory(digest))
    if memory:
        yield "Memory", memory
    if digest.keras is not None and not digest.keras.missing:
        yield "Computes", keras_in_words(digest.keras, digest.question)
    if digest.data.checkpoint is not None:
        yield "Checkpoint", _checkpoint(digest, digest.data.checkpoint)
    if digest.data.oplog is not None:
        yield "Op log", _oplog(digest, digest.data.oplog)
    yield from _run(digest)


def _keras(model: KerasModel) -> Iterator[tuple[str, str]]:
    kinds = Counter(layer.class_name for layer in model.layers)
    shown = ", ".join(f"{kind} {count}" for kind, count in kinds.most_common(_OPS_SHOWN))
    more = ", ..." if len(kinds) > _OPS_SHOWN else ""
    version = f"; Keras {model.keras_version}" if model.keras_version else ""
    yield "Model", f"{model.name}, {model.class_name}{version}"
    yield "Layers", f"{units.plural(len(model.layers), 'layer')}: {shown}{more}"
    if model.inputs:
        inputs = [f"{i.name} {i.dtype} {units.shape(i.shape)}" for i in model.inputs]
        yield "Inputs", ", ".join(inputs[:_INPUTS_SHOWN])


def _memory(digest: Digest) -> Iterator[str]:
    """What a run took at its peak, what one step is estimated to take, and which batch fits."""
    measured = max(digest.measured, key=lambda one: one.peak, default=None)
    memory = digest.memory
    if memory is None or not memory.highest.expected:
        if measured is not None:
            size, beside = units.size(measured.peak), _beside(measured)
            yield f"{size} at the peak {beside} the variables, measured"
        return
    peak = memory.highest
    batch = f" at batch {peak.batch}" if memory.is_open else ""
    estimated = f"{units.size(peak.expected)} at the peak beside the variables{batch}, estimated"
    if measured is not None:
        estimated = f"{units.size(peak.expected)} estimated{batch} beside the variables"
        if measured.highest.before is not None:
            yield f"peak {units.size(measured.peak)} measured with the variables"
            yield estimated
        else:
            yield f"peak {units.size(measured.peak)} measured, {estimated}"
    else:
        yield estimated
    if memory.fits is not None:
        fits = f"batch {memory.fits:,} fits" if memory.fits else "no batch fits"
        yield f"{fits} in {units.size(COMMON_DEVICE)}"


def _beside(device: DeviceMemory) -> str:
    """A run tells of the step alone, an allocator of all that it handed out."""
    return "beside" if device.highest.before is None else "with"


def _nodes(digest: Digest) -> str:
    text = units.plural(len(digest.part.rows), "node")
    functions = digest.part.functions
    if functions:
        inside = digest.part.function_nodes
        text += f" and {inside:,} in {units.plural(len(functions), 'function')}"
    graph = digest.data.graph
    if graph is not None and len(digest.part.rows) < len(graph):
        text += f", of {len(graph):,} in the file"
    return text


def _ops(digest: Digest) -> str:
    counts = digest.op_counts
    shown = ", ".join(f"{op} {count:,}" for op, count in list(counts.items())[:_OPS_SHOWN])
    more = ", ..." if len(counts) > _OPS_SHOWN else ""
    return f"{units.plural(len(counts), 'op type')}: {shown}{more}" if counts else "no ops"


def _signature(digest: Digest) -> Iterator[tuple[str, str]]:
    chosen = digest.part.signature
    if chosen is not None:
        outputs = ", ".join(_tensor(spec) for spec in chosen.outputs[:_INPUTS_SHOWN])
        others = [
            name
            for name, s in digest.data.declared.signatures.items()
            if s.outputs and name != chosen.name and not name.startswith("__saved_model")
        ]
        also = f" (also: {', '.join(sorted(others)[:_INPUTS_SHOWN])})" if others else ""
        yield "Signature", f"{chosen.name} gives {outputs}{also}"


def _inputs(digest: Digest) -> str:
    if digest.inputs:
        shown = ", ".join(_tensor(spec) for spec in digest.inputs[:_INPUTS_SHOWN])
        more = len(digest.inputs) - _INPUTS_SHOWN
        return shown + (f", and {more:,} more" if more > 0 else "")
    if digest.data_ops:
        return f"fetched by {', '.join(digest.data_ops[:2])}"
    return "no placeholder: the graph is fed by nothing it names"


def _tensor(spec: TensorSpec) -> str:
    return f"{spec.name} {dtypes.name(spec.dtype)} {units.shape(spec.shape)}"


def _parameters(parameters: Parameters) -> Iterator[str]:
    total = parameters.total
    trainable = parameters.by_role[Role.TRAINABLE]
    if total.value is None:
        yield f"? {total.reason}"
    elif not parameters.variables:
        yield "none: no variables, and no constants that look like weights"
    elif trainable.value is None:
        yield f"{units.exact(total.value)} in all ({units.size(parameters.bytes)})"
        yield from _others(parameters)
        yield f"trainable ? {trainable.reason}"
    else:
        size = units.size(parameters.bytes_of(Role.TRAINABLE))
        yield f"{units.exact(trainable.value)} trainable ({size})"
        others = list(_others(parameters))
        if others:
            yield from others
            yield f"{units.exact(total.value)} in all ({units.size(parameters.bytes)})"


def _others(parameters: Parameters) -> Iterator[str]:
    """What is not the model's, where that is known, in one line."""
    parts = [
        f"{units.exact(parameters.by_role[role].value or 0)} {_WORDS[role]}"
        f" ({units.size(parameters.bytes_of(role))})"
        for role in Role
        if role is not Role.TRAINABLE and parameters.of_role(role)
        if parameters.by_role[role].known and not parameters.frozen
    ]
    if parts:
        yield ", ".join(parts)


def _checkpoint(digest: Digest, checkpoint: Checkpoint) -> str:
    stored = sum(tensor.stored_bytes for tensor in checkpoint.tensors.values())
    text = (
        f"{checkpoint.version}, {units.plural(len(checkpoint.tensors), 'tensor')}, "
        f"{units.size(stored)} in {units.plural(checkpoint.shards, 'shard')}"
    )
    if digest.data.graph is None:
        return text
    held = sum(v.name in checkpoint.tensors for v in digest.parameters.variables)
    of = len(digest.parameters.variables)
    return f"{text}; {held:,} of {units.plural(of, 'variable')}"


def _oplog(digest: Digest, log: OpLog) -> str:
    said = []
    flops = digest.logged_float_ops
    if log.float_ops:
        total = sum(log.float_ops.values()) if flops is None else flops
        said.append(f"{units.count(total)} FLOPs in {units.plural(len(log.float_ops), 'node')}")
    if log.trainable:
        said.append(units.plural(len(log.trainable), "trained variable"))
    if log.has_code:
        said.append("code lines")
    return ", ".join(said) or "nothing"


def _run(digest: Digest) -> Iterator[tuple[str, str]]:
    run = digest.run
    if run is None:
        return
    a_step = " a step" if run.steps else ""
    span = f"{units.duration(run.span_us)}{a_step}"
    if not run.is_period:
        span += " from first to last op"
    steps = f"{units.plural(run.steps, 'step')} traced" if run.steps else "steps are not known"
    yield "Time", f"{span}, {steps}"
    if digest.steps is not None:
        yield "Step", step_text(digest.steps)
    places = list(run.devices.items())
    where = f" on {places[0][0]}" if len(places) == 1 else ""
    if len(places) > 1:
        where = ": " + ", ".join(f"{units.duration(us)} on {name}" for name, us in places[:3])
    own = "" if run.requested is not None else " of self time"
    ops = f"{units.duration(run.op_us)}{own}{a_step} in {run.executions:,} executions{where}"
    if run.pipeline_us:
        ops += f"; {units.duration(run.pipeline_us)} of it in the input pipeline"
    yield "Op time", ops
    if run.requested is not None and not digest.measured:  # the peak says more
        size = units.size(run.requested)
        yield "Requested", f"{size} a step, by all ops for outputs and scratch"
    if digest.data.trace is not None:
        yield from kernel_facts(digest.data.trace)
