"""A tree of nodes with their own and total costs, and what of it the options show."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from tfprof.analyses.accounting import nodes as n
from tfprof.analyses.accounting.choice import Match, matcher
from tfprof.model.options import EVERYTHING, Options

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

ROOT_AT = 0

# which cost a metric of the options is
COLUMN_OF = {
    "params": n.PARAMS, "float_ops": n.FLOAT_OPS, "bytes": n.BYTES, "peak_bytes": n.PEAK,
    "residual_bytes": n.RESIDUAL, "output_bytes": n.OUTPUT, "micros": n.MICROS,
    "accelerator_micros": n.ACCELERATOR, "cpu_micros": n.CPU, "occurrence": n.RUNS,
}  # fmt: skip
# metrics whose minimum is compared with a node's own cost, not with its total
_OWN_MINIMUMS = frozenset({"params", "float_ops", "occurrence"})


@dataclass(frozen=True)
class CostTree:
    """Row 0 is the root. `children` lists, by row, in the order in which they were found.

    `row` leads back to the profile's nodes, -1 where there is none (a scope, a frame, the root).
    """

    labels: list[str]
    row: Ints
    children: list[list[int]]
    own: Ints
    total: Ints
    accounted: Mask


@dataclass(frozen=True)
class Shown:
    """What is displayed, in print order: which tree row, under which displayed one, how deep."""

    tree: CostTree
    at: list[int] = field(default_factory=list)
    parent: list[int] = field(default_factory=list)
    indent: list[int] = field(default_factory=list)
    # how many nodes were passed over between a displayed one and the displayed one above it
    hidden: list[int] = field(default_factory=list)
    total: Ints = field(default_factory=lambda: np.zeros((0, n.COLUMNS), np.int64))


def started(tree: CostTree, options: Options) -> list[int]:
    """The nodes to start from: the root's children, or the first match on each way down."""
    if options.start_name_regexes == EVERYTHING:
        return tree.children[ROOT_AT]
    match = matcher(options.start_name_regexes, "start_name_regexes", lenient=options.compat)
    found = []
    stack = tree.children[ROOT_AT][::-1]
    while stack:
        at = stack.pop()
        if match(tree.labels[at]):
            found.append(at)
        else:
            stack.extend(reversed(tree.children[at]))
    return found


def display(
    tree: CostTree,
    options: Options,
    show: Callable[[int, int], bool],
    *,
    skips_closed: bool = False,
    nodes_in: Sequence[int] | None = None,
) -> Shown:
    """The displayed part: hidden nodes give their place to what is shown below them.

    Where `skips_closed`, a trimmed or too deep node is itself left out, and totals stay.
    """
    trim = _optional(options.trim_name_regexes, "trim_name_regexes", lenient=options.compat)
    total = tree.total.copy()
    # a frame a node: row, depth, shown or not, next child, displayed rows below it
    kids = {ROOT_AT: started(tree, options)}
    below: dict[int, list[int]] = {}
    depths: dict[int, int] = {}
    order = _order(tree, total, options, nodes_in)
    stack: list[list[int]] = [[ROOT_AT, 1, 0]]
    collected: list[list[int]] = [[]]
    while stack:
        at, depth, position = stack[-1]
        children = kids.get(at)
        if children is None:
            children = tree.children[at]
        open_ = depth <= options.max_depth and not trim(tree.labels[at])
        if open_ and position < len(children):
            stack[-1][2] += 1
            child = children[position]
            if skips_closed and (trim(tree.labels[child]) or depth + 1 > options.max_depth):
                continue
            stack.append([child, depth + 1, 0])
            collected.append([])
            continue
        stack.pop()
        displayed = collected.pop()
        if at == ROOT_AT or show(at, depth):
            if options.account_displayed_op_only and not skips_closed:
                total[at] = _own_in_total(tree, at, options)
                for child in displayed:
                    total[at] += total[child]
            below[at] = order(displayed)
            depths[at] = depth
            displayed = [at]
        if collected:
            collected[-1].extend(displayed)
    return _flattened(tree, below, depths, total)


