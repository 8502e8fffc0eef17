"""`run.json` of a run that was sampled: of its processes hardly more is known than the address."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, TypeAlias

from tfprof import __version__
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.remote.addresses import Address
from tfprof.results.capture import HostLeftOut

_SCHEMA: Final = "tfprof-run/1"
_NAME: Final = "run.json"
# what a process would have to say itself
_UNKNOWN: Final = (
    "task", "pid", "clock", "versions", "devices", "strategy", "batch", "model", "steps",
    "functions", "functions_left_out", "epochs", "previous",
)  # fmt: skip
_UNKNOWN_OF_CAPTURE: Final = ("first_step", "last_step", "events_dropped", "step_us", "kept_as")
Json: TypeAlias = Any


@frozen_dataclass
class SampledProcess:
    address: Address
    bytes: int
    heard: datetime


def options_of(seconds: float, max_bytes: int) -> dict[str, Json]:
    return {
        "steps": None, "every": None, "delay_s": None, "duration_s": seconds, "memory": False,
        "max_bytes": max_bytes, "python_tracer": False,
    }  # fmt: skip


def write_run(
    folder: Path,
    started: datetime,
    ended: datetime,
    options: dict[str, Json],
    ranks: int,
    left_out: Sequence[HostLeftOut],
) -> None:
    named = [f"rank-{number}" for number in range(ranks)]
    missing = [{"host": one.host, "why": one.why} for one in left_out]
    _write(folder, _common(started, ended, options) | {"ranks": named, "left_out": missing})


def write_process(
    folder: Path,
    started: datetime,
    process: SampledProcess,
    options: dict[str, Json],
    rank: tuple[int, int],
    captures: str,
) -> None:
    """`rank` is which of how many."""
    number, ranks = rank
    capture = {
        **dict.fromkeys(_UNKNOWN_OF_CAPTURE), "folder": captures, "complete": True,
        "started": _spelt(started), "seconds": options["duration_s"], "bytes": process.bytes,
        "why": "duration",
    }  # fmt: skip
    _write(folder, {
        **_common(started, process.heard, options), **dict.fromkeys(_UNKNOWN),
        "rank": number, "ranks": ranks, "host": str(process.address), "captures": [capture],
        "warnings": [],
    })  # fmt: skip


def _common(started: datetime, ended: datetime, options: dict[str, Json]) -> dict[str, Json]:
    return {
        "schema": _SCHEMA, "tfprof": __version__, "state": "ended", "program": None,
        "started": _spelt(started), "ended": _spelt(ended), "exit_code": None, "ended_by": None,
        "options": options,
    }  # fmt: skip


def _spelt(moment: datetime) -> str:
    utc = moment.astimezone(UTC)
    return utc.isoformat(timespec="microseconds").replace("+00:00", "Z")


def _write(folder: Path, record: dict[str, Json]) -> None:
    (folder / _NAME).write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
