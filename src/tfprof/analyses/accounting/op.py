"""Costs by op type: a list, each row with the running total of itself and all rows behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from tfprof.analyses.accounting import nodes as n
from tfprof.analyses.accounting.regexes import accounted, device_matcher, matcher
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model import metrics
from tfprof.model.metrics import COLUMN_OF
from tfprof.model.options import EVERYTHING, Options
from tfprof.wire.distinct import distinct

Ints = npt.NDArray[np.int64]


@frozen_dataclass(slots=False)
class OpRow:
    """`picked` are the nodes that count in it, and `nodes` how many different ones."""

    op: str
    own: Ints
    total: Ints
    picked: Ints
    nodes: int


@frozen_dataclass(slots=False)
class OpList:
    rows: list[OpRow]
    root_total: Ints


def op_list(nodes: n.Nodes, options: Options) -> OpList:
    groups = _groups(nodes, options)
    ordered = _ordered(groups, options)
    running = np.zeros(metrics.COLUMNS, np.int64)
    rows: list[OpRow] = []
    for row in reversed(ordered):
        running = running + row.own
        rows.append(OpRow(row.op, row.own, running, row.picked, row.nodes))
    rows.reverse()
    root_total = running
    shown = _shown([row for row in rows if _on_device(row, nodes, options)], options)
    if options.account_displayed_op_only:
        running = np.zeros(metrics.COLUMNS, np.int64)
        again = []
        for row in reversed(shown):
            running = running + row.own
            again.append(OpRow(row.op, row.own, running, row.picked, row.nodes))
        shown, root_total = again[::-1], running
    return OpList(shown, root_total)


def _groups(nodes: n.Nodes, options: Options) -> list[OpRow]:
    """By type name. The original counts a node once for every pattern it matches."""
    picked = picker(nodes, options)(np.arange(len(nodes)))
    codes = nodes.ops.codes[picked]
    picked = picked[np.argsort(codes, kind="stable")]
    bounds = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(nodes.ops.table)))])
    found = []
    for code, op in enumerate(nodes.ops.table):
        rows = picked[bounds[code] : bounds[code + 1]]
        if len(rows):
            own = nodes.costs[rows].sum(axis=0)
            # runs are those of nodes, however often a node was picked
            different = distinct(rows)
            own[metrics.RUNS] = nodes.costs[different, metrics.RUNS].sum()
            found.append(OpRow(op, own, own, rows, len(different)))
    return sorted(found, key=lambda row: row.op)


def picker(nodes: n.Nodes, options: Options) -> Callable[[Ints], Ints]:
    """Which of some nodes count; in the original, once for every pattern they match."""
    if options.account_type_regexes == EVERYTHING:
        return lambda rows: rows
    if not options.compat:
        counts = accounted(nodes, options)
        return lambda rows: rows[counts[rows]]
    by_pattern = [
        accounted(nodes, replace(options, account_type_regexes=(pattern,)))
        for pattern in options.account_type_regexes
    ]
    nothing = np.zeros(0, np.int64)
    return lambda rows: np.concatenate([nothing, *(rows[counts[rows]] for counts in by_pattern)])


def _ordered(rows: list[OpRow], options: Options) -> list[OpRow]:
    by = options.order_by
    if by == "occurrence":
        return sorted(rows, key=lambda row: -row.nodes)
    if by in COLUMN_OF:
        return sorted(rows, key=lambda row: -int(row.own[COLUMN_OF[by]]))
    return sorted(rows, key=lambda row: row.op)


def _shown(rows: list[OpRow], options: Options) -> list[OpRow]:
    lenient = options.compat
    start = options.start_name_regexes
    begin = 0
    if start and start != EVERYTHING:
        match = matcher(start, "start_name_regexes", lenient=lenient)
        begin = next((at for at, row in enumerate(rows) if match(row.op)), len(rows))
    trim = matcher(options.trim_name_regexes, "trim_name_regexes", lenient=lenient)
    show = matcher(options.show_name_regexes, "show_name_regexes", lenient=lenient)
    hide = matcher(options.hide_name_regexes, "hide_name_regexes", lenient=lenient)
    found = []
    for depth, row in enumerate(rows[begin:]):
        if depth > options.max_depth or (options.trim_name_regexes and trim(row.op)):
            break
        if not _passes(row, options) or not show(row.op):
            continue
        if options.hide_name_regexes and hide(row.op):
            continue
        found.append(row)
    return found


def _on_device(row: OpRow, nodes: n.Nodes, options: Options) -> bool:
    """Whether any of its nodes is on a device that is shown."""
    if options.device_regexes == EVERYTHING or options.compat:
        return True
    return any(map(device_matcher(options, "device_regexes"), nodes.devices.distinct(row.picked)))


def _passes(row: OpRow, options: Options) -> bool:
    """Minimums are compared with the running total; of occurrences, with the number of nodes."""
    for metric, least in options.minimums.items():
        value = row.nodes if metric == "occurrence" else int(row.total[COLUMN_OF[metric]])
        if value < least:
            return False
    return True
