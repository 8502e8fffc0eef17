"""What is asked of memory: for which batches, on which device, in how many bytes, and what if."""

from __future__ import annotations

import math
import re
from dataclasses import field

from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.reports.shared.question import Question, whole_number
from tfprof.results.calibration import Calibration

OPTIMIZERS = ("adam", "sgd", "momentum")
# the graph of the file, what Grappler makes of it, what a run holds
WRITTEN, OPTIMISED, EXECUTED = FORMS = ("written", "optimised", "executed")
INT8 = "int8"
NARROW_TYPES = ("float16", "bfloat16", INT8)
# a data-centre GPU at half of what its maker promises
DEFAULT_DEVICE = "gpu:10T,800G"


@frozen_dataclass
class WhatIfQuery:
    """`recompute` is a pattern of scopes, or empty for a search; `swap` are GB a second.

    `keep` are the tensors that a plan of one's own does not compute again.
    """

    recompute: str | None = None
    more_flops: float | None = None
    swap: float | None = None
    device: str | None = None
    dtype: str | None = None
    keep: tuple[str, ...] = ()
    calibration: Calibration | None = None

    @property
    def is_asked(self) -> bool:
        asked = self.recompute, self.swap, self.dtype
        return bool(self.keep) or any(one is not None for one in asked)


@frozen_dataclass
class Query:
    """`question` is what is computed, without its batches.

    `optimizer` asks for a training step where the graph has none, `executed` for the graph that
    ran, `optimised` for the one that Grappler would make, `estimate` for no measurement.
    """

    question: Question = field(default_factory=Question)
    batches: tuple[int, ...] = ()
    # as the run shows, where nobody says it
    model: str | None = None
    budget: int | None = None
    margin: float = 0.05
    executed: bool = False
    optimizer: str | None = None
    workspace: int | None = None
    # in bytes, of the CPU that the step will run on
    last_cache: int | None = None
    what_if: WhatIfQuery = field(default_factory=WhatIfQuery)
    estimate: bool = False
    optimised: bool = False

    def __post_init__(self) -> None:
        """Refuses what no device, optimizer or link is like."""
        batches = tuple(whole_number(one, "batch") for one in self.batches)
        object.__setattr__(self, "batches", batches)
        if self.budget is not None:
            whole_number(self.budget, "device memory in bytes")
        if self.last_cache is not None:
            whole_number(self.last_cache, "last cache in bytes")
        _check_share(self.margin, "the margin")
        _check_one_of(self.optimizer, "optimizer", OPTIMIZERS)
        _check_one_of(self.what_if.dtype, "dtype", NARROW_TYPES)
        swap, more = self.what_if.swap, self.what_if.more_flops
        if swap is not None and not (_is_number(swap) and 0 < swap < math.inf):
            raise UsageError(f"swap takes gigabytes a second, not {swap!r}", hint="swap=16")
        if more is not None and not (_is_number(more) and math.isfinite(more)):
            raise UsageError(f"more FLOPs are so many percent, not {more!r}")
        _check_pattern(self.what_if.recompute)

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


def form_of(name: str | None) -> str | None:
    """The graph that is meant, if any is named."""
    _check_one_of(name, "form of a graph", FORMS)
    return name


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _check_share(value: float, what: str) -> None:
    if not _is_number(value) or not 0 <= value < math.inf:
        raise UsageError(f"{what} is a share from 0 on, not {value!r}", hint="0.05 is 5 percent")


def _check_pattern(scopes: str | None) -> None:
    try:
        re.compile(scopes or "")
    except re.error as fault:
        what = f"the scopes to recompute, {scopes!r}, are no regular expression: {fault}"
        raise UsageError(what) from None


def _check_one_of(value: str | None, what: str, known: tuple[str, ...]) -> None:
    if value is not None and value not in known:
        raise UsageError(f"no {what} is called {value!r}", hint=f"One of {', '.join(known)}.")
