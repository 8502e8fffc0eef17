"""`ProfileContext`: sessions that run inside it are traced, profiled and saved at some steps."""

from __future__ import annotations

import itertools
import os
import sys
import threading
from collections.abc import Iterable
from contextlib import AbstractContextManager
from pathlib import Path
from types import TracebackType
from typing import Self

from tfprof.commands.writing import write_file
from tfprof.compat.handed import Live, Message
from tfprof.compat.options import as_options, is_compat
from tfprof.compat.profiler import OptionsLike, Profiler
from tfprof.compat.session_profiler import SessionProfiler
from tfprof.compat.show import COMMANDS
from tfprof.compat.traced_steps import MOST, TracedSteps
from tfprof.errors import OutputNotWritable, UsageError
from tfprof.live.sessions import SessionRun, listening


class ProfileContext:
    """Counts the runs of all sessions from 0, and does something at some of them.

    `trace_steps` are traced; after each of `dump_steps` all that was traced is saved as
    `profile_<step>` in `profile_dir`. By default, each set of fetches is traced once after ten
    steps, and step 100 is saved. With `debug`, run metadata is saved as text, too. A context that
    is not `enabled` does nothing.
    """

    def __init__(
        self,
        profile_dir: str | bytes | os.PathLike[str],
        trace_steps: Iterable[int] | None = None,
        dump_steps: Iterable[int] | None = None,
        enabled: bool = True,  # noqa: FBT001, FBT002  (the original's signature)
        debug: bool = False,  # noqa: FBT001, FBT002
        compat: str | None = None,
    ) -> None:
        self._enabled = enabled
        self._views: dict[str, dict[int, Message]] = {}
        if not enabled:
            return
        self._folder = _folder(profile_dir)
        self._debug = debug
        is_compat(compat)  # here, not at the first step
        self._compat = compat
        self._traced = TracedSteps(trace_steps)
        self._dump_steps = frozenset([MOST] if dump_steps is None else dump_steps)
        self._profiles: list[tuple[str, OptionsLike, frozenset[int]]] = []
        self._trace_next = self._dump_next = self._dumped = False
        self._profiler: SessionProfiler | None = None
        self._steps, self._count = itertools.count(), 0
        # held by the run that is looked at; others, and runs inside of it, go on as they are
        self._looking = threading.Lock()
        self._missed: set[int] = set()
        self._missing = threading.Lock()
        self._hook: AbstractContextManager[None] | None = None

    def __enter__(self) -> Self:
        if self._enabled:
            self._make_folder()
            hook = listening(self._run)
            hook.__enter__()
            self._hook = hook
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if not self._enabled or self._hook is None:
            return
        self._hook.__exit__(None, None, None)
        self._hook = None
        if kind is None and self._dump_steps and not (self._dumped or self._views):
            sys.stderr.write(
                f"No profile was saved: step {min(self._dump_steps)} was to be the first one, and "
                f"there were {self._count} steps from 0. See dump_steps and dump_next_step().\n"
            )

    @property
    def profiler(self) -> Profiler | None:
        """The steps traced so far; None in a context that is not enabled."""
        return self._current() if self._enabled else None

    def add_auto_profiling(
        self, cmd: str, options: OptionsLike, profile_steps: Iterable[int]
    ) -> None:
        """Trace these steps and profile after each: `cmd` is scope, graph, op or code."""
        if not self._enabled:
            return
        if cmd not in COMMANDS:
            raise UsageError(f"unknown cmd: {cmd}", hint=f"One of {', '.join(COMMANDS)}.")
        # a slip shows here, not hours later
        as_options(options, compat=is_compat(self._compat))
        steps = frozenset(profile_steps)
        self._profiles.append((cmd, options, steps))
        self._traced.chosen |= steps

    def get_profiles(self, cmd: str) -> dict[int, Message]:
        """By step, what the auto profiling of `cmd` has returned."""
        if cmd not in self._views:
            raise UsageError(
                f"there was no auto profiling of {cmd!r}",
                hint="add_auto_profiling() asks for it; it happens in session.run().",
            )
        return self._views[cmd]

    def trace_next_step(self) -> None:
        """Trace the next run, whatever its number."""
        if self._enabled:
            self._trace_next = True

    def dump_next_step(self) -> None:
        """Save a profile after the next run, whatever its number."""
        if self._enabled:
            self._dump_next = True

    def _run(self, call: SessionRun) -> Live:
        """A run of a session, its result and its exceptions as they would be without us."""
        step = next(self._steps)
        self._count = step + 1
        chosen = step in self._dump_steps or step in self._traced.chosen
        asked = chosen or self._trace_next or self._dump_next or self._missed
        if not asked and not self._traced.may_want(step):
            return call.as_called()
        if not self._looking.acquire(blocking=False):
            if chosen:  # the next run that is looked at stands in for it
                with self._missing:
                    self._missed.add(step)
            return call.as_called()
        try:
            return self._looked_at(step, call)
        finally:
            self._looking.release()

    def _looked_at(self, step: int, call: SessionRun) -> Live:
        """What goes wrong in profiling is told, and takes nothing from the run."""
        due = self._due(step)
        dump, self._dump_next = self._dump_next or bool(due & self._dump_steps), False
        try:
            traces = self._is_traced(step, due, call)
        except Exception as fault:  # noqa: BLE001  (a fault of ours ends no training)
            self._tell(step, fault)
            return call.as_called()
        result, run_meta = call.traced() if traces else (call.as_called(), None)
        try:
            self._profiled(step, due, run_meta, dump=dump)
        except Exception as fault:  # noqa: BLE001  (as above)
            self._tell(step, fault)
        return result

    def _due(self, step: int) -> set[int]:
        """The step, and those that other threads ran meanwhile."""
        with self._missing:
            due = {step, *self._missed}
            self._missed.clear()
        return due

    def _is_traced(self, step: int, due: set[int], call: SessionRun) -> bool:
        trace, self._trace_next = self._trace_next or bool(due & self._traced.chosen), False
        profiler = self._current()
        profiler.follow(call.graph)
        wanted = trace or self._traced.wants(step, call.fetched, profiler.seen)
        return wanted and self._traced.counted()

    def _profiled(self, step: int, due: set[int], run_meta: Live, *, dump: bool) -> None:
        profiler = self._current()
        if run_meta is not None:
            profiler.add_step(step, run_meta)
            self._note(f"step {step} is traced")
            if self._debug:
                self._save(f"run_meta_{step}", str(run_meta))
        if dump:
            self._save(f"profile_{step}", profiler.serialize_to_string())
            self._dumped = True
        for command, options, steps in self._profiles:
            if due & steps:
                self._note(f"step {step} is profiled by {command}")
                self._views.setdefault(command, {})[step] = profiler.asked(command, options)

    @staticmethod
    def _tell(step: int, fault: Exception) -> None:
        sys.stderr.write(f"step {step} is not profiled: {type(fault).__name__}: {fault}\n")

    def _current(self) -> SessionProfiler:
        if self._profiler is None:
            self._profiler = SessionProfiler(compat=self._compat)
        return self._profiler

    def _note(self, text: str) -> None:
        if self._debug:
            sys.stderr.write(f"debug: {text}\n")

    def _make_folder(self) -> None:
        """Before the first step: a place that will not do is known before the work is done."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as fault:
            raise OutputNotWritable(
                f"the folder cannot be made: {fault.strerror}",
                where=str(self._folder),
                hint="Give another profile_dir.",
            ) from None

    def _save(self, name: str, content: str | bytes) -> None:
        """A file that cannot be written must not end a training run: it is told on stderr."""
        try:
            write_file(self._folder / name, content, force=True)
        except OutputNotWritable as fault:
            sys.stderr.write(f"{fault}\n")
        else:
            self._note(f"{name} is written")


def _folder(given: str | bytes | os.PathLike[str]) -> Path:
    name = os.fsdecode(given) if given else ""
    if not name or "://" in name:
        what = f"{name} is not a folder of this machine" if name else "no profile_dir"
        raise UsageError(
            what, hint="Profiles are saved in a local folder, which is made if needed."
        )
    return Path(name)
