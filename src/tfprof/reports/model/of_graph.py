"""The ops of a graph, of the functions it calls, and of a run beside it, with what they cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.accounting.nodes import Nodes
from tfprof.analyses.cost.op_costs import Cost, OpCosts
from tfprof.analyses.graph.reach import extent
from tfprof.analyses.graph.roles import Role
from tfprof.analyses.inference.sites import Site
from tfprof.errors import TfprofError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import BATCH, Size, at
from tfprof.model.graph import Graph
from tfprof.model.metrics import (
    BYTES,
    COUNT,
    MICROS,
    OF_BYTES,
    OF_TIME,
    PEAK,
    RUNS,
)
from tfprof.model.options import Options
from tfprof.model.profile import ProfileData
from tfprof.reports.model.parts import Found, NodeMetric, Reads, Shapes
from tfprof.reports.shared import model_costs
from tfprof.reports.shared.parameters import parameters_of
from tfprof.reports.shared.question import Question
from tfprof.reports.shared.recorded_run import said_of_batch, with_batch_of_run
from tfprof.reports.trees import Prepared

Floats = npt.NDArray[np.float64]

_NO_EDGES = "There is no graph beside the run: which op reads which is not known."
_ONE_SAMPLE = "FLOPs and bytes written are of one sample, B = 1; --batch tells them for others."
_NO_GRAPH = "no graph was given"
_NOT_OF_THE_MODEL = (Role.OPTIMIZER, Role.OTHER)
_SELECT = ("bytes", "peak_bytes", "micros")


@frozen_dataclass
class _Counted:
    """What inference tells of a graph; nothing, and why, if it could not be asked."""

    costs: OpCosts | None
    sizes: Mapping[str, int]
    notes: Sequence[str] = ()
    why: str = ""

    @property
    def sites(self) -> Sequence[Site]:
        return self.costs.inferred.sites if self.costs is not None else ()


def of_graph(data: ProfileData, question: Question) -> Found:
    nodes = Prepared(data).nodes(Options(select=_SELECT))
    counted = _counted(data, question)
    numbers = _numbers(data.graph, nodes, counted.sites)
    shapes = Shapes()
    data_edges, control = Reads(), Reads()
    if data.graph is not None:
        made = _shapes_made(data.graph, counted.sites, numbers, shapes)
        _read_graph(data.graph, numbers, made, data_edges, control)
        _read_functions(data.graph, counted.sites, numbers, shapes, data_edges)
    names = list(numbers)
    row = np.array([nodes.row_of.get(name, -1) for name in names], np.int64)
    return Found(
        "ops",
        names,
        _ops(names, row, nodes, counted.sites),
        [nodes.devices[at_] if at_ >= 0 else "" for at_ in row.tolist()],
        [*_measured(nodes, row), _params(data, numbers), *_computed(counted, numbers)],
        data_edges,
        control,
        shapes,
        [*counted.notes, *([] if data.graph is not None else [_NO_EDGES])],
    )


def _counted(data: ProfileData, question: Question) -> _Counted:
    if data.graph is None:
        return _Counted(None, {}, why=_NO_GRAPH)
    try:
        costs = model_costs.costs_of(data, question)
        asked = with_batch_of_run(data, question, costs.symbols)
        notes = []
        if asked != question:
            costs = model_costs.costs_of(data, asked)
            notes.append(said_of_batch(asked.sizes[BATCH]))
    except TfprofError as error:
        return _Counted(None, {}, why=str(error))
    if BATCH in costs.symbols:
        notes.append(_ONE_SAMPLE)
    return _Counted(costs, {BATCH: 1}, [*notes, *model_costs.warnings_of(costs)])


def _numbers(graph: Graph | None, nodes: Nodes, sites: Sequence[Site]) -> dict[str, int]:
    """Names in the order of the graph, then those inside of functions, then what only ran."""
    names = dict.fromkeys(graph.names.tolist() if graph is not None else ())
    names.update(dict.fromkeys(site.name for site in sites))
    names.update(dict.fromkeys(nodes.names))
    return {name: number for number, name in enumerate(names)}


def _ops(
    names: Sequence[str], row: npt.NDArray[np.int64], nodes: Nodes, sites: Sequence[Site]
) -> list[str]:
    """Nothing for what only ran, and nobody says as what: it is its own type there."""
    inside = {site.name: site.op for site in sites}
    pairs = zip(names, row.tolist(), strict=True)
    found = [nodes.ops[at_] if at_ >= 0 else inside.get(name, "") for name, at_ in pairs]
    # a name that is the type of others, as of the instruction `copy-done`, is one
    types = {op for op, name in zip(found, names, strict=True) if op != name}
    return [op if op in types else "" for op in found]


def _shapes_made(
    graph: Graph, sites: Sequence[Site], numbers: Mapping[str, int], shapes: Shapes
) -> dict[tuple[int, int], int]:
    """By node and output: as inferred, else as the graph itself says."""
    found = {
        (numbers[site.name], port): shapes.number(tensor.shape)
        for site in sites
        for port, tensor in enumerate(site.call.outputs)
    }
    inferred = {number for number, _ in found}
    for row in graph.attributes.column("_output_shapes"):
        number = numbers[graph.names[row]]
        if number not in inferred:
            for port, shape in enumerate(graph.node(row).output_shapes()):
                found[number, port] = shapes.number(shape)
    return found


def _read_graph(
    graph: Graph,
    numbers: Mapping[str, int],
    made: Mapping[tuple[int, int], int],
    data: Reads,
    control: Reads,
) -> None:
    number = [numbers[name] for name in graph.names]
    edges = graph.edges
    columns = (edges.reader.tolist(), edges.node.tolist(), edges.port.tolist())
    for reader, source, port in zip(*columns, strict=True):
        if source < 0:
            continue
        if port < 0:
            control.add(number[source], number[reader])
        else:
            data.add(number[source], number[reader], made.get((number[source], port), 0))


def _read_functions(
    graph: Graph, sites: Sequence[Site], numbers: Mapping[str, int], shapes: Shapes, data: Reads
) -> None:
    """Inside of functions a tensor is known by itself: who made it, whoever hands it on."""
    inside = [site for site in sites if site.name not in graph.index]
    if not inside:
        return
    made = {id(tensor): site.name for site in sites for tensor in site.call.outputs}
    # what is made outside first: a call hands on what its function returns
    body = {id(tensor): site.name for site in inside for tensor in site.call.outputs}
    for site in sites:
        sources = made | body if site.name not in graph.index else body
        for tensor in site.call.inputs:
            source = sources.get(id(tensor))
            if source is not None and source != site.name:
                data.add(numbers[source], numbers[site.name], shapes.number(tensor.shape))


def _measured(nodes: Nodes, row: npt.NDArray[np.int64]) -> Iterator[NodeMetric]:
    """As the views of scopes count it; what did not run has none, which is not nothing."""
    known = row >= 0
    costs = nodes.costs[np.where(known, row, 0)]
    ran = known & (costs[:, RUNS] + costs[:, MICROS] > 0)
    for column, key, told in (
        (MICROS, "micros", ("time", "Time", OF_TIME, "own time in an average step")),
        (BYTES, "bytes", ("bytes", "Requested memory", OF_BYTES, "asked for while an op ran")),
        (PEAK, "peak_bytes", ("peak", "Peak of ops", OF_BYTES, "most held at a time by each op")),
    ):
        why = nodes.unknown.get(key, "")
        values: Floats = np.where(ran, costs[:, column], np.nan)
        yield NodeMetric(*told, None if why else values, why)


def _params(data: ProfileData, numbers: Mapping[str, int]) -> NodeMetric:
    """Of the model: what its optimizer keeps is left out."""
    told = "params", "Parameters", COUNT, "elements of variables, without those of the optimizer"
    if data.graph is None:
        return NodeMetric(*told, why=_NO_GRAPH)
    found = parameters_of(data, extent(data))
    values, lost = np.zeros(len(numbers)), np.zeros(len(numbers), bool)
    for one in found.variables:
        if one.name in numbers and (found.frozen or one.role not in _NOT_OF_THE_MODEL):
            lost[numbers[one.name]] = one.elements is None
            values[numbers[one.name]] = np.nan if one.elements is None else one.elements
    return NodeMetric(*told, values, lost=lost)


def _computed(counted: _Counted, numbers: Mapping[str, int]) -> Iterator[NodeMetric]:
    """Before it runs. What is in no step is not counted: nothing is known of it."""
    flops, written = (np.full(len(numbers), np.nan) for _ in range(2))
    lost = np.zeros(len(numbers), bool)
    known: dict[int, tuple[float, float]] = {}
    for op in counted.costs.ops if counted.costs is not None else ():
        number = numbers[op.site.name]
        cost = None if op.cost is None else _in_numbers(op.cost, counted.sizes, known)
        if cost is None:
            lost[number] = True
        else:
            flops[number], written[number] = cost
    for key, title, unit, about, values in (
        ("flops", "FLOPs", COUNT, "of a step, element-wise ops among them", flops),
        ("written", "Bytes written", OF_BYTES, "what ops make in a step, before it runs", written),
    ):
        yield NodeMetric(
            key, title, unit, about, None if counted.why else values, counted.why, lost
        )


def _in_numbers(
    cost: Cost, sizes: Mapping[str, int], known: dict[int, tuple[float, float]]
) -> tuple[float, float] | None:
    """None while another size is open; ops that are alike share a cost."""
    found = known.get(id(cost))
    if found is None:
        flops, written = (_number(one, sizes) for one in (cost.flops_all, cost.written))
        if flops is None or written is None:
            return None
        found = known[id(cost)] = flops, written
    return found


def _number(size: Size, sizes: Mapping[str, int]) -> float | None:
    value = at(size, sizes)
    return float(value) if isinstance(value, int) else None
