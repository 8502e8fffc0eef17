"""What is asked about steps."""

from __future__ import annotations

from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.categories import Category
from tfprof.results.steps import Look


@frozen_dataclass
class Query:
    """One step alone; the events behind a category; the gaps; one of the devices; all hosts."""

    step: int | None = None
    events: str | None = None
    gaps: bool = False
    device: str | None = None
    hosts: bool = False

    @property
    def category(self) -> Category | None:
        if self.events is None:
            return None
        word = self.events.lower().replace("-", "_")
        for category in Category:
            if word in (category.value, category.label.lower()):
                return category
        known = ", ".join(one.value for one in Category)
        raise UsageError(f"--events {self.events!r} is no category", hint=f"There are {known}.")

    @property
    def look(self) -> Look:
        if self.events is not None:
            return Look.EVENTS
        if self.gaps:
            return Look.GAPS
        if self.hosts:
            return Look.HOSTS
        return Look.ALL if self.step is None else Look.STEP
