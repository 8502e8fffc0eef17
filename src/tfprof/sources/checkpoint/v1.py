"""V1 checkpoints: one table whose first entry lists the tensors and whose others hold slices."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from tfprof.errors import CorruptFile
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.checkpoint import Array, Checkpoint, StoredTensor, stored_type
from tfprof.model.graph import elements, known_shape
from tfprof.sources.files.reader import corrupt, parse
from tfprof.wire import dtypes
from tfprof.wire.fields import WireFault
from tfprof.wire.ordered_code import slice_key_prefix
from tfprof.wire.schema import Proto
from tfprof.wire.table import SortedTable

# which repeated field of a TensorProto holds values of a type
_VALUE_FIELDS = {
    "float32": "float_val", "float64": "double_val", "int32": "int_val", "int16": "int_val",
    "int8": "int_val", "uint8": "int_val", "uint16": "int_val", "qint8": "int_val",
    "quint8": "int_val", "qint32": "int_val", "int64": "int64_val", "bool": "bool_val",
    "float16": "half_val", "complex64": "scomplex_val", "complex128": "dcomplex_val",
    "string": "string_val",
}  # fmt: skip

# a value takes a byte or more, and no block is packed tighter than so
_VALUES_A_BYTE = 64


@frozen_dataclass
class _File:
    path: Path
    table: SortedTable

    def chunks(self, tensor: StoredTensor) -> Iterator[bytes]:
        yield self.whole(tensor)

    def whole(self, tensor: StoredTensor) -> bytes:
        return self._values(tensor).tobytes()

    def strings(self, tensor: StoredTensor) -> list[bytes]:
        return list(self._values(tensor).reshape(-1))

    def _values(self, tensor: StoredTensor) -> Array:
        is_string = dtypes.name(tensor.dtype) == "string"
        kind = np.dtype(object if is_string else stored_type(tensor.dtype))
        whole = self._room(tensor, kind)
        filled = 0
        for saved in self._slices(tensor):
            where = tuple(_extent(extent) for extent in saved.slice.extent)
            try:
                part = _decoded(saved.data, kind, tensor.dtype)
                whole[where] = part.reshape(whole[where].shape)
            except (ValueError, IndexError):
                what = f"a slice of tensor {tensor.key} does not fit it"
                raise CorruptFile(what, offset=0, where=str(self.path)) from None
            filled += part.size
        if filled < (elements(tensor.shape) or 0):
            what = f"only {filled:,} of {tensor.elements:,} values of tensor {tensor.key} are there"
            raise CorruptFile(what, offset=0, where=str(self.path))
        return whole

    def _room(self, tensor: StoredTensor, kind: np.dtype[Any]) -> Array:
        """None is made for more values than the file can hold, however they are packed."""
        what = f"tensor {tensor.key} has more values than the file has room for"
        if (elements(tensor.shape) or 0) <= self.table.size * _VALUES_A_BYTE:
            try:
                return np.zeros(tensor.shape, kind)
            except ValueError:  # no values, but other dimensions than arrays have
                what = f"tensor {tensor.key} has dimensions that no array has"
        raise CorruptFile(what, offset=0, where=str(self.path))

    def _slices(self, tensor: StoredTensor) -> Iterator[Proto]:
        """The blocks whose keys may begin with the tensor's name, and no others."""
        prefix = slice_key_prefix(tensor.key)
        try:
            for handle in self.table.blocks():
                if handle[0] < prefix:
                    continue
                past = False
                for entry in self.table.block_entries(handle):
                    if entry.key.startswith(prefix):
                        yield parse("SavedTensorSlices", entry.value, self.path, entry.block).data
                    past = past or entry.key > prefix + b"\xff"
                if past:
                    return
        except WireFault as fault:
            what = f"tensor {tensor.key} cannot be read: {fault.what}"
            raise CorruptFile(what, offset=fault.offset, where=str(self.path)) from None


def open_v1(path: Path, table: SortedTable) -> Checkpoint:
    first = next(iter(table.blocks()), None)
    header = next(iter(table.block_entries(first)), None) if first else None
    if header is None or header.key != b"":
        raise corrupt(WireFault("the table is no checkpoint: it lists no tensors", 0), path)
    meta = parse("SavedTensorSlices", header.value, path, header.block).meta
    tensors = {}
    for saved in meta.tensor:
        shape = known_shape(saved.shape)
        stored = -(-(elements(shape) or 0) * (dtypes.bits(saved.type) or 0) // 8)
        tensors[saved.name] = StoredTensor(saved.name, saved.name, saved.type, shape, stored)
    file = _File(path, table)
    return Checkpoint(str(path), "V1", 1, tensors, file)


def _extent(extent: Proto) -> slice:
    if not extent.HasField("length"):
        return slice(None)
    return slice(extent.start, extent.start + extent.length)


def _decoded(proto: Proto, kind: np.dtype[np.generic], dtype: int) -> Array:
    if proto.tensor_content:
        return np.frombuffer(proto.tensor_content, kind)
    values = getattr(proto, _VALUE_FIELDS.get(dtypes.name(dtype), "int_val"))
    if kind.kind == "c":
        parts = np.array(values, np.float64)
        return (parts[0::2] + 1j * parts[1::2]).astype(kind)
    if dtypes.name(dtype) == "float16":
        return np.array(values, np.uint16).view(np.float16)
    if kind.kind == "O":
        out = np.empty(len(values), object)
        out[:] = list(values)
        return out
    return np.array(values).astype(kind)
