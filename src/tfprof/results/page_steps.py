"""Steps on the page: a column a category, and what is behind the slices that are looked at."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.categories import Category
from tfprof.results.columns import FieldColumns
from tfprof.results.steps import Behind

Doubles = npt.NDArray[np.float64]


@frozen_dataclass(eq=False)
class CategoryTimes(FieldColumns):
    """What one category took of every step, in microseconds, and of an average one."""

    category: str
    times: Doubles
    average_us: float


@frozen_dataclass(eq=False)
class StepTimes(FieldColumns):
    """Steps in order; `tags` is what the runs of a session were logged as, if they were."""

    numbers: Doubles
    periods: Doubles
    tags: list[str] | None
    categories: list[CategoryTimes]
    median_us: float


@frozen_dataclass
class BehindSlice:
    """What took longest of what is behind a category; `more` events have other names.

    `step` is the place of the step, None for all steps that averages are of.
    """

    step: int | None
    category: Category
    events: tuple[Behind, ...]
    more: int


@frozen_dataclass
class SlowNote:
    """Why a step was slow: `at` is its place, `short` fits beside a bar."""

    at: int
    short: str
    text: str
