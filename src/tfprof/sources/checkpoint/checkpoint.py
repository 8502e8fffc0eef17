"""Checkpoints: an index table (V2) or one table with everything (V1), told apart by the header."""

from __future__ import annotations

from math import prod
from pathlib import Path

from tfprof.errors import CorruptFile
from tfprof.model.budget import MOST_ELEMENTS
from tfprof.model.checkpoint import Checkpoint
from tfprof.sources.checkpoint.v1 import open_v1
from tfprof.sources.checkpoint.v2 import Bundle, open_v2
from tfprof.sources.files.reader import FileReader, corrupt
from tfprof.sources.files.registry import FilePiece
from tfprof.wire.fields import Progress, WireFault
from tfprof.wire.table import SortedTable

_INDEX_SUFFIX = ".index"


def open_checkpoint(path: Path, warnings: list[str] | None = None) -> Checkpoint:
    """A checkpoint by its index file, or the single file of an early one."""
    reader = FileReader(path)
    table = SortedTable(reader.read_at, reader.size)
    try:
        is_v2 = path.name.endswith(_INDEX_SUFFIX)
        said = warnings if warnings is not None else []
        found = open_v2(path, table, said) if is_v2 else open_v1(path, table)
    except WireFault as fault:
        raise corrupt(fault, path) from None
    for tensor in found.tensors.values():
        if prod(tensor.shape) > MOST_ELEMENTS:
            what = f"tensor {tensor.key} says that it has more elements than a tensor can have"
            raise CorruptFile(what, offset=0, where=str(path))
    return found


def read(path: Path, _step: int, _progress: Progress | None) -> FilePiece:
    warnings: list[str] = []
    found = open_checkpoint(path, warnings)
    beside = found.source.shard_files() if isinstance(found.source, Bundle) else ()
    return FilePiece(checkpoint=found, warnings=warnings, beside=beside)
