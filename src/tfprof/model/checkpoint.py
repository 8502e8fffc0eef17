"""A checkpoint: which tensors it holds, and how to get at one without reading the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import field

import numpy as np
import numpy.typing as npt

from tfprof.errors import CorruptFile
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import elements
from tfprof.model.providers import TensorValues
from tfprof.wire import dtypes, small_floats

Array = npt.NDArray[np.generic]

OBJECT_GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"

_NATIVE = {
    "float32": "<f4", "float64": "<f8", "float16": "<f2", "int8": "i1", "int16": "<i2",
    "int32": "<i4", "int64": "<i8", "uint8": "u1", "uint16": "<u2", "uint32": "<u4",
    "uint64": "<u8", "bool": "?", "complex64": "<c8", "complex128": "<c16", "qint8": "i1",
    "quint8": "u1", "qint16": "<i2", "quint16": "<u2", "qint32": "<i4",
}  # fmt: skip
# no numpy type: the bits as they are stored, an element each
_BITS = {"bfloat16": "<u2", "int4": "i1", "uint4": "u1", "int2": "i1", "uint2": "u1"}


# small signed integers lie in the low bits of a byte
_SIGN_BITS = {"int4": np.int8(8), "int2": np.int8(2)}


@frozen_dataclass
class StoredTensor:
    """What the index says about one tensor. `name` is for people, `key` is the file's."""

    key: str
    name: str
    dtype: int
    shape: tuple[int, ...]
    stored_bytes: int

    @property
    def elements(self) -> int:
        return elements(self.shape) or 0

    @property
    def is_plain(self) -> bool:
        """Whether its bytes are its elements, one after the other."""
        return dtypes.bits(self.dtype) is not None


@frozen_dataclass
class Checkpoint:
    path: str
    version: str
    shards: int
    tensors: Mapping[str, StoredTensor]
    source: TensorValues
    # optimizer slot key to the key of the variable it belongs to, where the file says so
    slots: Mapping[str, str] = field(default_factory=dict)

    def chunks(self, tensor: StoredTensor) -> Iterator[bytes]:
        """Pieces of a tensor's bytes, in order of its elements."""
        return self.source.chunks(tensor)

    def strings(self, tensor: StoredTensor) -> list[bytes]:
        return self.source.strings(tensor)

    def stored(self, tensor: StoredTensor) -> Array:
        """The tensor bit for bit; types numpy lacks as the integers that hold their bits."""
        if dtypes.name(tensor.dtype) == "string":
            values = np.array(self.strings(tensor), object)
            return values.reshape(tensor.shape)
        kind = np.dtype(stored_type(tensor.dtype))
        data = self.source.whole(tensor) if tensor.is_plain else b""
        if len(data) != tensor.elements * kind.itemsize or not tensor.is_plain:
            held = f"tensor {tensor.key} holds {len(data):,} bytes"
            wanted = f"{tensor.elements:,} of {dtypes.name(tensor.dtype)}"
            raise CorruptFile(f"{held}, not {wanted}", offset=0, where=self.path)
        return np.frombuffer(data, kind).reshape(tensor.shape)

    def values(self, tensor: StoredTensor) -> Array:
        """The tensor as numbers: bfloat16 and float8 become float32."""
        return as_numbers(self.stored(tensor), tensor.dtype)


def stored_type(dtype: int) -> str:
    """The numpy type whose elements hold the bits of one element."""
    name = dtypes.name(dtype)
    return _NATIVE.get(name) or _BITS.get(name) or "u1"


def as_numbers(bits: Array, dtype: int) -> Array:
    name = dtypes.name(dtype)
    if name == "bfloat16":
        return small_floats.bfloat16_to_float32(bits.astype(np.uint16))
    if name in _SIGN_BITS:
        sign = _SIGN_BITS[name]
        return ((bits.astype(np.int8) & (2 * sign - 1)) ^ sign) - sign
    if name.startswith("float8"):
        return small_floats.float8_to_float32(bits.astype(np.uint8), name)
    return bits
