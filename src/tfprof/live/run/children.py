"""Processes that the script starts: quiet unless `--follow` asks, and then with a folder each.

A process takes its folder with its first step, so one that only starts others takes none. Its rank
is that of its task where TF_CONFIG tells one, else the lowest that is free.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tfprof.live.run.wanted import TRAINING, Wanted
from tfprof.live.run.watch import Watch

if TYPE_CHECKING:
    from tfprof.live.recording.recorder import Recorder

_MOST_RANKS: Final = 10_000


def install(watch: Watch) -> None:
    os.register_at_fork(after_in_child=watch.forget)


def claimed(wanted: Wanted, since_start: float) -> Recorder:
    """The recorder of this process, in a folder that is its own; it waits for what is left."""
    from tfprof.live.recording.plan import Plan
    from tfprof.live.recording.ranks import process_rank
    from tfprof.live.recording.recorder import Recorder
    from tfprof.live.recording.run_folder import About

    rank, ranks, task = process_rank()
    folder, rank = _taken(Path(wanted.folder), rank, is_told=task is not None)
    about = About(
        script=wanted.script,
        module=wanted.module,
        arguments=wanted.arguments,
        rank=rank,
        ranks=ranks,
        task=task,
        memory=wanted.memory,
        max_bytes=wanted.max_bytes,
        every_op=wanted.every_op,
    )
    plan = Plan(
        steps=wanted.steps,
        every=wanted.every,
        delay=None if wanted.delay is None else max(0.0, wanted.delay - since_start),
        duration=wanted.duration,
        evaluation=wanted.what != TRAINING,
    )
    return Recorder(folder, plan, about)


def _taken(run: Path, rank: int, *, is_told: bool) -> tuple[Path, int]:
    """A new folder in that of the run; a task that begins again goes on in its own."""
    for number in range(rank, _MOST_RANKS):
        folder = run / f"rank-{number}"
        try:
            folder.mkdir(mode=0o700)
        except FileExistsError:
            if is_told and number == rank and not _is_busy(folder):
                return folder, number
            continue
        return folder, number
    raise OSError(f"{run} has too many ranks")


def _is_busy(folder: Path) -> bool:
    """Whether the process that has it is there."""
    import json

    try:
        process = json.loads((folder / "run.json").read_text())["pid"]
        os.kill(int(process), 0)
    except (OSError, ValueError, KeyError, TypeError):
        return False
    return True
