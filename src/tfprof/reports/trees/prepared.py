"""A profile that is asked for views: what they are all counted from is kept between questions."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from tfprof.analyses.accounting.name_scopes import MOST_SCOPES, too_deep
from tfprof.analyses.accounting.nodes import Nodes, build_nodes
from tfprof.analyses.accounting.regexes import matcher
from tfprof.analyses.inference.sites import Given
from tfprof.errors import UsageError
from tfprof.model import units
from tfprof.model.metrics import LOST_PARAMS
from tfprof.model.oplog import TRAINABLE
from tfprof.model.options import EVERYTHING, Options
from tfprof.model.profile import ProfileData
from tfprof.reports.trees.answer import TREES, Result, op_costs
from tfprof.reports.trees.query import Query
from tfprof.reports.trees.unmatched import unmatched
from tfprof.results.answered import Answered, answered
from tfprof.results.trees import CostTreeResult, OpCostsResult

_OF_LAYERS = "a Keras file has variables, no other nodes: `tfprof layers` counts its work"
_WHOLE = "times are of the whole capture, not of one step"


class Prepared:
    """The second question is quick: its nodes are those of the first, if they agree in needs."""

    def __init__(self, data: ProfileData) -> None:
        self.data = data.as_recorded()
        self._needs: tuple[object, ...] | None = None
        self._kept: tuple[ProfileData, Nodes]

    def ask(self, query: Query) -> Answered[Result]:
        """An unknown step is an error that lists the known ones."""
        options = query.settled(self.data)
        data, nodes = self._ready(options, query.given)
        _check_step(data, options)
        tree = TREES.get(query.view)
        result = op_costs(nodes, options) if tree is None else tree(data, nodes, options)
        said = [*warnings_of(data), *unmatched(query.view, nodes, options), *_lost(nodes)]
        said += _left_out(nodes) if query.view == "scope" else []
        # how many nodes there are is known without a run
        asked = {*options.select, options.order_by} - {"occurrence"}
        notes = said + _reasons({k: why for k, why in nodes.unknown.items() if k in asked})
        return answered(query.view, data, result, said + _reasons(nodes.unknown), notes)

    def tree(self, view: str, options: Options) -> CostTreeResult:
        """The scope, graph or code view alone."""
        return TREES[view](*self._ready(options, None), options)

    def ops(self, options: Options) -> OpCostsResult:
        """The op view alone."""
        return op_costs(self.nodes(options), options)

    def nodes(self, options: Options) -> Nodes:
        return self._ready(options, None)[1]

    def made_ready(self, query: Query) -> list[str]:
        """What there is to say of the question, and of nodes that had to be prepared for it."""
        before, options = self._needs, query.settled(self.data)
        data, nodes = self._ready(options, query.given)
        said = () if self._needs == before else data.warnings[len(self.data.warnings) :]
        return [*said, *unmatched(query.view, nodes, options)]

    def _ready(self, options: Options, given: Given | None) -> tuple[ProfileData, Nodes]:
        needs = (options.step, options.compat, *_asks_for(options), given)
        if self._needs != needs:
            data = _with_what_is_asked(self.data, options, given)
            self._kept = data, build_nodes(data, options.step, compat=options.compat)
            self._needs = needs
        return self._kept


def _check_step(data: ProfileData, options: Options) -> None:
    steps = data.trace.steps if data.trace is not None else ()
    if options.step >= 0 and options.step not in steps:
        known = ", ".join(str(step) for step in steps) or "none"
        raise UsageError(f"step {options.step} was not recorded", hint=f"Recorded steps: {known}.")


def ask(data: ProfileData, query: Query) -> Answered[Result]:
    return Prepared(data).ask(query)


def _lost(nodes: Nodes) -> list[str]:
    """Of which variables the parameters are not known."""
    lost = np.flatnonzero(nodes.costs[:, LOST_PARAMS]).tolist()
    if not lost:
        return []
    more = ", ..." if len(lost) > 1 else ""
    count = units.plural(len(lost), "variable")
    tells = "--vars FILE tells" if nodes.graph is not None else "a file with the weights tells"
    return [f"params: the shape of {count} is not known ({nodes.names[lost[0]]}{more}): {tells}"]


def _reasons(unknown: Mapping[str, str]) -> list[str]:
    """A sentence a reason, with the metrics that are not known for it."""
    keys: dict[str, list[str]] = {}
    for metric, reason in unknown.items():
        keys.setdefault(reason, []).append(metric)
    return [f"{', '.join(metrics)}: {reason}" for reason, metrics in keys.items()]


def _left_out(nodes: Nodes) -> list[str]:
    """Rows that are not there; no cost is lost with them."""
    deep = too_deep(nodes.names)
    if not deep:
        return []
    names = units.plural(deep, "name")
    return [f"of {names} only the first {MOST_SCOPES} scopes are shown"]


def warnings_of(data: ProfileData) -> list[str]:
    """Those of the files, and what all four views lack."""
    warnings = list(data.warnings)
    if data.graph is None and data.keras is not None:
        warnings.append(_OF_LAYERS)
    elif data.graph is None:
        warnings.append("no graph was given: nodes are known by the run alone")
    if data.trace is not None and len(data.trace.executions) and not data.trace.steps:
        warnings.append(_WHOLE)
    return warnings


def _asks_for(options: Options) -> tuple[bool, bool]:
    """Whether FLOPs are asked for, and whether it matters which variables are trained."""
    flops = "float_ops" in (*options.select, options.order_by) or options.min_float_ops > 0
    types = options.account_type_regexes
    trained = "op_types" in options.select or (
        types != EVERYTHING
        and matcher(types, "account_type_regexes", lenient=options.compat)(TRAINABLE)
    )
    return flops, trained


def _with_what_is_asked(data: ProfileData, options: Options, given: Given | None) -> ProfileData:
    """With FLOPs and trained variables of our own finding where they are asked for and not told."""
    flops, trained = _asks_for(options)
    logged = data.oplog is not None and bool(data.oplog.float_ops)
    if options.compat or not (flops or trained):
        return data
    from tfprof.analyses.accounting.fill_oplog import fill_oplog  # loads the rules of all ops

    return fill_oplog(data, float_ops=flops and not logged, trained=trained, given=given)
