"""What XLA ran on the threads of a host: which instruction each stretch of thread time is for.

An instruction hands parts of its work to other threads: it leaves a record, and the thread that
takes the part opens a region which names that record. The instruction's own event may cover no
more than the launch.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.xspace import Plane
from tfprof.model.xstats import StatColumn

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

_RECORD = "ThreadpoolListener::Record"
_START, _STOP = "ThreadpoolListener::StartRegion", "ThreadpoolListener::StopRegion"
_SENT, _SENT_TYPE, _TAKEN, _TAKEN_TYPE = "_p", "_pt", "_c", "_ct"
# what a program runs in: whatever encloses it waits for the program
_RUNS_A_PROGRAM = (
    "CpuExecutable::ExecuteAsyncOnStream", "TfrtCpuExecutable::Execute", "ThunkExecutor::Execute",
    "BlockUntilReady",
)  # fmt: skip
_DOUBLINGS = 64


@frozen_dataclass
class Regions:
    """Stretches on other threads: the row that opens each, how long, and for which instruction.

    `owner` is a position among the instructions.
    """

    rows: Ints
    duration_ps: Ints
    owner: Ints


def regions_of(plane: Plane, instructions: Ints) -> Regions:
    """Of rows of instructions, which rise."""
    nothing = np.zeros(0, np.int64)
    # asked first: to find regions takes long, and a capture without XLA has thousands of them
    records = plane.named(_RECORD) if len(instructions) else nothing
    opened, ended = _regions(plane) if len(records) else (nothing, nothing)
    if not len(opened):
        return Regions(nothing, nothing, nothing)
    events = plane.events
    rows = np.concatenate([instructions, opened, records])
    stops = np.concatenate([events.ends(instructions), ended, events.start_ps[records]])
    kind = np.repeat([0, 1, 2], [len(instructions), len(opened), len(records)])
    order = np.argsort(rows, kind="stable")
    before = _holders(plane, rows[order], stops[order])
    parent = np.full(len(rows), -1, np.int64)
    parent[order] = np.where(before >= 0, order[before], -1)
    parent[kind == 0] = np.flatnonzero(kind == 0)
    first = len(instructions) + len(opened)
    sent = _record_of(plane, opened, records)
    parent[kind == 1] = np.where(sent >= 0, first + sent, -1)
    owner = _roots(parent)[kind == 1]
    mine = (owner >= 0) & (owner < len(instructions))
    took = ended - events.start_ps[opened]
    return Regions(opened[mine], took[mine], owner[mine])


def waits_for_a_program(plane: Plane, rows: Ints) -> Mask:
    """Whether each of some events encloses the run of a program."""
    inner = plane.named(*_RUNS_A_PROGRAM)
    if not len(inner) or not len(rows):
        return np.zeros(len(rows), bool)
    # an event stands behind those that enclose it, on the same line
    following = np.minimum(np.searchsorted(inner, rows), len(inner) - 1)
    held = inner[following]
    events = plane.events
    found: Mask = (
        (held > rows)
        & (plane.line_of(held) == plane.line_of(rows))
        & (events.ends(held) <= events.ends(rows))
    )
    return found


def _regions(plane: Plane) -> tuple[Ints, Ints]:
    """Where each begins, and when it ends; a thread may take a part while it waits for another."""
    starts, stops = plane.named(_START), plane.named(_STOP)
    rows = np.concatenate([starts, stops])
    opens = np.repeat([True, False], [len(starts), len(stops)])
    order = np.argsort(rows, kind="stable")
    rows, opens = rows[order], opens[order]
    line = plane.line_of(rows)
    depth = np.cumsum(np.where(opens, 1, -1)) + ~opens
    order = np.lexsort((rows, depth, line))
    rows, opens, line, depth = rows[order], opens[order], line[order], depth[order]
    pairs = np.flatnonzero(
        opens[:-1] & ~opens[1:] & (line[:-1] == line[1:]) & (depth[:-1] == depth[1:])
    )
    pairs = pairs[np.argsort(rows[pairs])]
    return rows[pairs], plane.events.start_ps[rows[pairs + 1]]


def _holders(plane: Plane, rows: Ints, stops: Ints) -> Ints:
    """The innermost of these that is open when each begins, as a position; -1 without one.

    Unlike a part of it, what was sent for later may end after its sender: only the start counts.
    """
    start, line = plane.events.start_ps[rows], plane.line_of(rows)
    found = np.arange(-1, len(rows) - 1)
    found[np.append(True, line[1:] != line[:-1])] = -1
    open_ = np.flatnonzero(found >= 0)
    while len(open_):
        over = stops[found[open_]] <= start[open_]
        # one that is over hands on to the one that it has found itself
        open_ = open_[over]
        found[open_] = found[found[open_]]
        open_ = open_[found[open_] >= 0]
    return found


def _record_of(plane: Plane, opened: Ints, records: Ints) -> Ints:
    """The position of the record that each region names; -1 without one."""
    sent = plane.stats_of_rows(records, _SENT, _SENT_TYPE)
    taken = plane.stats_of_rows(opened, _TAKEN, _TAKEN_TYPE)
    keys = _keys(records, sent)
    order = np.argsort(keys, kind="stable")
    wanted = _keys(opened, taken)
    place = np.minimum(np.searchsorted(keys[order], wanted), len(keys) - 1)
    found: Ints = np.where(keys[order][place] == wanted, order[place], -1)
    return found


def _keys(rows: Ints, columns: list[StatColumn]) -> Ints:
    """Number and type of a link, as one number."""
    key = np.zeros(len(rows), np.int64)
    for column, factor in zip(columns, (1 << 8, 1), strict=True):
        value = np.full(len(rows), -1, np.int64)
        value[np.searchsorted(rows, column.rows)] = column.ints()
        key += value * factor
    return key


def _roots(parent: Ints) -> Ints:
    """Where each comes to by going from parent to parent; what goes in circles comes nowhere."""
    found = parent.copy()
    for _ in range(_DOUBLINGS):
        known = found >= 0
        further = found.copy()
        further[known] = found[found[known]]
        if (further == found).all():
            break
        found = further
    return found
