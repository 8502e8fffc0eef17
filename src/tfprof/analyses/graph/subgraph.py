"""Which part of a graph is computed: a training step, a prediction, or what the user fetches.

A graph file also holds what runs once or never: initializers, savers, summaries.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.graph.handles import WRITES
from tfprof.analyses.graph.inlined import IN_GRADIENTS, inlined, stands_in_gradients
from tfprof.analyses.graph.reach import Mask, ancestors, choose_signature, spread
from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.graph import Graph
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import is_kept, remembered
from tfprof.wire import dtypes

TRAIN, INFERENCE = "train", "inference"
MODES = (TRAIN, INFERENCE)
FORWARD, BACKWARD, UPDATE = "forward", "backward", "update"
PHASES = (FORWARD, BACKWARD, UPDATE)
TRAIN_COLLECTION = "train_op"

INPUT_OPS = late_pattern(r"Placeholder\w*|_Arg|Iterator\w*|Queue\w*|\w*Reader\w*")
_AGGREGATES = ("AddN", "AccumulateNV2")
_LOOPS = ("While", "StatelessWhile")
_EMPTY_LISTS = ("EmptyTensorList", "TensorListReserve", "Stack", "StackV2")
# how a traced function's results are named
_RETURNED = late_pattern(r"Identity(_\d+)?")
_SAVERS = late_pattern(r"(Save|Restore)(V2|Slices?)?")
# ops that nobody reads because they are there for their effect, or for none
_EFFECTS = late_pattern(
    r"NoOp|Assert|Print(V2)?|\w*Summary\w*|Save\w*|Restore\w*|MergeV2Checkpoints|Const|Placeholder\w*"
    r"|VarHandleOp|Variable(V2)?|VarIsInitializedOp|IsVariableInitialized|_Retval|_Arg|ReadVariableOp"
)


@frozen_dataclass
class Subgraph:
    """The rows that are computed, and in words what that is."""

    rows: npt.NDArray[np.int64]
    mode: str
    what: str
    # without what else the functions hold that it calls: gradients, updates
    only_forward: bool = False


def subgraph(
    data: ProfileData,
    mode: str | None = None,
    fetch: Sequence[str] = (),
    signature: str | None = None,
) -> Subgraph:
    """Fetches and a signature win over the mode; without any, training if the graph can."""
    graph = data.graph
    if graph is None:
        return Subgraph(np.zeros(0, np.int64), mode or INFERENCE, "no graph")
    if fetch:
        named = [_fetched(graph, name) for name in fetch]
        return Subgraph(_reached(graph, named), mode or INFERENCE, f"what {', '.join(fetch)} needs")
    chosen = choose_signature(data, signature)
    if chosen is not None:
        outputs = [graph.index.get(spec.tensor.partition(":")[0], -1) for spec in chosen.outputs]
        return Subgraph(_reached(graph, outputs), INFERENCE, f"signature {chosen.name}")
    steps = _train_steps(data, graph)
    if data.is_executed and mode is None:
        mode = TRAIN if steps else INFERENCE
        return Subgraph(np.arange(len(graph)), mode, "what was executed")
    if mode == TRAIN and not steps:
        raise UsageError(
            "nothing in this graph trains: no op changes a variable by a gradient",
            hint="Leave --mode out, or name an op with --fetch.",
        )
    if steps and mode != INFERENCE:
        in_a_loop = all(graph.ops[row] in _LOOPS for row in steps)
        what = "a loop of training steps" if in_a_loop else _one_step(data)
        return Subgraph(_reached(graph, steps), TRAIN, what)
    return _predicts(graph, trains=bool(steps))


def _one_step(data: ProfileData) -> str:
    """A loop that sums gradients up over batches calls its function several times a step."""
    process = data.record.first if data.record is not None else None
    steps = process.steps.count if process is not None and process.steps is not None else None
    for function in process.functions if process is not None and steps else ():
        calls = round((function.calls or 0) / steps) if steps else 0
        if function.role == "step" and calls > 1:
            return f"one of {calls} calls of {function.name} in a training step"
    return "one training step"


def _predicts(graph: Graph, *, trains: bool) -> Subgraph:
    rows = _reached(graph, _results(graph))
    if not trains:
        return Subgraph(rows, INFERENCE, "one prediction")
    phase = phases(inlined(graph).graph)
    forward = rows[phase[rows] == PHASES.index(FORWARD)]
    return Subgraph(forward, INFERENCE, "the forward pass", only_forward=True)


@remembered(lambda graph: ((graph,), ()), is_kept)
def phases(graph: Graph) -> npt.NDArray[np.int64]:
    """Of each node, which of PHASES it belongs to: gradients, what uses them, all before.

    What functions do is only seen in a graph that has them written out.
    """
    found = np.full(len(graph), PHASES.index(FORWARD), np.int64)
    back = np.zeros(len(graph), bool)
    near = graph.names.may_have(IN_GRADIENTS)
    back[near] = [stands_in_gradients(name) for name in graph.names.at(near)]
    if not back.any():
        return found
    # what a gradient prepares for the forward pass, a list to keep things in, makes nothing later
    made = back & hanging_on_data(graph)
    if not made.any():  # the data is made in the graph
        made = back
    after = descendants(graph, made, ends=graph.ops.where(*_EMPTY_LISTS))
    # an optimizer reads its state again when it has written it: only a control edge tells
    written = after & ~back & _is_write(graph)
    if written.any():
        after |= descendants(graph, written, control=True)
    found[after & ~back] = PHASES.index(UPDATE)
    found[back] = PHASES.index(BACKWARD)
    sums = graph.ops.where(*_AGGREGATES)
    found[sums[after[sums]]] = PHASES.index(BACKWARD)
    return found


@remembered(lambda graph: ((graph,), ()), is_kept)
def hanging_on_data(graph: Graph) -> Mask:
    """What depends on what is fed."""
    return descendants(graph, data_inputs(graph))


def _is_write(graph: Graph) -> Mask:
    return graph.ops.map(lambda op: WRITES.fullmatch(op) is not None)


def descendants(
    graph: Graph, marked: Mask, *, control: bool = False, ends: npt.ArrayLike = ()
) -> Mask:
    """What depends on marked nodes by data, or by control as well, themselves included.

    Nothing is followed past the rows `ends`.
    """
    edges = graph.edges
    if control:
        order = np.flatnonzero(edges.node >= 0)
        order = order[np.argsort(edges.node[order], kind="stable")]
        counts = np.bincount(edges.node[order], minlength=len(graph))
        offsets = np.concatenate([[0], np.cumsum(counts)])
    else:
        offsets, order = graph.readers
    begin, end = offsets[:-1].copy(), offsets[1:]
    closed = np.asarray(ends, np.int64)
    begin[closed] = end[closed]
    return spread(marked, begin, end, edges.reader[order])


def _fetched(graph: Graph, name: str) -> int:
    row = graph.index.get(name.partition(":")[0], -1)
    if row < 0:
        raise UsageError(f"no node is called {name!r}", hint="`tfprof graph PATH` lists nodes.")
    return row


def _reached(graph: Graph, rows: Sequence[int]) -> npt.NDArray[np.int64]:
    return np.flatnonzero(ancestors(graph, rows))


def _train_steps(data: ProfileData, graph: Graph) -> list[int]:
    """The ops that end a training step: as declared, or those that use a gradient."""
    named = [
        graph.index.get(name, -1) for name in data.declared.collections.get(TRAIN_COLLECTION, ())
    ]
    named = [row for row in named if row >= 0]
    if named:
        return named
    whole = inlined(graph)
    writes = _is_write(whole.graph)
    updates = writes & (phases(whole.graph) == PHASES.index(UPDATE))
    if updates.any():  # moving averages are written from data, without a gradient
        updates |= writes & descendants(whole.graph, data_inputs(whole.graph))
    return sorted(set(whole.origin[updates].tolist()))


def _bookkeeping(graph: Graph) -> Mask:
    """What a session asks before it starts: which variables have a value."""
    asks = graph.ops.map(lambda op: op in {"IsVariableInitialized", "VarIsInitializedOp"})
    return descendants(graph, asks)


def data_inputs(graph: Graph) -> Mask:
    """Where data comes in; handles of variables are no data, nor is the name of a saver's file."""
    inputs = [code for code, op in enumerate(graph.ops.table) if INPUT_OPS.fullmatch(op)]
    fed = np.isin(graph.ops.codes, inputs)
    for row in np.flatnonzero(fed).tolist():
        fed[row] = graph.node(row).type_attribute("dtype") != dtypes.RESOURCE
    return fed & ~_file_names(graph) if fed.any() else fed


