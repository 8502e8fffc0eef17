"""What session runs waited for: ops that take an element from a queue or an iterator.

Records of runs tell how long such an op took, not what filled its queue meanwhile: queue runners
are runs of their own, which are rarely traced.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.events.intervals import Intervals
from tfprof.analyses.input_events.event_names import is_enqueue, rows_where
from tfprof.analyses.input_pipeline.bottleneck import waiting
from tfprof.analyses.step_time.classify import Classified, classified
from tfprof.analyses.steps.detect import find_steps
from tfprof.model.graph import Graph, Node
from tfprof.model.op_names import op_name
from tfprof.model.xspace import Plane, Space
from tfprof.results.categories import Category
from tfprof.results.input import Filler, HostInput, SessionFetch
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]

_CAPACITY = "capacity"


def session_input(
    space: Space, rank: int, inputs: Mapping[str, Sequence[str]], graph: Graph | None
) -> HostInput | None:
    """None where no op of the runs takes an element from anywhere.

    `inputs` are what nodes read as far as the records tell; `graph` tells more.
    """
    planes = [
        found for plane in space.planes if (found := classified(plane, (), with_devices=False))
    ]
    waits = Intervals.none().join(*(one.intervals(Category.INPUT) for one in planes))
    if not len(waits):
        return None
    steps = find_steps(space)
    fillers = _ran_fillers(planes)
    fetches = sorted(
        (
            fetch
            for one in planes
            for fetch in fetches_of(one.plane, one.rows(Category.INPUT), inputs, graph, fillers)
        ),
        key=lambda one: (-one.waited, one.name),
    )
    return HostInput(
        rank,
        space.hosts[0] if space.hosts else "",
        steps.rule if steps.windows else None,
        waiting(waits, steps, waits.starts),
        None,
        (),
        0,
        0,
        tuple(fetches),
    )


def fetches_of(
    plane: Plane,
    rows: Ints,
    inputs: Mapping[str, Sequence[str]],
    graph: Graph | None,
    ran: Mapping[str, Filler],
) -> Iterator[SessionFetch]:
    """By op; `rows` are the waits, `ran` what fills queues, by its name."""
    for name in distinct(plane.events.name[rows]).tolist():
        op = op_name(plane.event_names.name[name])
        if op is None:
            continue
        took = plane.events.duration_ps[rows[plane.events.name[rows] == name]]
        source, kind, capacity, fillers = _source(op.name, inputs, graph, ran)
        yield SessionFetch(
            op.name, op.type, source, kind, capacity, len(took), int(took.sum()),
            int(took.max()), fillers,
        )  # fmt: skip


def _source(
    name: str,
    inputs: Mapping[str, Sequence[str]],
    graph: Graph | None,
    ran: Mapping[str, Filler],
) -> tuple[str | None, str | None, int | None, tuple[Filler, ...]]:
    """What an op takes its elements from: its name, its type, its room, and who fills it."""
    node = graph.find(name) if graph is not None else None
    if node is None or not node.inputs:
        # without a graph, who fills which queue is known only where there is one who fills any
        alone = ran.values() if len(ran) == 1 else ()
        return next(iter(inputs.get(name, ())), None), None, None, tuple(alone)
    holder = _behind(node)
    capacity = holder.attributes.get(_CAPACITY)
    fillers = [
        ran.get(reader.name, Filler(reader.name, reader.op, 0, None))
        for reader, position in holder.readers()
        if position == 0 and is_enqueue(reader.op)
    ]
    # a negative number is a queue without an end
    room = capacity.i if capacity is not None and capacity.i > 0 else None
    return holder.name, holder.op, room, tuple(fillers)


def _behind(node: Node) -> Node:
    """The first input, through what only hands it on."""
    graph, row = node.graph, node.inputs[0]
    seen = {node.row}
    while row >= 0 and row not in seen:
        seen.add(row)
        holder = graph.node(row)
        if holder.op != "Identity" or not holder.inputs:
            return holder
        row = holder.inputs[0]
    return node


def _ran_fillers(planes: Sequence[Classified]) -> dict[str, Filler]:
    """By node, how often ops ran that put elements into queues, and how long that took."""
    found: dict[str, Filler] = {}
    for one in planes:
        plane = one.plane
        rows = rows_where(
            plane, lambda name: (op := op_name(name)) is not None and is_enqueue(op.type)
        )
        for name in distinct(plane.events.name[rows]).tolist():
            op = op_name(plane.event_names.name[name])
            took = plane.events.duration_ps[rows[plane.events.name[rows] == name]]
            if op is not None:
                found[op.name] = Filler(op.name, op.type, len(took), int(took.sum()))
    return found
