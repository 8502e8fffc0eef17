"""Run folders for tests: records written by hand around real captures, graphs and run metadata."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent / "data"
CAPTURE, LATER = "2026_11_17_18_45_05", "2026_11_17_18_46_00"


def rank_record(rank: int = 0, ranks: int = 1, **changes: Any) -> dict[str, Any]:
    """What a process of a small training run writes down."""
    record = {
        "schema": "tfprof-run/1",
        "tfprof": "0.1.0",
        "state": "ended",
        "rank": rank,
        "ranks": ranks,
        "task": f"worker/{rank}" if ranks > 1 else None,
        "host": "vm",
        "pid": 4000 + rank,
        "program": {"script": "train.py", "module": None, "arguments": ["--epochs", "3"]},
        "started": "2026-11-17T18:45:02.123456Z",
        "ended": "2026-11-17T18:46:12.000000Z",
        "exit_code": 0,
        "ended_by": "exit",
        "clock": {"unix_ns": 1794941102123456000, "monotonic_ns": 5123456000},
        "versions": {"python": "3.11.7", "tensorflow": "2.21.0", "keras": "3.15.1"},
        "devices": [{"name": "/device:CPU:0", "kind": "CPU", "model": None}],
        "strategy": None,
        "options": {"steps": None, "every": None, "memory": False},
        "batch": 32,
        "model": {
            "name": "mlp",
            "layers": [{"name": "dense", "class": "Dense", "scope": "mlp/dense"}],
        },
        "steps": {
            "kind": "fit",
            "name": "train_step",
            "count": 120,
            "per_execution": 1,
            "untraced_us": [10_000.0, 10_200.0, 9_800.0, 10_100.0, 9_900.0],
            "warm_up": 2,
        },
        "captures": [capture(CAPTURE)],
        "functions": [
            {
                "name": "one_step_on_iterator",
                "graph": "graph.pb",
                "variables": "graph_vars.json",
                "role": "step",
                "calls": 120,
                "traces": 2,
            }
        ],
        "functions_left_out": 0,
        "epochs": [],
        "previous": [],
        "warnings": [],
    }
    return {**record, **changes}


def capture(name: str, first: int = 3, last: int = 7, **changes: Any) -> dict[str, Any]:
    made = {
        "folder": f"plugins/profile/{name}",
        "first_step": first,
        "last_step": last,
        "complete": True,
        "started": "2026-11-17T18:45:05Z",
        "seconds": 0.06,
        "bytes": 123456,
        "why": "steps",
        "events_dropped": None,
        "step_us": [10_500.0, 10_700.0, 10_600.0, 10_400.0],
        "kept_as": None,
    }
    return {**made, **changes}


def whole_record(*ranks: str, **changes: Any) -> dict[str, Any]:
    record = {
        "schema": "tfprof-run/1",
        "tfprof": "0.1.0",
        "program": {"script": "train.py", "module": None, "arguments": ["--epochs", "3"]},
        "started": "2026-11-17T18:45:02.123456Z",
        "ended": "2026-11-17T18:46:12.000000Z",
        "exit_code": 0,
        "ended_by": "exit",
        "state": "ended",
        "ranks": list(ranks or ("rank-0",)),
        "options": {},
    }
    return {**record, **changes}


def put(name: str, to: Path) -> None:
    """A file of tests/data, unpacked."""
    to.parent.mkdir(parents=True, exist_ok=True)
    packed = DATA / f"{name}.gz"
    if packed.exists():
        to.write_bytes(gzip.decompress(packed.read_bytes()))
    else:
        shutil.copy(DATA / name, to)


def write(path: Path, record: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(record), encoding="utf-8")


def put_capture(
    rank: Path, name: str = CAPTURE, data: str = "traced_step/vm.xplane.pb", host: str = "vm"
) -> None:
    put(data, rank / "plugins" / "profile" / name / f"{host}.xplane.pb")


def put_model(rank: Path) -> None:
    put("traced_step/graph.pb", rank / "graph.pb")
    put("traced_step/vars.json", rank / "graph_vars.json")


def made_run(folder: Path, ranks: int = 1, **changes: Any) -> Path:
    """A whole run with a capture a rank; `changes` are those of the records of ranks."""
    write(folder / "run.json", whole_record(*(f"rank-{n}" for n in range(ranks))))
    for rank in range(ranks):
        place = folder / f"rank-{rank}"
        write(place / "run.json", rank_record(rank, ranks, **changes))
        put_model(place)
        put_capture(place)
    return folder
