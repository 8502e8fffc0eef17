"""`tfprof.load(...)`: files into a profile that answers questions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tfprof.answers.memory import MemoryQuestion, memory
from tfprof.answers.memory_chart import memory_chart
from tfprof.answers.static import question_from
from tfprof.answers.summary import summary
from tfprof.answers.views_data import view_result
from tfprof.answers.what_if import WhatIfQuestion
from tfprof.api.answer import Answer
from tfprof.api.ask import layers_of
from tfprof.errors import UsageError
from tfprof.model.checkpoint import Checkpoint
from tfprof.model.options import options_from
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.sources.load import Request, choose, read
from tfprof.views.chart import Chart

PathLike = str | os.PathLike[str]


class Profile:
    """One model and what is known about it."""

    def __init__(self, data: ProfileData) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"<tfprof.Profile of {self.data.title}>"

    @property
    def checkpoint(self) -> Checkpoint | None:
        return self.data.checkpoint

    @property
    def trace(self) -> Trace | None:
        return self.data.trace

    def summary(
        self,
        *,
        signature: str | None = None,
        stats: bool = False,
        batch: int | None = None,
        mode: str | None = None,
    ) -> Answer:
        """What the model is, what it costs; with `stats`, what the checkpoint's values are."""
        question = question_from(batch, mode, signature)
        return Answer(summary(self.data, signature, stats=stats, question=question))

    def layers(
        self,
        *,
        batch: int | None = None,
        mode: str | None = None,
        signature: str | None = None,
        feeds: Mapping[str, Sequence[int | str]] | None = None,
        dims: Mapping[str, int] | None = None,
    ) -> Answer:
        """Shape, parameters, FLOPs and activations of each layer, before anything runs."""
        return Answer(layers_of(self.data, question_from(batch, mode, signature, feeds, dims)))

    def memory(  # noqa: PLR0913  (each one an option of the command)
        self,
        *,
        batch: int | Sequence[int] | None = None,
        mode: str | None = None,
        signature: str | None = None,
        feeds: Mapping[str, Sequence[int | str]] | None = None,
        dims: Mapping[str, int] | None = None,
        model: str = "cpu-tf",
        device_memory: int | None = None,
        margin: float = 0.05,
        optimizer: str = "adam",
        recompute: bool | str = False,
        swap: float | None = None,
        dtype: str | None = None,
    ) -> Answer:
        """Peak memory of a step before it runs; the batch that fits in `device_memory` bytes.

        What if activations were recomputed (`True` searches, a pattern names scopes), swapped to
        the host at so many GB a second, or stored in `float16`.
        """
        batches = () if batch is None else (batch,) if isinstance(batch, int) else tuple(batch)
        first = batches[0] if batches else None
        question = question_from(first, mode, signature, feeds, dims)
        pattern = recompute if isinstance(recompute, str) else ("" if recompute else None)
        asked = MemoryQuestion(
            question,
            batches,
            model,
            device_memory,
            margin,
            optimizer=optimizer if mode == "train" else None,
            what_if=WhatIfQuestion(pattern, swap=swap, dtype=dtype),
        )

        def chart() -> Chart:
            given = [f"{name}={size}" for name, size in (dims or {}).items()]
            given += [f"{name}={','.join(map(str, s))}" for name, s in (feeds or {}).items()]
            return memory_chart(
                lambda drawn: memory(self.data, replace(asked, batches=tuple(drawn))),
                batches,
                device_memory,
                given,
            )

        return Answer(memory(self.data, asked), chart)

    def scope(self, **options: Any) -> Answer:  # noqa: ANN401
        """Costs by name scope; the options are those of `tfprof scope`."""
        return self._view("scope", options)

    def graph(self, **options: Any) -> Answer:  # noqa: ANN401
        """Costs along the graph; the options are those of `tfprof graph`."""
        return self._view("graph", options)

    def op(self, **options: Any) -> Answer:  # noqa: ANN401
        """Costs by op type; the options are those of `tfprof op`."""
        return self._view("op", options)

    def code(self, **options: Any) -> Answer:  # noqa: ANN401
        """Costs by the lines of Python that made the nodes; needs an op log with code lines."""
        return self._view("code", options)

    def _view(self, command: str, given: dict[str, Any]) -> Answer:
        return Answer(view_result(command, self.data, options_from(given)))


def load(*paths: PathLike, vars: PathLike | None = None) -> Profile:  # noqa: A002  (the CLI's word)
    """Files and folders that belong to one model.

    >>> import tfprof
    >>> print(tfprof.load("examples/unet").summary())  # doctest: +SKIP
    """
    if not paths:
        raise UsageError("load() needs a path", hint='tfprof.load("graph.pb", "run_meta")')
    named = {"vars": [Path(vars)]} if vars is not None else {}
    choice = choose(Request([Path(path) for path in paths], named))
    if len(choice.selections) > 1:
        titles = ", ".join(_first(s.title for s in choice.selections))
        raise UsageError(
            f"{paths[0]} holds {len(choice.selections)} models ({titles})",
            hint="Name the files of one of them.",
        )
    return Profile(read(choice.selections[0]))


def _first(titles: Iterable[str], count: int = 3) -> list[str]:
    return [Path(title).name for title in titles][:count]
