"""run.json of the folder of a run: the run as a whole, with a folder below for each process."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from tfprof import __version__
from tfprof.live.recording.plan import Plan
from tfprof.live.recording.record import options_of
from tfprof.live.recording.run_folder import RECORD, SCHEMA, About, now, write_json


class TopRecord:
    """Written when the run begins and when it ends. What fails is told by the ranks."""

    def __init__(self, folder: Path, plan: Plan, about: About) -> None:
        self._folder = folder
        self._told: dict[str, Any] = {
            "schema": SCHEMA,
            "tfprof": __version__,
            "state": "running",
            "program": about.program(),
            "started": now(),
            "ended": None,
            "exit_code": None,
            "ended_by": None,
            "ranks": [f"rank-{rank}" for rank in range(about.ranks)],
            "options": options_of(plan, about),
        }
        self._write()

    def end(self, ended_by: str | None, exit_code: int | None) -> None:
        state = "ended" if ended_by in (None, "exit") and not exit_code else "failed"
        self._told.update(state=state, ended=now(), ended_by=ended_by, exit_code=exit_code)
        self._write()

    def _write(self) -> None:
        with suppress(OSError):
            write_json(self._folder / RECORD, self._told)
