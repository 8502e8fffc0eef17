"""`tfprof.load(...)`: files into a profile that answers questions."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from tfprof.analyses.executed import executed
from tfprof.analyses.inference.sites import Given
from tfprof.analyses.measured_memory.devices import measured_memory
from tfprof.answers.estimated_time import device_of
from tfprof.answers.input import input_answer
from tfprof.answers.measured_memory import asks_for_measurement, memory_of
from tfprof.answers.memory import MemoryQuestion, memory
from tfprof.answers.memory_chart import memory_chart
from tfprof.answers.memory_over_time import time_chart
from tfprof.answers.placement import placement_answer
from tfprof.answers.static import question_from
from tfprof.answers.steps import StepsQuestion, steps
from tfprof.answers.steps_chart import steps_chart
from tfprof.answers.timeline_asked import TimelineQuestion
from tfprof.answers.views_data import start_of, view_result
from tfprof.answers.what_if import WhatIfQuestion
from tfprof.api.answer import Answer as NewAnswer
from tfprof.api.layers_of import layers_of
from tfprof.api.old_answer import OldAnswer as Answer
from tfprof.api.timeline import TimelineAnswer
from tfprof.commands.registry import commands
from tfprof.errors import UsageError
from tfprof.model.checkpoint import Checkpoint
from tfprof.model.options import options_from
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.reports.summary import Query as SummaryQuery
from tfprof.sources.load import Request, choose, read
from tfprof.sources.placement_log import read_placement_log
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
    ) -> NewAnswer:
        """What the model is, what it costs; with `stats`, what the checkpoint's values are."""
        question = question_from(batch, mode, signature)
        return self._ask("summary", SummaryQuery(question, stats=stats))

    def _ask(self, command: str, query: object) -> NewAnswer:
        return NewAnswer(commands()[command].module().ask(self.data, query))

    def layers(
        self,
        *,
        batch: int | None = None,
        mode: str | None = None,
        signature: str | None = None,
        feeds: Mapping[str, Sequence[int | str]] | None = None,
        dims: Mapping[str, int] | None = None,
        by: str = "layer",
        device: str | None = None,
    ) -> Answer:
        """Shape, parameters, FLOPs and activations of each layer; of a run also its time.

        `by` is what a row is: layer, op or scope, and of a run node, device, thread or kernel.
        `device` adds estimated time: `"gpu:19.5T,1555G"`.
        """
        question = question_from(batch, mode, signature, feeds, dims)
        known = device_of(device) if device is not None else None
        return Answer(layers_of(self.data, question, known, by))

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
        estimate: bool = False,
    ) -> Answer:
        """What a traced run took, or what one step will take.

        Estimated with `estimate=True`, without a trace, and where only a graph can answer, such as
        for the batch that fits in `device_memory` bytes.

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
            if asks_for_measurement(asked, estimate=estimate):
                devices = measured_memory(self.data.trace)
                if devices:
                    return time_chart(self.data, devices)
            given = [f"{name}={size}" for name, size in (dims or {}).items()]
            given += [f"{name}={','.join(map(str, s))}" for name, s in (feeds or {}).items()]
            return memory_chart(
                lambda drawn: memory(self.data, replace(asked, batches=tuple(drawn))),
                batches,
                device_memory,
                given,
            )

        return Answer(memory_of(self.data, asked, estimate=estimate), chart)

    def timeline(
        self,
        *,
        step: int | None = None,
        begin_ms: float | None = None,
        end_ms: float | None = None,
        thread: str | None = None,
        min_duration_us: float = 0,
        everything: bool = False,
        all_args: bool = False,
    ) -> TimelineAnswer:
        """What ran when; `.write("x.trace.json.gz")` makes a file for Perfetto.

        Without a step or times, the answer is about a typical step, and the file has everything.
        """
        return TimelineAnswer(
            self.data,
            TimelineQuestion(step, begin_ms, end_ms, thread, min_duration_us, everything, all_args),
        )

    def steps(
        self,
        *,
        step: int | None = None,
        events: str | None = None,
        gaps: bool = False,
        device: str | None = None,
    ) -> Answer:
        """What the time of each step went to, which steps were slow, how busy devices were.

        `step` looks at one alone, `events` at what is behind a category such as `"input"`, `gaps`
        at when devices did nothing; `device` leaves the other devices out.
        """
        asked = StepsQuestion(step, events, gaps=gaps, device=device)
        return Answer(steps(self.data, asked), lambda: steps_chart(self.data))

    def input(self) -> Answer:
        """The tf.data pipelines of a capture: what each stage takes, which one is waited for."""
        return Answer(input_answer(self.data))

    def placement(
        self,
        *,
        log: PathLike | None = None,
        partition: str | None = None,
        nodes: bool = False,
        batch: int | None = None,
        dims: Mapping[str, int] | None = None,
    ) -> Answer:
        """Which op runs where, what goes from device to device, what was soft-placed.

        `log` is a file with what `log_device_placement` wrote, `partition` a device to look at
        alone; `nodes` adds the graph that each device executed.
        """
        said = read_placement_log(Path(log)) if log is not None else None
        given = Given(question_from(batch, sizes=dims).sizes)
        return Answer(placement_answer(self.data, said, given, partition=partition, nodes=nodes))

    def executed(self, device: str | None = None) -> Profile:
        """The same of the graph as it ran, on all devices or on one: `/gpu:0`."""
        return Profile(executed(self.data, device))

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
        options = options_from(given, start_of(self.data))
        return Answer(view_result(command, self.data, options))


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
