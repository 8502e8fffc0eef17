"""What budgets are about, measured of one profile; each question is asked once, if at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from tfprof.errors import TfprofError
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Kind, Quantity
from tfprof.reports import steps, summary
from tfprof.reports.shared.question import Question
from tfprof.results.steps import NoSteps, StepsResult
from tfprof.results.summary import SummaryResult

_NO_MEMORY = "no graph and no record of memory"
_NO_GRAPH = "no graph here"


@dataclass(frozen=True)
class Measured:
    data: ProfileData
    question: Question

    @cached_property
    def summary(self) -> SummaryResult:
        return summary.ask(self.data, summary.Query(self.question)).data

    @cached_property
    def steps(self) -> StepsResult | NoSteps | TfprofError:
        try:
            return steps.ask(self.data, steps.Query(None, None, gaps=False, device=None)).data
        except TfprofError as fault:
            return fault

    @cached_property
    def periods(self) -> tuple[float, ...]:
        """Microseconds; the last step has none, since no other begins where it ends."""
        found = self.steps
        if not isinstance(found, StepsResult):
            return ()
        rows = found.steps if len(found.steps) == 1 else found.steps[:-1]
        return tuple(row.period / 1e6 for row in rows if row.period > 0)

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
        return Quantity.measured(found.period.median_us)
    if isinstance(found, TfprofError):
        return Quantity.unknown(found.what)
    return Quantity.unknown(found.input_bound.reason)


def _input_share(one: Measured) -> Quantity:
    found = one.steps
    return Quantity.unknown(found.what) if isinstance(found, TfprofError) else found.input_bound


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
