"""What belongs to captures beside their own files: graphs, op log, layers, the batch.

It takes longer than a step. So it is made while training goes on, and lies beside the capture a
moment later; what is left is made when the recording ends.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.live.live_objects import Live
from tfprof.live.recording.aside import Aside
from tfprof.live.recording.capture_facts import batch_in
from tfprof.live.recording.functions import Exported, SeenFunctions
from tfprof.live.recording.record import Record
from tfprof.live.recording.session_steps import SessionSteps


@frozen_dataclass
class _Made:
    """Files that are written, and what the record does not know yet."""

    model: Live
    session: dict[str, Any] | None
    functions: Exported
    batch: int | None


class Companions:
    """Of one recording; `functions` and `sessions` are told what the program runs."""

    def __init__(self, folder: Path, record: Record, warn: Callable[[str], None]) -> None:
        self.functions = SeenFunctions(folder)
        self.sessions = SessionSteps(folder)
        self._record = record
        self._warn = warn
        self._aside: Aside[_Made] = Aside()
        self._newest: Path | None = None

    @property
    def have_news(self) -> bool:
        return self._aside.has_news

    @property
    def at_work(self) -> bool:
        return self._aside.at_work

    def captured(self, capture: Path, *, at_once: bool) -> None:
        """A capture is in its place; what belongs to it is made now, or when all has ended."""
        self._newest = capture
        if at_once:
            held = self.functions.held()
            self._aside.ask(lambda: self._made(capture, held, everything=False))

    def take(self) -> None:
        """What is made goes into the record."""
        made = self._aside.taken()
        if made is not None:
            self._tell(made)

    def finish(self) -> None:
        """All of it, now."""
        while self._aside.wait():
            self.take()
        self._tell(self._made(self._newest, [], everything=True))

    def _made(self, capture: Path | None, held: list[Live], *, everything: bool) -> _Made:
        """On whichever thread: the record is only read. What is held lives until it is through."""
        if capture is not None:
            self.functions.captured(capture)
        model = self.functions.find_model() if self._record.has_no_model else None
        if model is not None:
            self.functions.saw_model(model)
        session = self.sessions.export(self._warn)
        functions = self.functions.export(everything=everything, step_is_known=session is not None)
        unknown = capture is not None and self._record.batch is None
        held.clear()
        return _Made(model, session, functions, batch_in(capture) if unknown and capture else None)

    def _tell(self, made: _Made) -> None:
        record, told = self._record, made.functions
        if made.model is not None:
            record.saw_model(made.model)
        if made.session is not None or told.rows:
            record.functions = [*([made.session] if made.session else []), *told.rows]
        record.functions_left_out = told.left_out
        if self.functions.step_ops:
            record.saw_ops(self.functions.step_ops)
            self.functions.step_ops = []
        if record.batch is None:
            record.batch = made.batch
        for text in told.warnings:
            self._warn(text)
