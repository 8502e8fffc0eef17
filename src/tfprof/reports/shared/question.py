"""What is asked of a model before it runs."""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING

from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.dims import BATCH, Shape, Size, parsed, symbol

if TYPE_CHECKING:
    from tfprof.analyses.inference.sites import Given

_MODES = (None, "train", "inference")


@frozen_dataclass
class Question:
    """Sizes of symbols, shapes of inputs, and which part of the graph is meant."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    feeds: Mapping[str, Shape] = field(default_factory=dict)
    mode: str | None = None
    fetch: tuple[str, ...] = ()
    signature: str | None = None

    def given(self, mode: str) -> Given:
        # a capture is asked the same, and need not import what infers shapes
        from tfprof.analyses.graph.subgraph import TRAIN
        from tfprof.analyses.inference.sites import Given

        return Given(self.sizes, self.feeds, truth=mode == TRAIN)


def question_from(
    batch: int | None = None,
    mode: str | None = None,
    signature: str | None = None,
    feeds: Mapping[str, Sequence[int | str | None]] | None = None,
    sizes: Mapping[str, int] | None = None,
) -> Question:
    """As Python asks it; a letter in a shape is a symbol. What makes no sense is an error."""
    known = {name: whole_number(size, f"dims[{name!r}]") for name, size in (sizes or {}).items()}
    if batch is not None:
        known[BATCH] = whole_number(batch, "batch")
    if mode not in _MODES:
        raise UsageError(f"mode= does not take {mode!r}", hint='"train" or "inference"')
    shapes = {name: _fed(name, shape) for name, shape in (feeds or {}).items()}
    return Question(known, shapes, mode, (), signature)


def whole_number(value: object, what: str) -> int:
    """A number from 1 on, as an int, whoever made it."""
    try:
        found = operator.index(value)  # type: ignore[arg-type]  # which is what is tried
    except TypeError:
        found = 0
    if found < 1 or isinstance(value, bool):
        raise UsageError(f"{what} is a whole number from 1 on, not {value!r}")
    return found


def _fed(name: str, shape: Sequence[int | str | None]) -> Shape:
    sizes = shape.split(",") if isinstance(shape, str) else shape
    try:
        return tuple(_size(name, at, size) for at, size in enumerate(sizes))
    except (TypeError, ValueError):
        raise UsageError(
            f"feeds[{name!r}] is a shape, not {shape!r}", hint='feeds={"x": ("B", 224, 224, 3)}'
        ) from None


def _size(name: str, at: int, size: int | str | None) -> Size:
    """None, as TensorFlow writes an open size, can only be meant for the batch."""
    if size is None and at > 0:
        raise UsageError(
            f"size {at + 1} of feed {name} is None",
            hint=f'A letter is an open size: feeds={{"{name}": ("B", "S", 3)}}.',
        )
    if size is None:
        return symbol(BATCH)
    if isinstance(size, str):
        return parsed(size.strip())
    return whole_number(size, f"a size of feeds[{name!r}]")
