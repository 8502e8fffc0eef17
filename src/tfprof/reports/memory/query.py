"""What is asked of memory: for which batches, on which device, in how many bytes, and what if."""

from __future__ import annotations

from dataclasses import dataclass, field

from tfprof.reports.shared.question import Question

# a data-centre GPU at half of what its maker promises
DEFAULT_DEVICE = "gpu:10T,800G"


@dataclass(frozen=True, slots=True)
class WhatIfQuery:
    """`recompute` is a pattern of scopes, or empty for a search; `swap` are GB a second."""

    recompute: str | None = None
    more_flops: float | None = None
    swap: float | None = None
    device: str = DEFAULT_DEVICE
    dtype: str | None = None

    @property
    def is_asked(self) -> bool:
        return self.recompute is not None or self.swap is not None or self.dtype is not None


@dataclass(frozen=True, slots=True)
class Query:
    """`question` is what is computed, without its batches.

    `optimizer` asks for a training step where the graph has none, `executed` for the graph that
    ran, `estimate` for no measurement.
    """

    question: Question = field(default_factory=Question)
    batches: tuple[int, ...] = ()
    model: str = "cpu-tf"
    budget: int | None = None
    margin: float = 0.05
    executed: bool = False
    optimizer: str | None = None
    workspace: int | None = None
    what_if: WhatIfQuery = field(default_factory=WhatIfQuery)
    estimate: bool = False

    @property
    def may_be_measured(self) -> bool:
        """Whether nothing is asked that only an estimate can answer."""
        return self == Query()

    @property
    def given(self) -> tuple[str, ...]:
        """The sizes that are said, in the words of the command line."""
        feeds = {name: ",".join(map(str, shape)) for name, shape in self.question.feeds.items()}
        return tuple(
            f"{name}={size}" for name, size in [*self.question.sizes.items(), *feeds.items()]
        )
