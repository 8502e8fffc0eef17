"""`tfprof.load(...)`: files into a profile that answers questions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from tfprof import __version__
from tfprof.api.answer import Answer
from tfprof.api.timeline import TimelineAnswer
from tfprof.commands.options.repeats import noise_share
from tfprof.commands.registry import commands
from tfprof.commands.report import DEFAULT_TARGET, page_of
from tfprof.commands.writing import target_of, write_chunks
from tfprof.errors import UsageError
from tfprof.model.checkpoint import Checkpoint
from tfprof.model.host_work import HostTask, HostWork
from tfprof.model.profile import ProfileData
from tfprof.model.trace import Trace
from tfprof.printable import printable
from tfprof.reports import advise, check, memory, page, placement, steps, summary, timeline, trees
from tfprof.reports import input as input_report
from tfprof.reports.layers.query import Query as LayersQuery
from tfprof.reports.page.query import MAX_BYTES
from tfprof.reports.shared.calibrating import calibration_of
from tfprof.reports.shared.device_rates import device_of
from tfprof.reports.shared.partition_graphs import executed
from tfprof.reports.shared.question import question_from
from tfprof.results.answered import Answered
from tfprof.results.calibration import Calibration
from tfprof.sources.find.load import Request, choose, read
from tfprof.sources.find.saving import to_save
from tfprof.sources.run.placement_log import read_placement_log
from tfprof.workers.local import LocalWorkers

PathLike = str | os.PathLike[str]


class Profile:
    """One model and what is known about it."""

    def __init__(self, data: ProfileData) -> None:
        self.data = data

    def __repr__(self) -> str:
        return f"<tfprof.Profile of {printable(self.data.title)}>"

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
        return self._ask("summary", summary.Query(question, stats=stats))

    def layers(  # noqa: PLR0913  (each one an option of the command)
        self,
        *,
        batch: int | None = None,
        mode: str | None = None,
        signature: str | None = None,
        feeds: Mapping[str, Sequence[int | str]] | None = None,
        dims: Mapping[str, int] | None = None,
        by: str = "layer",
        device: str | None = None,
        calibrate: PathLike | Sequence[PathLike] = (),
    ) -> Answer:
        """Shape, parameters, FLOPs and activations of each layer; of a run also its time.

        `by` is what a row is: layer, op or scope, and of a run node, device, thread or kernel.
        `device` adds estimated time: `"gpu:19.5T,1555G"`. So does `calibrate`, a folder with a run
        and its graph, or several, of the machine whose time is asked for.
        """
        question = question_from(batch, mode, signature, feeds, dims)
        known = device_of(device) if device is not None else None
        return self._ask("layers", LayersQuery(question, known, by, _calibration(calibrate)))

    def memory(  # noqa: PLR0913  (each one an option of the command)
        self,
        *,
        batch: int | Sequence[int] | None = None,
        mode: str | None = None,
        signature: str | None = None,
        feeds: Mapping[str, Sequence[int | str]] | None = None,
        dims: Mapping[str, int] | None = None,
        model: str | None = None,
        device_memory: int | None = None,
        margin: float = 0.05,
        optimizer: str = "adam",
        recompute: bool | str = False,
        recompute_keep: Sequence[str] = (),
        swap: float | None = None,
        device: str | None = None,
        calibrate: PathLike | Sequence[PathLike] = (),
        dtype: str | None = None,
        estimate: bool = False,
        as_: str | None = None,
        last_cache: int | None = None,
    ) -> Answer:
        """What a traced run took, or what one step will take.

        Estimated with `estimate=True`, without a trace, and where only a graph can answer, such as
        for the batch that fits in `device_memory` bytes.

        What if activations were recomputed (`True` searches, a pattern names scopes;
        `recompute_keep` names the tensors that are not), swapped to the host at so many GB a
        second, or stored in `float16`, `bfloat16` or (a prediction, weights as well) `int8`.

        `as_="optimised"` is the step as a default session or tf.function rewrites it, `"written"`
        the graph as it is, `"executed"` the one that a run holds.

        `model` is how a device allocates: `"cpu-tf"`, `"cpu-onednn"` (what a capture shows is
        taken without a word), `"gpu-bfc"`, `"ideal"`.

        `last_cache` is, in bytes, that of the CPU that will run it: gradients of Conv3D fill it.
        """
        batches = () if batch is None else _several(batch)
        query = memory.Query(
            question_from(None, mode, signature, feeds, dims),
            batches,
            model,
            device_memory,
            margin,
            optimizer=optimizer if mode == "train" else None,
            executed=memory.form_of(as_) == memory.EXECUTED,
            last_cache=last_cache,
            what_if=replace(
                _what_if(recompute, swap, device, calibrate),
                dtype=dtype,
                keep=_names(recompute_keep),
            ),
            estimate=estimate or as_ is not None,
            optimised=as_ == memory.OPTIMISED,
        )
        return self._ask("memory", query, partial(memory.to_draw, self.data, query))

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
        query = timeline.Query(
            step, begin_ms, end_ms, thread, min_duration_us, everything, all_args
        )
        return TimelineAnswer(self.data, query)

    def steps(
        self,
        *,
        step: int | None = None,
        events: str | None = None,
        gaps: bool = False,
        device: str | None = None,
        hosts: bool = False,
    ) -> Answer:
        """What the time of each step went to, which steps were slow, how busy devices were.

        `step` looks at one alone, `events` at what is behind a category such as `"input"`, `gaps`
        at when devices did nothing; `device` leaves the other devices out; `hosts` shows several
        hosts beside each other.
        """
        return self._ask("steps", steps.Query(step, events, gaps, device, hosts))

    def input(self) -> Answer:
        """The tf.data pipelines of a capture: what each stage takes, which one is waited for."""
        return self._ask("input", input_report.Query())

    def advise(
        self,
        *,
        ignore: str | Sequence[str] = (),
        all: bool = False,  # noqa: A002  (the CLI's word)
        batch: int | None = None,
        mode: str | None = None,
        device_memory: int | None = None,
    ) -> Answer:
        """What to change: evidence, reason, code, expected gain; the five that gain most.

        `ignore` names rules, `"input-*"` all about input; `device_memory` is what the device has
        in bytes, where no capture tells.
        """
        patterns = tuple(map(str, _several(ignore)))
        question = question_from(batch, mode)
        return self._ask("advise", advise.Query(question, patterns, all, device_memory))

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
        sizes = question_from(batch, sizes=dims).sizes
        query = placement.Query(sizes, log=said, partition=partition, nodes=nodes)
        return self._ask("placement", query)

    def save(
        self,
        path: PathLike,
        *,
        values: bool = False,
        confidential: bool = False,
        force: bool = False,
    ) -> Path:
        """One file that `load` and every command read; `.tfprof` is its usual suffix.

        With `values`, those of a checkpoint's tensors are in it; with `confidential`, no paths,
        names of hosts, arguments and source lines. An existing file is replaced with `force`.
        """
        target = target_of(path)
        saved = to_save(self.data, __version__, values=values, confidential=confidential)
        write_chunks(target, saved.chunks(), force=force, inputs=saved.inputs)
        return target

    def report(
        self,
        path: PathLike = DEFAULT_TARGET,
        *,
        against: Profile | PathLike | Sequence[Profile | PathLike] = (),
        max_size: int = MAX_BYTES,
        confidential: bool = False,
        batch: int | None = None,
        mode: str | None = None,
        force: bool = False,
    ) -> Path:
        """All of it on one page: an HTML file that opens anywhere, offline.

        `against` are one or several to compare with; `max_size` is what the file may take, in
        bytes: what has no room is thinned out or left out, and the page says so. With
        `confidential`, no paths, names of hosts, arguments and source lines are in it.
        """
        target = target_of(path)
        sides = [one if isinstance(one, Profile) else load(one) for one in _several_of(against)]
        others = [(one.data.title, [one.data]) for one in sides]
        query = page.Query(question_from(batch, mode), others, max_size)
        made = page_of(self.data, query, target, confidential=confidential)
        for place, chunks in made.contents.items():
            write_chunks(place, chunks, force=force, inputs=made.inputs)
        return target

    def check(
        self,
        *,
        baseline: Profile | PathLike | Sequence[Profile | PathLike] | None = None,
        repeats: Sequence[Profile | PathLike] = (),
        run_noise: str | None = None,
        batch: int | None = None,
        mode: str | None = None,
        allow_unknown: bool = False,
        strict: bool = False,
        **limits: str | float,
    ) -> Answer:
        """Whether budgets are kept: `max_params="5M"`, `max_step_time="+5%"` with a baseline.

        `repeats` are other runs of the same program, and `baseline` may be a list of such: they
        tell how far runs differ; else `run_noise` says it, `"3%"`. `answer.result.data.ok` says
        whether all are kept.
        """
        query = check.Query(
            check.limits_of(limits),
            tuple(_data(one) for one in (() if baseline is None else _several(baseline))),
            question_from(batch, mode),
            allow_unknown,
            strict,
            tuple(_data(one) for one in repeats),
        )
        if run_noise is not None:
            query = replace(query, run_noise=noise_share(run_noise))
        return self._ask("check", query)

    def executed(self, device: str | None = None) -> Profile:
        """The same of the graph as it ran, on all devices or on one: `/gpu:0`."""
        return Profile(executed(self.data, device))

    def scope(self, **options: object) -> Answer:
        """Costs by name scope; the options are those of `tfprof scope`."""
        return self._ask("scope", trees.Query("scope", options))

    def graph(self, **options: object) -> Answer:
        """Costs along the graph; the options are those of `tfprof graph`."""
        return self._ask("graph", trees.Query("graph", options))

    def op(self, **options: object) -> Answer:
        """Costs by op type; the options are those of `tfprof op`."""
        return self._ask("op", trees.Query("op", options))

    def code(self, **options: object) -> Answer:
        """Costs by the lines of Python that made the nodes; needs an op log with code lines."""
        return self._ask("code", trees.Query("code", options))

    def _ask(
        self, command: str, query: object, to_draw: Callable[[], Answered[object]] | None = None
    ) -> Answer:
        return Answer(commands()[command].module().ask(self.data, query), to_draw)


def load(
    *paths: PathLike,
    vars: PathLike | None = None,  # noqa: A002  (the CLI's word)
    run: str | None = None,
) -> Profile:
    """Files and folders that belong to one model; `run` is one of several in a folder.

    >>> import tfprof
    >>> print(tfprof.load("examples/unet").summary())  # doctest: +SKIP
    """
    if not paths:
        raise UsageError("load() needs a path", hint='tfprof.load("graph.pb", "run_meta")')
    named = {"vars": [Path(vars)]} if vars is not None else {}
    if run is not None and not isinstance(run, str):
        raise UsageError(f"run is {run!r}, and no name of a run", hint='run="train-2"')
    choice = choose(Request([Path(path) for path in paths], named, run))
    if len(choice.selections) > 1:
        titles = ", ".join(_first(s.title for s in choice.selections))
        raise UsageError(
            f"{paths[0]} holds {len(choice.selections)} models ({titles})",
            hint="Name the files of one of them.",
        )
    return Profile(read(choice.selections[0], work=HostWork(_tasks, LocalWorkers(1), later=True)))


def _tasks() -> tuple[HostTask, ...]:
    """What is asked of many hosts while they are loaded: of large ones, nothing else is kept."""
    from tfprof.reports.summary.tasks import TASKS

    return TASKS


def _data(given: Profile | PathLike) -> ProfileData:
    return given.data if isinstance(given, Profile) else load(given).data


def _what_if(
    recompute: bool | str,  # noqa: FBT001  (as it is said: `True` searches)
    swap: float | None,
    device: str | None,
    calibrate: PathLike | Sequence[PathLike],
) -> memory.WhatIfQuery:
    """What to compute again, or to swap at the speed of a device."""
    pattern = recompute if isinstance(recompute, str) else ("" if recompute else None)
    return memory.WhatIfQuery(
        pattern, swap=swap, device=device, calibration=_calibration(calibrate)
    )


def _names(given: object) -> tuple[str, ...]:
    """Several; one that stands alone is meant by itself."""
    found = _several(given)
    if all(isinstance(one, str) for one in found):
        return found
    raise UsageError(f"tensors are named, not {given!r}", hint='recompute_keep=["block1/out"]')


def _several(given: object) -> tuple[Any, ...]:
    """One or several; what is no number is refused by the question."""
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, str) else (given,)


def _several_of(given: Profile | PathLike | Sequence[Profile | PathLike]) -> list[Any]:
    """A path is one, though it has letters."""
    alone = isinstance(given, Profile | str | os.PathLike)
    return [given] if alone else list(given)  # type: ignore[arg-type]


def _first(titles: Iterable[str], count: int = 3) -> list[str]:
    return [Path(title).name for title in titles][:count]


def _calibration(paths: PathLike | Sequence[PathLike]) -> Calibration | None:
    several = [paths] if isinstance(paths, str | os.PathLike) else list(paths)
    return calibration_of([load(path).data for path in several]) if several else None
