"""The `checkpoint` file of a folder: which checkpoint is the newest."""

from __future__ import annotations

import re
from pathlib import Path

from tfprof.errors import CorruptText
from tfprof.sources.files.probe import Probe
from tfprof.sources.files.reader import parse, read_bytes
from tfprof.sources.files.registry import Format, register
from tfprof.sources.files.text_format import text_to_wire

_SHARD = re.compile(r"(.+)\.data-\d{5}-of-\d{5}(\.tempstate\d+)?")
INDEX_SUFFIX = ".index"


def newest_prefix(state: Path) -> Path | None:
    """The prefix the state file names, in its own folder if the folder was moved."""
    try:
        data, _ = text_to_wire(read_bytes(state), "CheckpointState", state, [])
    except CorruptText:
        return None
    named = parse("CheckpointState", data, state, 0).model_checkpoint_path
    return state.parent / Path(named).name if named else None


def prefix_of(path: Path) -> str:
    """The name that all files of a checkpoint begin with."""
    match = _SHARD.fullmatch(path.name)
    return match[1] if match else path.name.removesuffix(INDEX_SUFFIX)


def _is_state(probe: Probe) -> float:
    return float(probe.is_text and probe.head.lstrip().startswith(b"model_checkpoint_path"))


register(Format(
    name="checkpoint data",
    about="the values of a checkpoint's variables",
    names="*.data-00000-of-00001",
    recognised_by="name",
    gives="variable values, through the index",
    score=lambda probe: float(_SHARD.fullmatch(probe.name) is not None),
    read=None,
    part_of="checkpoint",
))  # fmt: skip
register(Format(
    name="checkpoint state",
    about="which checkpoint of a folder is the newest",
    names="checkpoint",
    recognised_by="first field",
    gives="the newest checkpoint",
    score=_is_state,
    read=None,
    part_of="checkpoint",
))  # fmt: skip
