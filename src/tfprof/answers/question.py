"""What is asked of a model before it runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tfprof.analyses.inference.sites import Given
    from tfprof.model.dims import Shape


@dataclass(frozen=True, slots=True)
class Question:
    """Sizes of symbols, shapes of inputs, and which part of the graph is meant."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    feeds: Mapping[str, Shape] = field(default_factory=dict)
    mode: str | None = None
    fetch: tuple[str, ...] = ()
    signature: str | None = None

    def given(self, mode: str) -> Given:
        # a capture is asked the same, and need not import what infers shapes
        from tfprof.analyses.computed import TRAIN
        from tfprof.analyses.inference.sites import Given

        return Given(self.sizes, self.feeds, truth=mode == TRAIN)