def _file_names(graph: Graph) -> Mask:
    """What ops that save and restore read first, and what that is made of."""
    savers = np.flatnonzero(graph.ops.map(lambda op: _SAVERS.fullmatch(op) is not None))
    first, end = graph.edges.offsets[savers], graph.edges.offsets[savers + 1]
    return ancestors(graph, graph.edges.node[first[first < end]].tolist(), control=False)


def _results(graph: Graph) -> list[int]:
    """What nobody reads, but for effects; if anything is fed, only what depends on it."""
    read = np.zeros(len(graph), bool)
    data = (graph.edges.node >= 0) & (graph.edges.port >= 0)
    read[graph.edges.node[data]] = True
    silent = [
        code
        for code, op in enumerate(graph.ops.table)
        if _EFFECTS.fullmatch(op) or WRITES.fullmatch(op)
    ]
    ends = ~read & ~np.isin(graph.ops.codes, silent)
    fed = data_inputs(graph)
    depends = descendants(graph, fed) if fed.any() else ~_bookkeeping(graph)
    found = np.flatnonzero(ends & depends)
    returned = [row for row in found.tolist() if _RETURNED.fullmatch(graph.names[row])]
    if returned:
        return returned  # the rest is what tracing left behind
    if not len(found):
        found = np.flatnonzero(ends) if ends.any() else np.arange(len(graph))
    return found.tolist()
