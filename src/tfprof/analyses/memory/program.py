"""The ops of a step as the memory model sees them: who waits for whom, what each allocates."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from tfprof.analyses.cost.op_costs import OpCost, OpCosts
from tfprof.analyses.inference.sites import Site
from tfprof.analyses.memory.op_times import duration, is_cheap
from tfprof.analyses.memory.steps import (
    NOTHING,
    Line,
    Location,
    OpOutput,
    ProgramStep,
    Taken,
)
from tfprof.analyses.memory.unrolled import Unrolled
from tfprof.analyses.training.loop_gradients import InRounds
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.device import DeviceSpec, short_names
from tfprof.model.dims import BATCH, Dim, Size, elements, packed, symbols
from tfprof.model.graph import Graph
from tfprof.model.remembered import remembered
from tfprof.ops.rule import Call, Rule, Tensor
from tfprof.ops.shape_tools import no_output
from tfprof.wire import dtypes

CPU = "/cpu:0"
_CONVOLUTIONS = "convolutions"
_WORKSPACE = 32 * 2**20
LAST_CACHE = 256 * 2**20
_EACH_ITS_OWN = ("IdentityN", "_ReadVariablesOp")
_MERGES = ("Merge", "RefMerge")
_FED = ("Placeholder", "PlaceholderV2")
_SPARSE = late_pattern(r"Resource(Gather|Scatter|SparseApply)")
_IN_PLACE, _APPLIES = ("AssignAddVariableOp", "AssignSubVariableOp"), late_pattern("ResourceApply")
_WHOLE_UPDATES = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")


@frozen_dataclass
class MemoryModel:
    """How a device allocates: in blocks of so many bytes, with or without the kernels' scratch."""

    name: str
    about: str
    block: int = 1
    has_scratch: bool = True
    # the families whose kernels are a library's, which takes its scratch from the system
    libraries: frozenset[str] = frozenset()
    # what is allowed for a convolution while it runs, where the library's choice is not known
    workspace: int = 0
    # of the machine it will run on, as Eigen reads it
    last_cache: int = LAST_CACHE
    # what if float32 were stored in a narrower type
    narrow: int = 0

    def stored_as(self, dtype: int) -> int:
        is_narrowed = self.narrow and dtypes.base(dtype) == dtypes.FLOAT
        return self.narrow if is_narrowed else dtype

    @property
    def shrinks(self) -> int:
        """What the bytes of floats are divided by."""
        bits = dtypes.bits(self.narrow) if self.narrow else None
        return 32 // int(bits) if bits else 1

    def has_scratch_of(self, rule: Rule) -> bool:
        return self.has_scratch and rule.has_scratch and rule.family not in self.libraries

    def rounded(self, size: Line) -> Line:
        """Rounding is exact where the batch is known; on a line it is left out."""
        slope, rest = size
        if self.block == 1 or slope or not rest:
            return size
        return 0, -(-rest // self.block) * self.block


# what is taken where a run does not show otherwise, and where it ran the kernels of oneDNN
OWN_KERNELS, ONEDNN = "cpu-tf", "cpu-onednn"
MODELS = {
    model.name: model
    for model in (
        MemoryModel(OWN_KERNELS, "TensorFlow on a CPU, with what its kernels need while they run"),
        MemoryModel(
            ONEDNN,
            "TensorFlow on a CPU with oneDNN, whose kernels take what they need from the system",
            libraries=frozenset(("convolutions", "matrix products")),
        ),
        MemoryModel(
            "gpu-bfc",
            "blocks of 256 bytes as TensorFlow's GPU allocator gives them, an allowance for the "
            "workspace of convolutions; not verified on hardware",
            block=256,
            has_scratch=False,
            workspace=_WORKSPACE,
        ),
        MemoryModel("ideal", "tensors alone", has_scratch=False),
    )
}


@frozen_dataclass
class Program:
    """`unknown` are ops whose outputs have no known size: no sum holds them, and it has to be said.

    A step's `device` is a place in `devices`; `inputs` is what is fed on each: whoever runs the
    step holds it, and no op allocates it. `open` are the sizes, beside the batch, that are missing.
    """

    steps: list[ProgramStep]
    unknown: list[str]
    devices: Sequence[str] = (CPU,)
    inputs: Sequence[Line] = ()
    open: Sequence[str] = ()


@remembered(lambda costs, graph, model: ((costs, graph), (model,)))
def program(costs: OpCosts, graph: Graph, model: MemoryModel) -> Program:
    """Links every input to the op that makes it: a tensor is one object on both sides."""
    unsized: list[tuple[str, Tensor]] = []
    ops = [op for op in costs.ops if not isinstance(op, InRounds)]
    unrolled = Unrolled(ops, graph, _Filling(model, unsized))
    steps = unrolled.steps
    if model.has_scratch:
        watch_values(steps, model)
        copy_sparse(steps, model)
    unsized += [(name, Tensor(length=trips)) for name, trips in unrolled.open_loops]
    controls = [*_controls(steps, graph), *unrolled.controls]
    devices = place(steps, graph)
    inputs = _inputs(steps, model, len(devices))
    link(steps, controls)
    unknown = list(dict.fromkeys(name for name, _ in unsized))
    return Program(steps, unknown, devices, inputs, _open_sizes(unsized))


def watch_values(steps: Iterable[ProgramStep], model: MemoryModel) -> None:
    """Notes who hands out the values of variables, and who changes them in place.

    An update of a value that somebody still has makes a copy, and the old one stays for so long.
    """
    for step in steps:
        name = _variable(step)
        if not name:
            continue
        site = step.op.site
        if site.op == "ReadVariableOp" and step.outputs:
            step.value_of = name
            # the variable's own buffer
            step.outputs[0] = OpOutput(NOTHING, dtype=step.outputs[0].dtype)
        elif site.op in _IN_PLACE or _APPLIES.match(site.op):
            held = site.call.inputs[0].holds
            size = _bytes(held, model) if held is not None else None
            step.changes = name, size or NOTHING


def copy_sparse(steps: Sequence[ProgramStep], model: MemoryModel) -> None:
    """A variable that is gathered from or scattered into is copied when it is read or assigned.

    TensorFlow then updates it in place, so nobody else may have its buffer.
    """
    sparse = {op for op in {step.op.site.call.op for step in steps} if _SPARSE.match(op)}
    if not sparse:
        return
    touched = {_variable(step) for step in steps if step.op.site.call.op in sparse} - {""}
    for step in steps:
        site = step.op.site
        if not touched or _variable(step) not in touched:
            continue
        if site.op == "ReadVariableOp" and step.outputs:
            size = _bytes(site.call.outputs[0], model) or NOTHING
            step.outputs[0] = OpOutput(size, dtype=site.call.outputs[0].dtype)
            step.value_of = ""
        elif site.op in _WHOLE_UPDATES:
            held = site.call.inputs[0].holds
            step.scratch = (_bytes(held, model) if held is not None else None) or NOTHING
            step.changes = "", NOTHING


def _variable(step: ProgramStep) -> str:
    inputs = step.op.site.call.inputs
    return inputs[0].variable if inputs else ""


def _open_sizes(unsized: Iterable[tuple[str, Tensor]]) -> list[str]:
    """The symbols that the sizes of tensors hang on, beside the batch."""
    found: set[str] = set()
    for _, tensor in unsized:
        sizes = [*(tensor.shape or ()), *(tensor.holds.shape or () if tensor.holds else ())]
        for size in (*sizes, tensor.length):
            found |= symbols(size) if size is not None else set()
    return sorted(found - {BATCH})


def _inputs(steps: Iterable[ProgramStep], model: MemoryModel, devices: int) -> list[Line]:
    """What is fed, by device; the variables that a traced function captured are no inputs."""
    sums = [NOTHING] * devices
    for step in steps:
        for tensor in step.op.site.call.outputs if step.op.site.op in _FED else ():
            slope, rest = sums[step.device]
            more, fixed = _bytes(tensor, model) or NOTHING
            sums[step.device] = (slope + more, rest + fixed)
    return sums


class _Filling:
    """Ops that are alike take the same; of one whose sizes are not known the name is noted."""

    def __init__(self, model: MemoryModel, unsized: list[tuple[str, Tensor]]) -> None:
        self._model, self._unsized = model, unsized
        self._known: dict[object, Taken] = {}

    def step(self, op: OpCost, reads: list[Location | None]) -> ProgramStep:
        site = op.site
        alike = site.call.alike if site.times == 1 else None
        if alike is not None and alike in self._known:
            return self._known[alike].step(op, reads)
        before, step = len(self._unsized), ProgramStep(op, reads)
        _fill(step, self._unsized, self._model)
        if alike is not None and len(self._unsized) == before:
            self._known[alike] = Taken.by(step)
        return step


def _fill(step: ProgramStep, unsized: list[tuple[str, Tensor]], model: MemoryModel) -> None:
    site, rule = step.op.site, step.op.site.rule
    call = site.call
    step.is_cheap = is_cheap(step.op)
    step.duration = duration(step.op)
    holds = rule is None or not rule.allocates
    for port, tensor in enumerate(call.outputs):
        size = NOTHING if holds and rule is not None else _bytes(tensor, model)
        shared = rule is not None and (rule.alias is not None or site.op in _MERGES)
        alias = _aliased(rule, site, port) if rule is not None and shared else None
        if size is None and alias is None:
            unsized.append((site.name, tensor))
        known = model.rounded(size or NOTHING)
        step.outputs.append(OpOutput(known, alias=alias, dtype=tensor.dtype))
    if rule is None or rule.alias is not None or not rule.allocates:
        return
    # it makes something, and nobody knows what
    if not call.outputs and step.op.cost is None and rule.shapes is not no_output:
        unsized.append((site.name, Tensor(None)))
    step.reuse = rule.reuse
    if model.has_scratch_of(rule):
        step.scratch, step.spared = scratch_of(rule, call, model)
    elif model.workspace and rule.family == _CONVOLUTIONS and rule.macs is not None:
        step.scratch = (0, model.workspace)


def scratch_of(rule: Rule, call: Call, model: MemoryModel) -> tuple[Line, int]:
    """What the kernel takes while it runs, and the bytes of it that it never writes to."""
    slope, rest = line(rule.scratch_of(call, model.last_cache)) or NOTHING
    slope, rest = slope // model.shrinks, rest // model.shrinks
    used = rule.scratch_used(call) if rule.scratch_used is not None else None
    spared = max(0, rest - used) if isinstance(used, int) and not slope else 0
    return (slope, rest), spared


def _aliased(rule: Rule, site: Site, port: int) -> int | None:
    """Whose buffer an output is: of several that are passed on its own, of a merge the live one."""
    if site.op in _EACH_ITS_OWN:
        return port
    if site.op in _MERGES:
        live = (place for place, tensor in enumerate(site.call.inputs) if not tensor.dead)
        return next(live, rule.alias) if port == 0 else None
    return rule.alias


def _bytes(tensor: Tensor, model: MemoryModel) -> Line | None:
    """None where the size is not known; handles and strings hold nothing here."""
    if tensor.length is not None and tensor.holds is not None:
        inside = _bytes(tensor.holds, model)
        length = tensor.length
        if inside is None or not isinstance(length, int):
            return None
        return inside[0] * length, inside[1] * length
    dtype = model.stored_as(tensor.dtype)
    if dtypes.bits(dtype) is None:
        return NOTHING
    return line(packed(elements(tensor.shape), dtype))


def line(size: Size | None) -> Line | None:
    """A size as slope and rest over the batch; None if it is anything else."""
    if size is None:
        return None
    if isinstance(size, int):
        return 0, size
    return _slope(size)


def _slope(size: Dim) -> Line | None:
    slope = rest = 0
    for monomial, count in size.terms.items():
        if not monomial:
            rest = count
        elif monomial == ((BATCH, 1),):
            slope = count
        else:
            return None
    return slope, rest


def link(steps: list[ProgramStep], controls: Iterable[tuple[int, int]]) -> None:
    """Who waits for whom: for what it reads, and for the first of each pair of controls.

    What an op releases is in the order of TensorFlow's executor: who reads it, then who only waits
    for it, each as the graph lists them.
    """
    for number, step in enumerate(steps):
        for read in step.reads:
            if read is not None:
                steps[read[0]].outputs[read[1]].readers += 1
        sources = _read_by(step)
        sources.pop(number, None)
        step.waits_for = len(sources)
        for source in sources:
            steps[source].release(number)
    # whom each reads, or only waits for; most ops wait for nobody else
    known: dict[int, dict[int, None]] = {}
    for before, after in controls:
        if after not in known:
            known[after] = _read_by(steps[after])
        if before not in known[after]:
            known[after][before] = None
            if before != after:
                steps[after].waits_for += 1
            steps[before].release(after)


def _read_by(step: ProgramStep) -> dict[int, None]:
    """The steps that it reads, each once."""
    return {read[0]: None for read in step.reads if read is not None}


def _controls(steps: list[ProgramStep], graph: Graph) -> list[tuple[int, int]]:
    """The control edges of the main graph, as pairs of steps; in a loop those of the same round."""
    edges = graph.edges
    controls = ((edges.port < 0) & (edges.node >= 0)).nonzero()[0]
    ends = {*edges.node[controls].tolist(), *edges.reader[controls].tolist()}
    own: dict[int, list[int]] = {}
    for number, step in enumerate(steps) if ends else ():
        site = step.op.site
        if site.row not in ends or site.name != graph.names[site.row]:
            continue
        if site.called is not None:
            own[site.row] = [number]  # the last of its steps is its end
        elif step.duration:
            own.setdefault(site.row, []).append(number)
    found: list[tuple[int, int]] = []
    for edge in controls.tolist():
        sources = own.get(int(edges.node[edge]), [])
        readers = own.get(int(edges.reader[edge]), [])
        if len(sources) == len(readers):
            found += zip(sources, readers, strict=True)
        elif len(sources) == 1 and not steps[sources[0]].op.site.loops:
            found += [(sources[0], reader) for reader in readers]
    return found


def place(steps: list[ProgramStep], graph: Graph) -> list[str]:
    """Puts each op on the device its node names; what crosses over is copied there."""
    if not any(graph.devices.table):
        return [CPU]
    of = device_of_rows(graph)
    used = [of(step.op.site.row) for step in steps]
    devices = sorted(set(used)) or [CPU]
    for step, name in zip(steps, used, strict=True):
        step.device = devices.index(name)
    if len(devices) > 1:
        _receive(steps, [DeviceSpec.of(name) for name in devices])
    return devices


def device_of_rows(graph: Graph) -> Callable[[int], str]:
    """The device of a node: what it names, else that of the node it is to stay with, else the CPU.

    Names are short, with job and task only where there are several; a task alone is its CPU.
    """
    specs = [DeviceSpec.of(name) for name in graph.devices.table]
    full = [str(_on_cpu(spec)) if spec != DeviceSpec() else "" for spec in specs]
    names = short_names(name for name in full if name)
    if not names:
        return lambda _: CPU
    table = [names.get(name, "") for name in full]
    codes: list[int] = graph.devices.codes.tolist()
    where = {row: table[code] for row, code in enumerate(codes) if table[code]}

    def device(row: int) -> str:
        if row in where:
            return where[row]
        stays = graph.node(row).attributes.get("_class")
        beside = [bytes(one).decode(errors="replace") for one in stays.list.s] if stays else []
        rows = (graph.index.get(one.removeprefix("loc:@"), -1) for one in beside)
        return next((where[one] for one in rows if one in where), CPU)

    return device


def _on_cpu(spec: DeviceSpec) -> DeviceSpec:
    return spec if spec.type is not None else replace(spec, type="CPU", index="0")


def _share_memory(one: DeviceSpec, other: DeviceSpec) -> bool:
    """The CPU devices of one process hand over tensors, not copies of them."""
    return one.type == other.type == "CPU" and one.place == other.place


def _receive(steps: list[ProgramStep], devices: Sequence[DeviceSpec]) -> None:
    """One copy of what is read on another device, for all its readers there."""
    copies: dict[tuple[int, int, int], int] = {}
    for step in list(steps):
        for place_, read in enumerate(step.reads):
            if read is None or steps[read[0]].device == step.device:
                continue
            made = steps[read[0]].outputs[read[1]]
            key = (*read, step.device)
            if made.size == NOTHING and made.alias is None:
                continue
            if _share_memory(devices[steps[read[0]].device], devices[step.device]):
                continue
            if key not in copies:
                copies[key] = len(steps)
                copy = OpOutput(made.size, dtype=made.dtype)
                steps.append(ProgramStep(steps[read[0]].op, [read], [copy], device=step.device))
            step.reads[place_] = (copies[key], 0)
