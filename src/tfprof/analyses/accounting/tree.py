"""A tree of nodes with their own and total costs, and what of it the options show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace

import numpy as np
import numpy.typing as npt

from tfprof.analyses.accounting.ancestry import ROOT_AT, Walk, depths, nearest, renumbered
from tfprof.analyses.accounting.cost_columns import costs_at
from tfprof.analyses.accounting.regexes import device_matcher, matcher
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.interned import Interned
from tfprof.model.metrics import COLUMN_OF
from tfprof.model.options import EVERYTHING, Options

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]

# metrics whose minimum is compared with a node's own cost, not with its total
_OWN_MINIMUMS = frozenset({"params", "float_ops", "occurrence"})


@frozen_dataclass(slots=False)
class CostTree:
    """Row 0 is the root, its own parent; `walk` is the order in which rows were found.

    `row` leads back to the profile's nodes, -1 where there is none (a scope, a frame, the root).
    """

    labels: Sequence[str]
    row: Ints
    parent: Ints
    walk: Walk
    own: Ints
    total: Ints
    accounted: Mask
    # whether labels are different ones in byte order, the root's aside
    in_order: bool = False

    def matching(self, option: str, options: Options, among: Mask | None = None) -> Mask:
        """The rows whose label matches the patterns of an option; of some rows, if not of all."""
        patterns = getattr(options, option)
        wanted = np.ones(len(self.labels), bool) if among is None else among.copy()
        if patterns == EVERYTHING or not patterns:
            return wanted & bool(patterns)
        match = matcher(patterns, option, lenient=options.compat)
        rows = np.flatnonzero(wanted)
        labels = map(self.labels.__getitem__, rows.tolist())
        wanted[rows] = np.fromiter(map(match, labels), bool, len(rows))
        return wanted


@frozen_dataclass(slots=False)
class Shown:
    """What is displayed, in print order: which tree row, under which displayed one, how deep."""

    tree: CostTree
    at: Ints
    parent: Ints
    indent: Ints
    # how many nodes were passed over between a displayed one and the displayed one above it
    hidden: Ints
    total: Ints


@frozen_dataclass(slots=False)
class _Start:
    """The tree as it hangs off what was started from; `inside` is all of it that is left."""

    parent: Ints
    depth: Ints
    inside: Mask
    first: Ints = field(default_factory=lambda: np.zeros(0, np.int64))


def _started(tree: CostTree, options: Options) -> _Start:
    """From the root's children, or from the first match on each way down."""
    depth = depths(tree.parent)
    if options.start_name_regexes == EVERYTHING:
        first = np.flatnonzero(tree.parent == ROOT_AT)
        return _Start(tree.parent, depth + 1, np.ones(len(depth), bool), first[first != ROOT_AT])
    starts = tree.matching("start_name_regexes", options)
    starts[ROOT_AT] = False
    starts &= nearest(tree.parent, starts) == ROOT_AT
    top = np.where(starts, np.arange(len(starts)), nearest(tree.parent, starts))
    inside = top != ROOT_AT
    inside[ROOT_AT] = True
    depth = np.where(inside, depth - depth[top] + 2, 0)
    depth[ROOT_AT] = 1
    parent = np.where(starts, ROOT_AT, tree.parent)
    return _Start(parent, depth, inside, np.flatnonzero(starts))


def display(
    tree: CostTree,
    options: Options,
    passes: Mask,
    *,
    skips_closed: bool = False,
    nodes_in: Sequence[int] | None = None,
) -> Shown:
    """The displayed part: hidden nodes give their place to what is shown below them.

    Where `skips_closed`, a trimmed or too deep node is itself left out, and totals stay.
    """
    start = _started(tree, options)
    closed = tree.matching("trim_name_regexes", options)
    deep = start.depth > options.max_depth
    closed |= deep
    reached = start.inside & (nearest(start.parent, closed) == ROOT_AT) & ~closed[ROOT_AT]
    shown = reached & passes & ~(closed if skips_closed else deep)
    shown[ROOT_AT] = True
    total = tree.total
    if options.account_displayed_op_only and not skips_closed:
        total = tree.walk.sums(_counted_own(tree, shown, options))
    rows = np.flatnonzero(shown)
    ranks = _ranks(tree, rows, total, options, nodes_in)
    if len(rows) == len(shown):  # nothing is passed over
        above, indent = start.parent, start.depth - 1
    else:
        above = renumbered(nearest(start.parent, shown)[rows], shown)
        indent = depths(above)
    as_found = ranks is None and above is tree.parent and tree.walk.is_in_row_order
    printed = tree.walk if as_found else Walk.of(above, ranks)
    order = printed.order
    at, parent = rows[order], printed.position[above[order]]
    hidden = start.depth[at] - start.depth[at[parent]] - 1
    parent[ROOT_AT], hidden[ROOT_AT] = -1, 0
    return Shown(tree, at, parent, indent[order], hidden, costs_at(total, at))


