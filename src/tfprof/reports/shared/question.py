"""What is asked of a model before it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tfprof.errors import UsageError
from tfprof.model.dims import BATCH, Shape, Size, symbol

if TYPE_CHECKING:
    from tfprof.analyses.inference.sites import Given


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
    """As Python asks it; a letter in a shape is a symbol."""
    known = {**(sizes or {}), **({BATCH: batch} if batch is not None else {})}
    shapes = {
        name: tuple(_size(name, at, size) for at, size in enumerate(shape))
        for name, shape in (feeds or {}).items()
    }
    return Question(known, shapes, mode, (), signature)


def _size(name: str, at: int, size: int | str | None) -> Size:
    """None, as TensorFlow writes an open size, can only be meant for the batch."""
    if size is None and at > 0:
        raise UsageError(
            f"size {at + 1} of feed {name} is None",
            hint=f'A letter is an open size: feeds={{"{name}": ("B", "S", 3)}}.',
        )
    return size if isinstance(size, int) else symbol(size or BATCH)
