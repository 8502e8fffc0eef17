"""A capture as Riegeli records: each is an XSpace, and so are all of them, one after the other."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tfprof.errors import ExtraMissing, NotReadYet, UnsafeFile
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.budget import Budget
from tfprof.sources.files.inflation import inflation_budget
from tfprof.sources.files.kept import joined
from tfprof.sources.files.reader import as_bytes, corrupt
from tfprof.wire import snappy
from tfprof.wire.fields import WireFault
from tfprof.wire.riegeli import NotReadable, Unpack, records

_SLICE = 256  # of packed bytes, of which a few may stand for megabytes
_HINT = "Profile fewer steps: captures of up to 2 GB are written as .xplane.pb."

Pieces = Callable[[bytes, Path], Iterator[bytes]]


def joined_records(data: bytes, path: Path, warnings: list[str]) -> bytes:
    """The bytes of one XSpace; of a file that ends early the whole records, with a warning."""
    return as_bytes(joined(_whole_records(data, path, warnings), str(path)))


def _whole_records(data: bytes, path: Path, warnings: list[str]) -> Iterator[bytes]:
    budget = inflation_budget(len(data))
    unpackers: dict[int, Unpack] = {
        ord(letter): _Unpacker(pieces, path, budget) for letter, pieces in _PACKED.items()
    }
    found = 0
    try:
        for record in records(data, unpackers):
            yield record
            found += 1
    except WireFault as fault:
        if not (fault.early_end and found):
            raise corrupt(fault, path) from None
        warnings.append(
            f"{path} ends early: a chunk at byte {fault.offset:,} is cut off; the {found:,} "
            "records before it were read"
        )
    except NotReadable as fault:
        what = f"a capture as Riegeli records, and {fault}: that is not read yet"
        raise NotReadYet(what, where=str(path), hint=_HINT) from None


@frozen_dataclass
class _Unpacker:
    """One compression, up to the budget of the file."""

    pieces: Pieces
    path: Path
    budget: Budget

    def __call__(self, data: bytes) -> bytes:
        out = bytearray()
        for piece in self.pieces(data, self.path):
            if not self.budget.take(len(piece)):
                what = f"its records unpack to over {self.budget.spent:,} bytes, as no capture does"
                raise UnsafeFile(what, where=str(self.path))
            out += piece
        return bytes(out)


def _brotli(data: bytes, path: Path) -> Iterator[bytes]:
    module = _extra("brotli", path)
    yield from _fed(module.Decompressor().process, data, module.error)


def _zstd(data: bytes, path: Path) -> Iterator[bytes]:
    module = _extra("zstandard", path)
    yield from _fed(module.ZstdDecompressor().decompressobj().decompress, data, module.ZstdError)


def _snappy(data: bytes, _: Path) -> Iterator[bytes]:
    yield snappy.decompress(data)


# by the letter that stands before packed records
_PACKED: dict[str, Pieces] = {"b": _brotli, "z": _zstd, "s": _snappy}


def _fed(unpack: Callable[[bytes], bytes], data: bytes, fault: type[Exception]) -> Iterator[bytes]:
    for begin in range(0, len(data), _SLICE):
        try:
            yield unpack(data[begin : begin + _SLICE])
        except fault as told:
            raise WireFault(f"packed records cannot be unpacked ({told})", begin) from None


def _extra(name: str, path: Path) -> Any:  # noqa: ANN401  (neither tells its types)
    try:
        return importlib.import_module(name)
    except ImportError:
        raise ExtraMissing(
            f"its records are packed with {name}, which is not installed",
            where=str(path),
            hint="pip install 'tfprof[riegeli]'",
        ) from None