def _own_in_total(tree: CostTree, at: int, options: Options) -> Ints:
    """The original adds a node's own cost also where it does not count."""
    counts = options.compat or bool(tree.accounted[at]) or at == ROOT_AT
    own: Ints = tree.own[at] if counts else np.zeros(n.COLUMNS, np.int64)
    return own


def _order(
    tree: CostTree, total: Ints, options: Options, nodes_in: Sequence[int] | None
) -> Callable[[list[int]], list[int]]:
    by = options.order_by
    if by == "occurrence" and nodes_in is not None:
        return lambda rows: sorted(rows, key=lambda at: -nodes_in[at])
    if by in COLUMN_OF and by != "occurrence":
        column = COLUMN_OF[by]
        return lambda rows: sorted(rows, key=lambda at: -int(total[at, column]))
    if by == "depth":
        return lambda rows: sorted(rows, key=lambda at: -len(tree.children[at]))
    return lambda rows: sorted(rows, key=lambda at: tree.labels[at])


def _flattened(
    tree: CostTree, below: dict[int, list[int]], depths: dict[int, int], total: Ints
) -> Shown:
    at: list[int] = []
    parent: list[int] = []
    indent: list[int] = []
    hidden: list[int] = []
    stack = [(ROOT_AT, -1, 0)]
    while stack:
        row, above, depth = stack.pop()
        at.append(row)
        parent.append(above)
        indent.append(depth)
        hidden.append(depths[row] - depths[at[above]] - 1 if above >= 0 else 0)
        here = len(at) - 1
        stack.extend((child, here, depth + 1) for child in reversed(below.get(row, [])))
    return Shown(tree, at, parent, indent, hidden, total[at])


def early_filter(
    tree: CostTree, options: Options, device_of: Callable[[int], str]
) -> Callable[[int, int], bool]:
    """The early tool shows only what counts, and compares every minimum with a node's own cost."""
    passes = tree.accounted.copy()
    for metric, least in options.minimums.items():
        passes &= tree.own[:, COLUMN_OF[metric]] >= least
    named = _name_filter(tree, options)
    on = matcher(options.device_regexes, "device_regexes", lenient=options.compat)
    return lambda at, depth: (
        bool(passes[at]) and depth <= options.max_depth and on(device_of(at)) and named(at)
    )


def with_started_total(tree: CostTree, options: Options) -> CostTree:
    """The early root adds up what was started from, not everything."""
    if options.start_name_regexes == EVERYTHING:
        return tree
    total = tree.total.copy()
    total[ROOT_AT] = tree.total[started(tree, options)].sum(axis=0)
    return replace(tree, total=total)


def code_filter(tree: CostTree, options: Options) -> Callable[[int, int], bool]:
    """For code, every minimum is compared with the total, and occurrences with nothing."""
    passes = np.ones(len(tree.labels), bool)
    for metric, least in options.minimums.items():
        if metric != "occurrence":
            passes &= tree.total[:, COLUMN_OF[metric]] >= least
    named = _name_filter(tree, options)
    return lambda at, depth: bool(passes[at]) and depth <= options.max_depth and named(at)


def late_filter(tree: CostTree, options: Options) -> Callable[[int, int], bool]:
    """The late tool's test whether a node is displayed, for scopes and graphs."""
    limits = [
        (COLUMN_OF[metric], least, metric in _OWN_MINIMUMS)
        for metric, least in options.minimums.items()
    ]
    passes = np.ones(len(tree.labels), bool)
    for column, least, own in limits:
        passes &= (tree.own if own else tree.total)[:, column] >= least
    named = _name_filter(tree, options)
    return lambda at, depth: bool(passes[at]) and depth <= options.max_depth and named(at)


def _name_filter(tree: CostTree, options: Options) -> Callable[[int], bool]:
    lenient = options.compat
    show = matcher(options.show_name_regexes, "show_name_regexes", lenient=lenient)
    hide = _optional(options.hide_name_regexes, "hide_name_regexes", lenient=lenient)
    return lambda at: show(tree.labels[at]) and not hide(tree.labels[at])


def _optional(patterns: tuple[str, ...], option: str, *, lenient: bool) -> Match:
    return matcher(patterns, option, lenient=lenient) if patterns else lambda _: False
