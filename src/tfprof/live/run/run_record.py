"""The folder of a run as its parent sees it: made before the script, completed after it."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tfprof import __version__
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.live.profiler_options import host_tracer_level
from tfprof.live.recording.run_folder import (
    HIDDEN,
    RECORD,
    SCHEMA,
    RankFolder,
    masked,
    new_run_folder,
    now,
    read_record,
    remove,
    write_json,
)
from tfprof.live.run.process import Ended
from tfprof.live.run.wanted import Wanted

_RANKS: Final = "rank-*"


@frozen_dataclass
class RunFolder:
    """What is written here never fails: the script has run, and its result counts."""

    path: Path
    top: dict[str, Any]

    @classmethod
    def made(cls, parent: Path, wanted: Wanted) -> RunFolder:
        """Private, with a run.json that says that the run goes on."""
        path = new_run_folder(parent, _stem(wanted))
        top: dict[str, Any] = {
            "schema": SCHEMA,
            "tfprof": __version__,
            "state": "running",
            "program": {
                "script": wanted.script,
                "module": wanted.module,
                "arguments": masked(wanted.arguments),
            },
            "started": now(),
            "ended": None,
            "exit_code": None,
            "ended_by": None,
            "ranks": [],
            "options": {
                "steps": wanted.steps,
                "every": wanted.every,
                "delay_s": wanted.delay,
                "duration_s": wanted.duration,
                "memory": wanted.memory,
                "max_bytes": wanted.max_bytes,
                "host_tracer_level": host_tracer_level(every_op=wanted.every_op),
                "what": wanted.what,
                "follow": wanted.follow,
            },
        }
        folder = cls(path, top)
        folder._write(path, top)
        return folder

    def ranks(self) -> list[Path]:
        """The folders of the processes, by their number."""
        return sorted(self.path.glob(_RANKS), key=lambda path: (len(path.name), path.name))

    def ended(self, how: Ended) -> list[dict[str, Any]]:
        """What the processes recorded, with what only the parent of the script knows."""
        code = how.code
        by = f"signal {-code}" if code < 0 else "exit"
        records = []
        for folder in self.ranks():
            record = read_record(folder / RECORD)
            if record and _completed(folder, record, by, how):
                self._write(folder, record)
            if not _is_alive(record.get("pid")):
                for left in folder.glob(f"{HIDDEN}*"):  # it was killed while it wrote
                    remove(left)
            records.append(record)
        self.top.update(
            state="ended" if code == 0 else "failed",
            ended=now(),
            exit_code=code if code >= 0 else None,
            ended_by=next((r["ended_by"] for r in records if r.get("pid") == how.process), by),
            ranks=[folder.name for folder in self.ranks()],
        )
        self._write(self.path, self.top)
        return records

    def _write(self, folder: Path, record: dict[str, Any]) -> None:
        with suppress(OSError):
            write_json(folder / RECORD, record)


def _stem(wanted: Wanted) -> str:
    if wanted.module is not None:
        return wanted.module.rpartition(".")[2]
    return Path(wanted.script or "").stem or "run"


def _completed(folder: Path, record: dict[str, Any], by: str, how: Ended) -> bool:
    """Whether there was something to add."""
    is_script = record.get("pid") == how.process
    code = how.code if is_script and how.code >= 0 else None
    if record.get("state") == "running" and not _is_alive(record.get("pid")):
        # it had no time for a last word; how a process ended that the script started, nobody knows
        record.update(state="ended" if code == 0 else "failed", ended=now(), exit_code=code)
        record["ended_by"] = by if is_script else None
        record["captures"] = RankFolder(folder, record).captures_before()
        return True
    if is_script and record.get("ended_by") == "exit" and record.get("exit_code") is None:
        record.update(exit_code=code, state="failed" if how.code else "ended")
        return True
    return False


def _is_alive(process: object) -> bool:
    try:
        os.kill(int(str(process)), 0)
    except (OSError, ValueError):
        return False
    return True


def signal_name(number: int) -> str:
    with suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"
