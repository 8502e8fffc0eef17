"""The ZIP around a saved profile. Anyone may have made it: no size in it is believed."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tfprof.errors import AccessDenied, CorruptFile, UnsafeFile
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.inflation import inflation_budget
from tfprof.sources.files.opener import opener_for

_CHUNK: Final = 1 << 20
_LOCAL_HEADER: Final = 30
_LOCAL_MAGIC: Final = b"PK\x03\x04"
_RAW: Final = -15  # zlib's number for deflate without a frame
_ZIP_FAULTS = (zipfile.BadZipFile, OSError, EOFError, ValueError, NotImplementedError, RuntimeError)
_HINT = "Copy or save it again: tfprof save"


@frozen_dataclass
class Member:
    offset: int
    packed: int
    size: int
    crc: int
    is_stored: bool


class SavedArchive:
    """Where its members lie. What they unpack to is bounded, for one and for all together."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.members: dict[str, Member] = {}
        try:
            with opener_for(path).stream(path) as file:
                size = file.seek(0, 2)
                found = zipfile.ZipFile(file).infolist()
        except _ZIP_FAULTS as fault:
            if isinstance(fault, OSError) and fault.errno is not None:
                raise AccessDenied.because(fault, str(path)) from None
            # what is cut has lost its end, where a ZIP lists its members
            what = f"the saved profile is damaged or not all there ({fault})"
            raise CorruptFile(what, offset=0, where=str(path), hint=_HINT) from None
        for one in found:
            self._add(one, size)
        budget = inflation_budget(size)
        if sum(one.packed for one in self.members.values()) > size:
            raise UnsafeFile("refused: its members lie over each other", where=str(path))
        if not budget.take(sum(one.size for one in self.members.values())):
            what = f"refused: its {size:,} bytes unpack to {budget.spent:,}"
            raise UnsafeFile(what, where=str(path))

    def _add(self, one: zipfile.ZipInfo, size: int) -> None:
        known = one.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        if not known or one.flag_bits & 1 or one.filename in self.members:
            what = f"the saved profile is damaged: its member {one.filename!r}"
            raise CorruptFile(what, offset=one.header_offset, where=str(self.path), hint=_HINT)
        if not 0 <= one.header_offset <= size - one.compress_size:
            raise self.damaged(one.filename, one.header_offset, "is not all there")
        stored = one.compress_type == zipfile.ZIP_STORED
        self.members[one.filename] = Member(
            one.header_offset, one.compress_size, one.file_size, one.CRC, stored
        )

    def unpacked(self, name: str) -> Iterator[bytes]:
        """The bytes of a member; checked before its last piece is handed on."""
        member = self.members.get(name)
        if member is None:
            raise self.damaged(name, 0, "is missing")
        left, crc, held = member.size, 0, b""
        try:
            for piece in self._inflated(name, member):
                if len(piece) > left:
                    raise self.damaged(name, member.offset, "has more bytes than it says")
                left -= len(piece)
                crc = zlib.crc32(piece, crc)
                if held:
                    yield held
                held = piece
        except zlib.error as fault:
            raise self.damaged(name, member.offset, f"cannot be unpacked ({fault})") from None
        except OSError as fault:
            raise AccessDenied.because(fault, str(self.path)) from None
        if left:
            raise self.damaged(name, member.offset, f"ends early: {left:,} bytes are missing")
        if crc != member.crc:
            raise self.damaged(name, member.offset, "has a wrong checksum")
        yield held

    def check_size(self, name: str, size: int) -> None:
        """Whoever lists the members and whoever unpacks them have to agree."""
        member = self.members.get(name)
        if member is not None and member.size != size:
            raise self.damaged(name, member.offset, f"has {member.size:,} bytes, not {size:,}")

    def _inflated(self, name: str, member: Member) -> Iterator[bytes]:
        for chunk in _pieces(self._packed(name, member), member):
            if chunk:
                yield chunk

    def _packed(self, name: str, member: Member) -> Iterator[bytes]:
        with opener_for(self.path).stream(self.path) as file:
            file.seek(member.offset)
            header = file.read(_LOCAL_HEADER)
            if len(header) < _LOCAL_HEADER or not header.startswith(_LOCAL_MAGIC):
                raise self.damaged(name, member.offset, "has no header")
            extra = int.from_bytes(header[26:28], "little") + int.from_bytes(header[28:], "little")
            file.seek(member.offset + _LOCAL_HEADER + extra)
            left = member.packed
            while left and (chunk := file.read(min(_CHUNK, left))):
                left -= len(chunk)
                yield chunk

    def damaged(self, name: str, offset: int, why: str) -> CorruptFile:
        what = f"the saved profile is damaged: its member {name!r} {why},"
        return CorruptFile(what, offset=offset, where=str(self.path), hint=_HINT)


def _pieces(packed: Iterator[bytes], member: Member) -> Iterator[bytes]:
    if member.is_stored:
        yield from packed
        return
    inflate = zlib.decompressobj(_RAW)
    for chunk in packed:
        left = chunk
        while left and not inflate.eof:
            yield inflate.decompress(left, _CHUNK)
            left = inflate.unconsumed_tail
    while not inflate.eof and (piece := inflate.decompress(inflate.unconsumed_tail, _CHUNK)):
        yield piece
