"""A recording into a folder that the user named: checked at the call, opened when it begins."""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from tfprof.errors import ExtraMissing, OutputNotWritable, UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.live.calls import loaded
from tfprof.live.recording.plan import Plan
from tfprof.live.recording.ranks import process_rank
from tfprof.live.recording.recorder import Recorder
from tfprof.live.recording.run_folder import About, made
from tfprof.live.recording.top_record import TopRecord


@frozen_dataclass
class Opened:
    """A recorder, and what the run as a whole says of itself."""

    recorder: Recorder
    top: TopRecord | None  # the process of rank 0 writes it

    def close(self, ended_by: str, exit_code: int | None = None) -> None:
        self.recorder.close(ended_by, exit_code)
        if self.top is not None:
            self.top.end(ended_by, exit_code)


def checked_folder(given: str | os.PathLike[str]) -> Path:
    """The folder of a run; an error if it cannot be one."""
    try:
        name = os.fsdecode(given)
    except TypeError:
        raise UsageError(f"{given!r} is not the name of a folder") from None
    if not name or "\0" in name or "://" in name:
        raise UsageError(
            f"{name!r} is not a folder of this machine",
            hint="A recording goes into a local folder, which is made if needed.",
        )
    folder = Path(name)
    try:
        there = next(path for path in [folder, *folder.absolute().parents] if path.exists())
        why = _why_not(there)
    except OSError as fault:  # a place that may not be looked at, a name that is too long
        there, why = folder, f"nothing can be written here: {fault.strerror}"
    if why:
        raise OutputNotWritable(why, where=str(there), hint="Give another folder.")
    return folder


def _why_not(there: Path) -> str:
    if not there.is_dir():
        return "this is a file, not a folder"
    by_effective = os.access in os.supports_effective_ids
    if not os.access(there, os.W_OK | os.X_OK, effective_ids=by_effective):
        return "nothing can be written here"
    return ""


def opened(
    folder: Path,
    plan: Plan,
    *,
    memory: bool = False,
    max_bytes: int,
    python_tracer: bool = False,
    every_op: bool = False,
    first_step: int | None = None,
) -> Opened:
    """The recording of this process, in its own folder below that of the run."""
    if "tensorflow" not in sys.modules and importlib.util.find_spec("tensorflow") is None:
        raise ExtraMissing("a capture needs tensorflow", hint="pip install tensorflow")
    rank, ranks, task = process_rank()
    about = About(
        script=os.path.basename(sys.argv[0]) if sys.argv and sys.argv[0] else None,  # noqa: PTH119
        arguments=sys.argv[1:],
        rank=rank,
        ranks=ranks,
        task=task,
        memory=memory,
        python_tracer=python_tracer,
        every_op=every_op,
        max_bytes=max_bytes,
    )
    made(folder)
    recorder = Recorder(folder / f"rank-{rank}", plan, about, first_step=first_step)
    try:
        # after the recorder, which asks for memory events: TensorFlow looks once, when it starts
        loaded("tensorflow")
    except BaseException:
        recorder.close("exception")
        raise
    top = TopRecord(folder, plan, about) if rank == 0 else None
    return Opened(recorder, top)
