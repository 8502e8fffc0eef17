"""Checkpoints: their index, the values, and the file that names the newest."""

from __future__ import annotations

from tfprof.sources.checkpoint.state import SHARD
from tfprof.sources.files.probe import Probe
from tfprof.sources.files.registry import Format, reader, register
from tfprof.wire.checkpoint_messages import MAGIC


def _is_state(probe: Probe) -> float:
    return float(probe.is_text and probe.head.lstrip().startswith(b"model_checkpoint_path"))


register(Format(
    name="checkpoint",
    about="variables and their values, V2 index or V1",
    names="*.index, model.ckpt",
    recognised_by="magic at its end",
    gives="variables, values, what a restore does",
    score=lambda probe: float(probe.tail.endswith(MAGIC)),
    read=reader("checkpoint.checkpoint", "read"),
))  # fmt: skip
register(Format(
    name="checkpoint data",
    about="the values of a checkpoint's variables",
    names="*.data-00000-of-00001",
    recognised_by="name",
    gives="variable values, through the index",
    score=lambda probe: float(SHARD.fullmatch(probe.name) is not None),
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
