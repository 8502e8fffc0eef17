"""One side of a comparison: a model, or the same program measured once or several times."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from tfprof.analyses.comparison.noise import Floats, Samples
from tfprof.analyses.runtime.step_samples import StepSamples, step_samples
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import Dim
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.model.units import as_micros
from tfprof.reports.diff.layers_of import Layers, layers_of
from tfprof.reports.diff.query import Query
from tfprof.reports.shared.whole_hosts import with_whole_hosts
from tfprof.reports.steps import Query as StepsQuery
from tfprof.reports.steps import ask as ask_steps
from tfprof.reports.summary import Brief, brief_of
from tfprof.results.categories import Category
from tfprof.results.diff import SideRow
from tfprof.results.steps import StepsResult

PERIOD = "step time"


@frozen_dataclass(slots=False)
class Side:
    """`runs` are repeats of one thing: what is exact is asked of the first of them.

    `estimates_measured`: memory is estimated also where it was measured, to be set beside that.
    """

    name: str
    runs: Sequence[ProfileData]
    query: Query
    estimates_measured: bool = True

    @property
    def first(self) -> ProfileData:
        return self.runs[0]

    @cached_property
    def summary(self) -> Brief:
        memory = True if self.estimates_measured else None
        return brief_of(self.first, self.query.question, memory=memory)

    @cached_property
    def layers(self) -> Layers:
        return layers_of(self.summary.known)

    @cached_property
    def measured(self) -> list[tuple[ProfileData, StepsResult]]:
        """The runs with steps."""
        asked = ((run, ask_steps(run, StepsQuery()).data) for run in self.runs if run.hosts)
        return [(run, steps) for run, steps in asked if isinstance(steps, StepsResult)]

    def parts(self) -> dict[str, Samples]:
        """The period of steps and what it went to, by category, in microseconds."""
        averaged = [steps.averaged for _, steps in self.measured]
        found = {PERIOD: [_micros([row.period for row in rows]) for rows in averaged]}
        for category in Category:
            runs = [_micros([row.breakdown.get(category, 0) for row in rows]) for rows in averaged]
            if any(run.any() for run in runs):
                found[category.value] = runs
        return {name: Samples(runs) for name, runs in found.items()} if averaged else {}

    def ops(self, by: str) -> dict[str, Samples]:
        """Own time in each of the same steps, by layer, op or phase."""
        told = [
            (found, {row.step for row in steps.averaged})
            for run, steps in self.measured
            if (found := step_samples(run, by)) is not None
        ]
        names = dict.fromkeys(name for found, _ in told for name in found.rows)
        return {name: Samples([_of(found, name, kept) for found, kept in told]) for name in names}

    def row(self) -> SideRow:
        told = self.summary
        peaks = told.peak_memory or {}
        period = self.parts().get(PERIOD)
        steps = self.measured[0][1] if self.measured else None
        return SideRow(
            self.name,
            len(self.measured),
            sum(len(run) for run in period.runs) if period is not None else 0,
            Quantity.measured(period.level) if period is not None else told.step_us,
            Quantity.unknown("no steps") if steps is None else steps.most_input_bound,
            told.params.total,
            told.costs.flops,
            max(peaks.values(), key=_size, default=Quantity.unknown("no memory is known")),
            {} if steps is None else steps.average.breakdown,
        )

    def about_hosts(self) -> Iterator[str]:
        """Of which of several hosts the steps are, and who is left out; a run a line or more."""
        for run in self.runs:
            for one in with_whole_hosts(run).left_out:
                yield f"{run.title}: {one}"
        for run, steps in self.measured:
            if len(steps.hosts) > 1:
                shown, many = steps.hosts[0].host, len(steps.hosts)
                yield f"{run.title}: steps are those of {shown}, the first of {many:,} hosts"


def _size(peak: Quantity) -> float:
    return peak.number or 0.0


def _micros(picoseconds: list[int]) -> Floats:
    return np.array([as_micros(one) for one in picoseconds], np.float64)


def _of(found: StepSamples, name: str, kept: set[int]) -> Floats:
    """In the steps that averages are of; a row that a run does not have took nothing in it."""
    inside = np.array([step in kept for step in found.steps])
    values = found.rows.get(name)
    return np.zeros(int(inside.sum())) if values is None else values[inside]


def told(quantity: Quantity) -> float | str | None:
    """A formula as it is written."""
    value = quantity.value
    return str(value) if isinstance(value, Dim) else value
