"""Steps run again on paper, with something changed: what-ifs that are computed, not guessed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.medians import median_of
from tfprof.model.units import as_micros
from tfprof.results.categories import Category
from tfprof.results.steps import StepRow, StepsResult


@frozen_dataclass
class Stretch:
    """A step of so many microseconds, of which it waited so many for input."""

    period: float
    wait: float

    @property
    def rest(self) -> float:
        return max(0.0, self.period - self.wait)


def counted_steps(steps: StepsResult) -> Sequence[StepRow]:
    """Those that averages are of: in the first the profiler starts, the last has no period."""
    left_out = len(steps.steps) - steps.average.steps
    return steps.steps[1:-1] if left_out > 1 else steps.steps[left_out:]


def stretches(steps: StepsResult) -> list[Stretch]:
    return [
        Stretch(as_micros(row.period), as_micros(row.breakdown.get(Category.INPUT, 0)))
        for row in counted_steps(steps)
    ]


def without(steps: StepsResult, gone: Iterable[Category]) -> tuple[float, float]:
    """The median step before and after, in microseconds, if some categories took no time.

    An instant counts for one category only: what goes on beside them stays.
    """
    rows, gone = counted_steps(steps), tuple(gone)
    before = [as_micros(row.period) for row in rows]
    left = [as_micros(row.period - sum(row.breakdown.get(one, 0) for one in gone)) for row in rows]
    return median_of(before), median_of(left)


@frozen_dataclass
class Machine:
    """`cores` are shared by the pipeline and the model.

    `work` is what both keep cores busy for in a step, in microseconds, where the recording measured
    it. Else a pipeline that is waited for is taken to keep one core busy, and the model
    `model_cores` of them: threads that a capture shows at work may be waiting for a core.
    """

    cores: int
    model_cores: float
    work: float | None = None

    def busy(self, one: Stretch) -> float:
        return one.wait + one.rest * self.model_cores if self.work is None else self.work


def fed_ahead(
    steps: Sequence[Stretch], *, speed_up: float, machine: Machine
) -> tuple[float, float]:
    """The median step before and after, if the pipeline ran beside the model, so much faster.

    Of the rest of a step, the pipeline's work and what the cores have to do in all, the longest
    decides: a core that maps is not there for the model.
    """
    left = [max(one.rest, one.wait / speed_up, machine.busy(one) / machine.cores) for one in steps]
    return median_of([one.period for one in steps]), median_of(left)
