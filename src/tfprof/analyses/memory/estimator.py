"""Peaks of one model for any batch: as it is, or with something changed about it."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache, cached_property
from typing import NamedTuple

from tfprof.analyses.inference.sites import Chosen
from tfprof.analyses.memory.at_batch import at_batch, is_known_at
from tfprof.analyses.memory.interval import CHOOSES
from tfprof.analyses.memory.peaks import (
    MemoryPeak,
    guess_from,
    largest_batch,
    peaks_at,
    peaks_in,
    pieces,
    taped_peaks,
    with_inputs,
)
from tfprof.analyses.memory.program import CPU, MODELS, MemoryModel, Program, program
from tfprof.analyses.memory.schedule import play
from tfprof.analyses.memory.step_sources import GraphSteps, StepOps, StepSource
from tfprof.analyses.memory.tape import Tape
from tfprof.analyses.memory.turns import AS_IT_SHOULD, EXPECTED
from tfprof.errors import UsageError
from tfprof.model.dims import BATCH, Size, symbol
from tfprof.results.memory import LinePiece
from tfprof.wire import dtypes

_SCHEDULE_BATCH = 8
# in samples, a margin costs at most so many times what it is in bytes
_MOST_SPARED = 2
# said as a symbol, the batch is open even where a run tells its size
_ANY_BATCH: Mapping[str, Size] = {BATCH: symbol(BATCH)}
# the sizes that a step is written down for
_Key = frozenset[tuple[str, Size]]
# what a step is made into before it is simulated, at a batch
Change = Callable[[Program, int], Program]
# what TensorFlow makes of a step before it runs it, whatever the batch
Rewrite = Callable[[Program], Program]


def memory_model(
    name: str, workspace: int | None = None, last_cache: int | None = None
) -> MemoryModel:
    """`workspace` are bytes for a convolution while it runs, where the model allows for one.

    `last_cache` is that of the machine the step will run on: some kernels fill it.
    """
    if name not in MODELS:
        raise UsageError(f"no memory model is called {name!r}", hint=f"One of {', '.join(MODELS)}.")
    model = MODELS[name]
    if last_cache is not None:
        if not model.has_scratch:
            raise UsageError(f"{name} needs no --last-cache", hint="It goes with --model cpu-tf.")
        model = replace(model, last_cache=last_cache)
    if workspace is None:
        return model
    if not model.workspace:
        raise UsageError(f"{name} needs no --workspace", hint="It goes with --model gpu-bfc.")
    return replace(model, workspace=workspace)


class _Written(NamedTuple):
    step: StepOps
    program: Program


class Estimator:
    """Each batch is worked out once. `change` is another plan for the step that `rewrite` makes."""

    def __init__(
        self,
        steps: StepSource,
        model: MemoryModel,
        *,
        change: Change | None = None,
        rewrite: Rewrite | None = None,
    ) -> None:
        self.model, self.part, self.is_fixed = model, steps.part, steps.is_fixed
        self.steps, self._change, self._rewrite = steps, change, rewrite
        self._found: dict[_Key, _Written] = {}
        self._programs: dict[_Key, Program] = {}
        self._fixed: dict[int, Program] = {}
        self._asked: int | None = None
        self._peaks: dict[int, dict[str, MemoryPeak]] = {}
        self._state_bytes = 0
        self.notes: list[str] = []
        # what the step runs that is not among its ops
        self.lost: Sequence[str] = ()

    def changed(self, change: Change) -> Estimator:
        """The same with another schedule or other ops."""
        other = Estimator(self.steps, self.model, change=change, rewrite=self._rewrite)
        other._found = self._found
        other._programs, other._fixed = self._programs, self._fixed
        other._state_bytes = self._state_bytes
        other._asked, other.lost = self._asked, self.lost
        return other

    def modelled(self, model: MemoryModel) -> Estimator:
        """The same on a device that allocates otherwise."""
        return Estimator(self.steps, model, rewrite=self._rewrite)

    def rewritten(self, rewrite: Rewrite | None) -> Estimator:
        """The same with another graph of the same step: shapes and costs are not found again."""
        other = Estimator(self.steps, self.model, rewrite=rewrite)
        other._found = self._found
        return other

    @property
    def persistent(self) -> dict[str, int]:
        """Variables by device; what an optimizer would add to them lies where most of them do."""
        held = self._held()
        largest = max(held, key=held.__getitem__, default=CPU)
        return {**held, largest: held.get(largest, 0) + self._state_bytes}

    def _held(self) -> Mapping[str, int]:
        """Weights are stored in whole numbers, too; half precision keeps them as they are."""
        known = self.steps.persistent
        if not self.model.narrow or dtypes.is_floating(self.model.narrow):
            return known.by_device
        kept = 1 - 1 / self.model.shrinks
        return {
            device: size - int(known.floats.get(device, 0) * kept)
            for device, size in known.by_device.items()
        }

    def at(self, batch: int) -> dict[str, MemoryPeak]:
        if batch not in self._peaks:
            others = self._peaks.values() if self._is_for_any_batch else ()
            known = next(iter(others), None)
            self._peaks[batch] = (
                self._whatever_is_chosen(self._worked_out(batch), batch)
                if known is None
                else {device: replace(one, batch=batch) for device, one in known.items()}
            )
        return self._peaks[batch]

    def _worked_out(self, batch: int) -> Mapping[str, MemoryPeak]:
        """A change is made anew for whoever asks; what is not changed is one step for all."""
        if self._change is not None:
            return taped_peaks(self._tape(batch))
        return peaks_at(self._at(batch), batch, self._tape)

    @cached_property
    def _is_for_any_batch(self) -> bool:
        """Whether the step is the same at all batches, and so is what a run of it takes."""
        if self.is_fixed or self._change is not None or self._open is not None:
            return False
        return self._sizes(1) is _ANY_BATCH

    def _whatever_is_chosen(
        self, expected: Mapping[str, MemoryPeak], batch: int
    ) -> dict[str, MemoryPeak]:
        """Where the data chooses, some is taken to be chosen; it may be nothing, or all."""
        found = dict(expected)
        for other in self._otherwise_chosen:
            tape = other._tape(batch)  # noqa: SLF001  (another of its kind)
            runs = [play(tape, threads).devices for threads in (1, EXPECTED)]
            for place, device in enumerate(tape.made.devices):
                if device in found:
                    found[device] = found[device].reaching(run[place].peak for run in runs)
        return found

    @cached_property
    def _otherwise_chosen(self) -> Sequence[Estimator]:
        """The same where nothing is chosen, and where all is; none where there is no choice."""
        if self._change is not None or not isinstance(self.steps, GraphSteps):
            return ()
        if not any(step.op.site.op == CHOOSES for step in self.first.steps):
            return ()
        others = [self.steps.with_chosen(one) for one in (Chosen.NONE, Chosen.ALL)]
        return [Estimator(one, self.model, rewrite=self._rewrite) for one in others]

    def highest(self, batch: int) -> MemoryPeak:
        """Of the device that needs most."""
        return max(self.at(batch).values(), key=lambda one: one.expected)

    def program(self, batch: int) -> Program:
        """The step at a batch, before any change."""
        made = self._at(batch)
        if made is not self._open:
            return made
        if batch not in self._fixed:
            self._fixed[batch] = at_batch(made, batch, self.model)
        return self._fixed[batch]

    def _at(self, batch: int) -> Program:
        """The step for any batch where that tells all of this one, else the step at this one."""
        self._asked = self._asked or batch
        if self._open is not None and is_known_at(self._open, batch):
            return self._open
        sizes = self._sizes(batch)
        key = frozenset(sizes.items())
        if key not in self._programs:
            self._programs[key] = self._written(sizes)
        return self._programs[key]

    def _written(self, sizes: Mapping[str, Size]) -> Program:
        step, made = self._step(sizes)
        self.notes = list(dict.fromkeys([*self.notes, *step.notes]))
        return self._rewritten(made)

    def _sizes(self, batch: int) -> Mapping[str, Size]:
        if self.is_fixed:
            return {}
        step, _ = self._step(_ANY_BATCH)
        # where no size hangs on the batch, the step is the same at all of them
        return _ANY_BATCH if step.costs.inferred.is_for_any_batch else {BATCH: batch}

    def _rewritten(self, made: Program) -> Program:
        return made if self._rewrite is None else self._rewrite(made)

    @cached_property
    def _open(self) -> Program | None:
        """The step for any batch; None where the batch is fixed, or more than it is open."""
        if self.is_fixed:
            return None
        step, made = self._step(_ANY_BATCH)
        if set(step.costs.symbols) != {BATCH}:
            return None
        self.notes = list(dict.fromkeys([*self.notes, *step.notes]))
        return self._rewritten(made)

    @cached_property
    def _open_tape(self) -> Tape:
        return Tape(self._at(_SCHEDULE_BATCH), _SCHEDULE_BATCH)

    def _tape(self, batch: int) -> Tape:
        """The step at a batch, with what is changed about it."""
        if self._change is not None:
            return Tape(self._change(self.program(batch), batch), batch)
        made = self._at(batch)
        return self._open_tape.at(batch, self.model) if made is self._open else Tape(made, batch)

    @property
    def first(self) -> Program:
        """The step at the first batch that was asked for, or with the batch left open."""
        return self._at(self._asked or 1)

    @property
    def grows(self) -> bool:
        """Whether any of the step, or of what it is fed, hangs on the batch."""
        one, two = (self._needs(batch) for batch in (1, _SCHEDULE_BATCH))
        return one != two

    def pieces(self) -> dict[str, list[LinePiece]]:
        """The transient peak as lines over the batch.

        None where more than the batch is open, or where sizes are missing.
        """
        made = self._open
        if made is None or made.unknown or self.lost:
            return {}
        run = made if self._change is None else self._change(made, _SCHEDULE_BATCH)
        return pieces(run, _SCHEDULE_BATCH)

    def inputs(self, batch: int) -> dict[str, int]:
        """Bytes that are fed, by device."""
        made = self._at(batch)
        return {
            device: slope * batch + rest
            for device, (slope, rest) in zip(made.devices, made.inputs, strict=True)
        }

    def largest(self, budget: int, *, parallel: bool = False, margin: float = 0.0) -> int:
        """The largest batch whose total fits on each device, with what is fed."""

        @cache
        def room(batch: int) -> float:
            return self._room(batch, budget, parallel=parallel, margin=margin)

        guesses = [
            guess_from(lines, budget - self.persistent.get(device, 0))
            for device, lines in self._with_inputs().items()
        ]
        guess = min(guesses, default=1)
        if parallel and guess > 1:
            guess = int(guess / self._widest(guess) / (1 + margin))
        return largest_batch(room, guess + 1)

    def safe(self, budget: int, margin: float) -> int:
        """The largest batch that leaves so much free where ops overlap at their worst.

        Where a step hardly grows with the batch, a few bytes are many samples: no more are given
        up for the margin than a part of those that fit.
        """
        spared = self.largest(budget, parallel=True, margin=margin)
        kept = 1 - _MOST_SPARED * margin
        if margin <= 0 or kept <= 0:
            return spared
        next_one = math.ceil((spared + 1) / kept)
        if self._room(next_one, budget, parallel=True) < 0:
            return spared
        return max(spared, math.floor(self.largest(budget, parallel=True) * kept))

    def _room(
        self, batch: int, budget: int, *, parallel: bool = False, margin: float = 0.0
    ) -> float:
        """Bytes that are left on the device that has least to spare."""
        needs = self._needs(batch, parallel=parallel)
        return min(
            budget - (size + self.persistent.get(device, 0)) * (1 + margin)
            for device, size in needs.items()
        )

    def _widest(self, batch: int) -> float:
        """How far the upper end of the interval lies above what is expected."""
        found = self.at(batch).values()
        return max(one.interval[1] / max(1, one.expected) for one in found)

    def _needs(self, batch: int, *, parallel: bool = False) -> dict[str, int]:
        """The peak of each device with what is fed."""
        if parallel:
            needs = {device: one.interval[1] for device, one in self.at(batch).items()}
        else:
            needs = self.expected(batch)
        fed = self.inputs(batch)
        return {device: size + fed.get(device, 0) for device, size in needs.items()}

    def _with_inputs(self) -> dict[str, list[LinePiece]]:
        """The lines of the peak, and what is fed on top of them."""
        made = self._open
        fed = dict(zip(made.devices, made.inputs, strict=True)) if made is not None else {}
        return {device: with_inputs(lines, fed[device]) for device, lines in self.pieces().items()}

    def expected(self, batch: int) -> dict[str, int]:
        """By device; the ends of the interval are left out where nobody asks for them."""
        if batch in self._peaks or (self._peaks and self._is_for_any_batch):
            return {device: one.expected for device, one in self.at(batch).items()}
        # what is the middle of the runs at one batch is near it at others; of several the one that
        # was met first: a set has no order that the next process would have, too
        turns = (one.turn for found in self._peaks.values() for one in found.values())
        turn = next(turns, AS_IT_SHOULD)
        if self._change is None:
            return peaks_in(self._at(batch), batch, turn, self._tape)
        tape = self._tape(batch)
        found = turn.of(tape).devices
        return {device: one.peak for device, one in zip(tape.made.devices, found, strict=True)}

    def _step(self, sizes: Mapping[str, Size]) -> _Written:
        key = frozenset(sizes.items())
        if key not in self._found:
            step = self.steps.at(sizes)
            self._found[key] = _Written(step, program(step.costs, step.graph, self.model))
        found = self._found[key]
        self._state_bytes, self.lost = found.step.state_bytes, found.step.missing
        return found
