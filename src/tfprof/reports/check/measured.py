"""What budgets are about, measured of one profile; each question is asked once, if at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property

from tfprof.analyses.comparison.noise import Samples
from tfprof.errors import TfprofError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Kind, Quantity
from tfprof.reports import steps
from tfprof.reports.diff.query import Query as DiffQuery
from tfprof.reports.diff.sides import PERIOD, Side
from tfprof.reports.shared.question import Question
from tfprof.reports.summary import Brief, brief_of
from tfprof.results.steps import NoSteps, StepsResult

_NO_MEMORY = "no graph and no record of memory"
_NO_GRAPH = "no graph here"


@frozen_dataclass(slots=False)
class Measured:
    """`repeats` are other runs of the same: the time of steps is that of all.

    Memory is estimated if a budget is about it.
    """

    data: ProfileData
    question: Question
    repeats: tuple[ProfileData, ...] = ()
    wants_memory: bool = True

    @cached_property
    def summary(self) -> Brief:
        return brief_of(self.data, self.question, memory=self.wants_memory)

    @cached_property
    def parts(self) -> dict[str, Samples]:
        """The steps and what their time went to, in every run; none where nothing ran."""
        side = Side("", (self.data, *self.repeats), DiffQuery(self.question))
        return side.parts() if isinstance(self.steps, StepsResult) else {}

    @cached_property
    def steps(self) -> StepsResult | NoSteps | TfprofError:
        try:
            return steps.ask(self.data, steps.Query(None, None, gaps=False, device=None)).data
        except TfprofError as fault:
            return fault

    def of(self, metric: str) -> Quantity:
        return _plain(_MEASURED[metric](self), self.summary.costs.symbols)


def _plain(found: Quantity, symbols: tuple[str, ...]) -> Quantity:
    """A formula is no number that a limit can be compared with."""
    if found.known and found.number is None:
        sizes = ", ".join(symbols) or "a size"
        return Quantity.unknown(f"it depends on {sizes}: give it, --batch N or --dim S=N")
    return found


def _peak(one: Measured) -> Quantity:
    peaks = one.summary.peak_memory
    if not peaks:
        return Quantity.unknown(_NO_MEMORY)
    unknown = [found for found in peaks.values() if found.number is None]
    known = [found for found in peaks.values() if found.number is not None]
    if not known:
        return unknown[0]
    most = max(known, key=lambda found: found.number or 0)
    if unknown and most.kind is not Kind.AT_LEAST:
        return Quantity.at_least(most.value or 0, unknown[0].reason)
    return most


def _uncounted(one: Measured) -> Quantity:
    ops = one.summary.costs.uncounted_ops
    if ops is None:
        return Quantity.unknown(_NO_GRAPH)
    return Quantity.derived(sum(row.count for row in ops))


def _step_time(one: Measured) -> Quantity:
    found = one.steps
    if isinstance(found, StepsResult):
        return Quantity.measured(one.parts[PERIOD].level)
    if isinstance(found, TfprofError):
        return Quantity.unknown(found.what)
    return Quantity.unknown(found.input_bound.reason)


def _input_share(one: Measured) -> Quantity:
    """Of several hosts, that of the one that waits longest: others wait for it."""
    found = one.steps
    if isinstance(found, TfprofError):
        return Quantity.unknown(found.what)
    return found.most_input_bound if isinstance(found, StepsResult) else found.input_bound


_MEASURED: Mapping[str, Callable[[Measured], Quantity]] = {
    "params": lambda one: one.summary.params.total,
    "trainable_params": lambda one: one.summary.params.trainable,
    "flops": lambda one: one.summary.costs.flops,
    "macs": lambda one: one.summary.costs.macs,
    "nodes": lambda one: one.summary.nodes,
    "unknown": _uncounted,
    "peak_memory": _peak,
    "step_time": _step_time,
    "input_share": _input_share,
}