def _counted_own(tree: CostTree, shown: Mask, options: Options) -> Ints:
    """The original adds a node's own cost also where it does not count."""
    counts = shown.copy() if options.compat else shown & tree.accounted
    counts[ROOT_AT] = True
    return tree.own * counts[:, None]


def _ranks(
    tree: CostTree, rows: Ints, total: Ints, options: Options, nodes_in: Sequence[int] | None
) -> Ints | None:
    """The place each displayed row has among all of them: by the order asked for, then as found.

    None if that is the order of the rows.
    """
    by = options.order_by
    keys: Ints
    if by == "occurrence" and nodes_in is not None:
        keys = -np.asarray(nodes_in, np.int64)[rows]
    elif by in COLUMN_OF and by != "occurrence":
        keys = -total[rows, COLUMN_OF[by]]
    elif by == "depth":
        keys = -np.bincount(tree.parent[1:], minlength=len(tree.parent))[rows]
    elif tree.in_order:
        return None
    else:
        labels = [tree.labels[row] for row in rows.tolist()]
        place = {label: place for place, label in enumerate(sorted(dict.fromkeys(labels)))}
        keys = np.fromiter(map(place.__getitem__, labels), np.int64, len(labels))
    ranks = np.empty(len(rows), np.int64)
    ranks[np.lexsort((tree.walk.position[rows], keys))] = np.arange(len(rows))
    return ranks


def early_filter(tree: CostTree, options: Options, devices: Interned) -> Mask:
    """The early tool shows only what counts, and compares every minimum with a node's own cost."""
    passes = tree.accounted.copy()
    for metric, least in options.minimums.items():
        passes &= tree.own[:, COLUMN_OF[metric]] >= least
    passes &= _on_device(tree, options, devices)
    return _named(tree, options, passes)


def with_started_total(tree: CostTree, options: Options) -> CostTree:
    """The early root adds up what was started from, not everything."""
    if options.start_name_regexes == EVERYTHING:
        return tree
    total = tree.total.copy()
    total[ROOT_AT] = tree.total[_started(tree, options).first].sum(axis=0)
    return replace(tree, total=total)


def code_filter(tree: CostTree, options: Options) -> Mask:
    """For code, every minimum is compared with the total, and occurrences with nothing."""
    passes = np.ones(len(tree.labels), bool)
    for metric, least in options.minimums.items():
        if metric != "occurrence":
            passes &= tree.total[:, COLUMN_OF[metric]] >= least
    return _named(tree, options, passes)


def late_filter(tree: CostTree, options: Options, devices: Interned) -> Mask:
    """The late tool's test whether a node is displayed, for scopes and graphs.

    It had no option for devices any more; where it is given, scopes stand above what is shown.
    """
    passes = np.ones(len(tree.labels), bool)
    if options.device_regexes != EVERYTHING and not options.compat:
        placed = tree.row >= 0
        on_device = _on_device(tree, options, devices) & placed
        passes &= on_device | (~placed & (tree.walk.sums(on_device.astype(np.int64)) > 0))
    for metric, least in options.minimums.items():
        costs = tree.own if metric in _OWN_MINIMUMS else tree.total
        passes &= costs[:, COLUMN_OF[metric]] >= least
    return _named(tree, options, passes)


def _on_device(tree: CostTree, options: Options, devices: Interned) -> Mask:
    """The rows on devices that are shown; made-up scopes are on none."""
    on = device_matcher(options, "device_regexes")
    found = np.full(len(tree.row), on(""))
    placed = tree.row >= 0
    found[placed] = devices.map(on)[tree.row[placed]]
    return found


def _named(tree: CostTree, options: Options, passes: Mask) -> Mask:
    """Those of the passing rows whose name is shown and not hidden."""
    shown = tree.matching("show_name_regexes", options, passes)
    return shown & ~tree.matching("hide_name_regexes", options, shown)
