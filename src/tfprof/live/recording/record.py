"""What a process writes into run.json of its folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, Final

from tfprof import __version__
from tfprof.live.live_objects import Live
from tfprof.live.profiler_options import host_tracer_level
from tfprof.live.recording import environment
from tfprof.live.recording.layers import layers_of, place_layers
from tfprof.live.recording.plan import Plan
from tfprof.live.recording.run_folder import RECORD, SCHEMA, About, RankFolder, now, write_json
from tfprof.live.recording.step_times import StepTimes

_MOST_PREVIOUS: Final = 100
_MOST_EPOCHS: Final = 1000


class Record:
    """Grows with the run, and is written as a whole each time."""

    def __init__(self, folder: RankFolder, plan: Plan, about: About, start: int) -> None:
        self._folder = folder
        self._plan = plan
        self._about = about
        self._start = start
        self._began = now()
        self.clock = environment.clock()
        self._state = "running"
        self._ended: str | None = None
        self._exit_code: int | None = None
        self._ended_by: str | None = None
        self._steps: dict[str, Any] = {
            "kind": None, "name": None, "first": start + 1, "count": start, "per_execution": None,
            "untraced_us": [], "untraced_cpu_us": [], "warm_up": plan.warm_up,
        }  # fmt: skip
        self._model: dict[str, Any] | None = None
        self._strategy: str | None = None
        self._devices: list[dict[str, str | None]] | None = None
        self.batch: int | None = None
        self.captures: list[dict[str, Any]] = folder.captures_before()
        self.functions: list[dict[str, Any]] = []
        self.functions_left_out = 0
        self.epochs: list[dict[str, Any]] = []
        self.warnings: list[str] = []
        # steps that were made and that nobody asked for, by kind
        self.other_steps: dict[str, int] = {}
        self._previous = _previous(folder.before)
        if start and _same_process(folder.before, start):
            self._go_on(folder.before)

    def _go_on(self, before: dict[str, Any]) -> None:
        """The same program has ended a recording and begins another, at the step after."""
        self._began, self._previous = before["started"], before["previous"]
        self._steps = {**before["steps"], "first": self._steps["first"]}
        self.epochs, self.warnings = before["epochs"], before["warnings"]
        self.functions, self._model = before["functions"], before["model"]
        self.batch = before["batch"]

    @property
    def untraced(self) -> list[float]:
        """Of the recording that this one goes on from."""
        told: list[float] = self._steps["untraced_us"]
        return told

    @property
    def untraced_cpu(self) -> list[float]:
        told: list[float] = self._steps.get("untraced_cpu_us", [])
        return told

    @property
    def kind(self) -> str | None:
        kind: str | None = self._steps["kind"]
        return kind

    def step_kind(self, kind: str, name: str, per_execution: int) -> None:
        self._steps.update(kind=kind, name=name or None, per_execution=per_execution)
        self._strategy = self._strategy or environment.strategy()

    def forget_kind(self, count: int) -> None:
        """What looked like the first step was none."""
        if count == self._start:
            self._steps.update(kind=None, name=None, per_execution=None)

    def saw_model(self, model: Live) -> None:
        """Layers and their scopes. The model that trains first is the one."""
        if self._model is None:
            self._model = layers_of(model)
        strategy = getattr(model, "distribute_strategy", None)
        name = type(strategy).__name__ if strategy is not None else None
        if name and not name.startswith("_"):  # TensorFlow's default is private
            self._strategy = name

    @property
    def has_no_model(self) -> bool:
        return self._model is None

    def saw_devices(self, devices: list[dict[str, str | None]]) -> None:
        self._devices = self._devices or devices

    def saw_ops(self, names: Iterable[str]) -> None:
        """The ops of the step, which tell what the scopes of layers are called there."""
        if self._model is not None:
            place_layers(self._model, names)

    def steps_so_far(self, count: int, times: StepTimes) -> None:
        self._steps.update(
            count=count,
            untraced_us=list(times.untraced),
            untraced_cpu_us=list(times.untraced_cpu),
        )
        self._devices = self._devices or environment.devices()

    def end(self, ended_by: str | None, exit_code: int | None) -> None:
        self._state = "ended" if ended_by in (None, "exit") and not exit_code else "failed"
        self._ended, self._ended_by, self._exit_code = now(), ended_by, exit_code

    def write(self) -> None:
        write_json(self._folder.path / RECORD, self.as_json())

    def as_json(self) -> dict[str, Any]:
        about = self._about
        return {
            "schema": SCHEMA,
            "tfprof": __version__,
            "state": self._state,
            "rank": about.rank,
            "ranks": about.ranks,
            "task": about.task,
            "host": environment.host_name(),
            "pid": os.getpid(),
            "program": about.program(),
            "started": self._began,
            "ended": self._ended,
            "exit_code": self._exit_code,
            "ended_by": self._ended_by,
            "clock": self.clock,
            "versions": environment.versions(),
            "devices": self._devices,
            "strategy": self._strategy,
            "options": options_of(self._plan, about),
            "batch": self.batch,
            "model": self._model,
            "steps": self._steps if self._steps["kind"] is not None or self._start else None,
            "captures": self.captures,
            "functions": self.functions,
            "functions_left_out": self.functions_left_out,
            "epochs": self.epochs[-_MOST_EPOCHS:],
            "previous": self._previous,
            "other_steps": self.other_steps,
            "warnings": self.warnings,
        }


def options_of(plan: Plan, about: About) -> dict[str, Any]:
    return {
        "steps": list(plan.steps) if plan.steps is not None else None,
        "every": plan.every,
        "delay_s": plan.delay,
        "duration_s": plan.duration,
        "memory": about.memory,
        "max_bytes": about.max_bytes,
        "python_tracer": about.python_tracer,
        "host_tracer_level": host_tracer_level(every_op=about.every_op),
    }


def _same_process(before: dict[str, Any], start: int) -> bool:
    steps = before.get("steps")
    last = steps.get("count") if isinstance(steps, dict) else None
    return before.get("pid") == os.getpid() and last == start


def _previous(before: dict[str, Any]) -> list[dict[str, Any]]:
    """The recordings into this folder before this one, oldest first."""
    if not before:
        return []
    steps = before.get("steps")
    told = {
        "started": before.get("started"),
        "ended": before.get("ended"),
        "state": before.get("state"),
        "last_step": steps.get("count") if isinstance(steps, dict) else None,
    }
    earlier = before.get("previous")
    return [*(earlier if isinstance(earlier, list) else []), told][-_MOST_PREVIOUS:]
