"""The `checkpoint` file of a folder: which checkpoint is the newest."""

from __future__ import annotations

from pathlib import Path

from tfprof.errors import CorruptText
from tfprof.late_pattern import late_pattern
from tfprof.sources.files.reader import parse, read_bytes

SHARD = late_pattern(r"(.+)\.data-\d{5}-of-\d{5}(\.tempstate\d+)?")
INDEX_SUFFIX = ".index"


def newest_prefix(state: Path) -> Path | None:
    """The prefix the state file names, in its own folder if the folder was moved."""
    from tfprof.sources.files.text_format import text_to_wire

    try:
        data, _ = text_to_wire(read_bytes(state), "CheckpointState", state, [])
    except CorruptText:
        return None
    named = parse("CheckpointState", data, state, 0).model_checkpoint_path
    return state.parent / Path(named).name if named else None


def prefix_of(path: Path) -> str:
    """The name that all files of a checkpoint begin with."""
    match = SHARD.fullmatch(path.name)
    return match[1] if match else path.name.removesuffix(INDEX_SUFFIX)
