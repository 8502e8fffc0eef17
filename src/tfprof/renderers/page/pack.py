"""A section as bytes: JSON with its columns of numbers behind it, compressed.

    u32 length of the JSON | JSON | padding to 8 | column | padding to 8 | column ...

In the JSON a column is `{"$column": [type, offset, length]}`; the page makes a typed array of it,
which takes no parsing. All numbers are little-endian.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from tfprof.renderers.data.encode import encoded
from tfprof.renderers.data.json import finite
from tfprof.results.columns import Columns

_ALIGNED = 8
# what a browser has arrays of; 64-bit whole numbers are not among them
_TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8")


def packed(value: Mapping[str, object]) -> bytes:
    """Equal data makes equal bytes."""
    columns = _ColumnBytes()
    head = json.dumps(
        finite(_plain(value, columns)), ensure_ascii=False, separators=(",", ":")
    ).encode(errors="backslashreplace")
    start = len(head).to_bytes(4, "little") + head
    return gzip.compress(start + b"\0" * (-len(start) % _ALIGNED) + columns.joined(), 6, mtime=0)


class _ColumnBytes:
    """Columns one behind the other; offsets count from where the first begins."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add(self, values: npt.NDArray[Any]) -> list[str | int]:
        column = _for_a_browser(values)
        data = column.tobytes()
        data += b"\0" * (-len(data) % _ALIGNED)
        offset, self._size = self._size, self._size + len(data)
        self._parts.append(data)
        return [column.dtype.str[1:], offset, len(column)]

    def joined(self) -> bytes:
        return b"".join(self._parts)


def _for_a_browser(values: npt.NDArray[Any]) -> npt.NDArray[Any]:
    return np.ascontiguousarray(values, f"<{type_for_a_browser(values.dtype)}")


def type_for_a_browser(dtype: np.dtype[Any]) -> str:
    """Whole numbers of 64 bits as doubles, which are exact up to 2^53; booleans as bytes."""
    kind = dtype.str[1:]
    wanted = {"b1": "u1", "i8": "f8", "u8": "f8"}.get(kind, kind)
    if wanted not in _TYPES:
        raise TypeError(f"a page has no columns of {dtype}")
    return wanted


def _plain(value: object, columns: _ColumnBytes) -> Any:  # noqa: ANN401
    """Mappings and lists are looked into for columns; what is a result is encoded as ever."""
    if isinstance(value, np.ndarray):
        return {"$column": columns.add(value)}
    if hasattr(value, "columns"):
        return _plain(cast("Columns", value).columns(), columns)
    if isinstance(value, Mapping):
        return {str(key): _plain(one, columns) for key, one in value.items()}
    if isinstance(value, list | tuple) and not hasattr(value, "_fields"):
        return [_plain(one, columns) for one in cast("Iterable[object]", value)]
    return encoded(value)
