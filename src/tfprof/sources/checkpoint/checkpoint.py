"""Checkpoints: an index table (V2) or one table with everything (V1), told apart by the header."""

from __future__ import annotations

from math import prod
from pathlib import Path

from tfprof.errors import CorruptFile
from tfprof.model.budget import MOST_ELEMENTS
from tfprof.model.checkpoint import Checkpoint
from tfprof.sources.checkpoint.v1 import open_v1
from tfprof.sources.checkpoint.v2 import Bundle, Tensors, open_v2
from tfprof.sources.files.reader import FileReader, corrupt
from tfprof.sources.files.registry import FilePiece
from tfprof.wire.fields import Progress, WireFault
from tfprof.wire.table import ReadAt, SortedTable

_INDEX_SUFFIX = ".index"
# the index of two million tensors is not larger
_AT_ONCE = 1 << 26


def open_checkpoint(path: Path, warnings: list[str] | None = None) -> Checkpoint:
    """A checkpoint by its index file, or the single file of an early one."""
    reader = FileReader(path)
    is_v2 = path.name.endswith(_INDEX_SUFFIX)
    at_once = is_v2 and reader.size <= _AT_ONCE
    table = SortedTable(_read_once(reader) if at_once else reader.read_at, reader.size)
    try:
        said = warnings if warnings is not None else []
        found = open_v2(path, table, said) if is_v2 else open_v1(path, table)
    except WireFault as fault:
        raise corrupt(fault, path) from None
    _check_shapes(found, path)
    return found


def _read_once(reader: FileReader) -> ReadAt:
    """All of an index is looked at anyway."""
    data = reader.read_at(0, reader.size)
    return lambda offset, size: data[offset : offset + size]


def _check_shapes(found: Checkpoint, path: Path) -> None:
    """Of many tensors few shapes: each is looked at once, and no tensor is made for it."""
    tensors = found.tensors
    shapes = [*tensors.shapes()] if isinstance(tensors, Tensors) else [
        one.shape for one in tensors.values()
    ]  # fmt: skip
    too_large = {shape for shape in {*shapes} if prod(shape) > MOST_ELEMENTS}
    for key, shape in zip(tensors, shapes, strict=True) if too_large else ():
        if shape in too_large:
            what = f"tensor {key} says that it has more elements than a tensor can have"
            raise CorruptFile(what, offset=0, where=str(path))


def read(path: Path, _step: int, _progress: Progress | None) -> FilePiece:
    warnings: list[str] = []
    found = open_checkpoint(path, warnings)
    beside = found.source.shard_files() if isinstance(found.source, Bundle) else ()
    return FilePiece(checkpoint=found, warnings=warnings, beside=beside)
