"""Reading files: whole, with progress, and with errors that say what to try."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, cast

from tfprof.errors import AccessDenied, CorruptFile, EmptyFile, PathNotFound
from tfprof.sources.files.file_ref import FileRef
from tfprof.sources.files.kept import joined
from tfprof.sources.files.opener import here, mapped, opener_for
from tfprof.sources.files.room import room_for
from tfprof.wire.fields import Fields, Progress, WireFault, whole
from tfprof.wire.mapped import Mapped
from tfprof.wire.schema import Proto, message_class

if TYPE_CHECKING:
    from io import BufferedIOBase

    import numpy as np
    import numpy.typing as npt

_CHUNK = 1 << 24


def read_bytes(path: Path, progress: Progress | None = None) -> bytes:
    """The whole file; `progress` hears how many bytes were read."""
    try:
        data = opener_for(path).read(path) if progress is None else _read_in_chunks(path, progress)
    except FileNotFoundError:
        raise PathNotFound("no such file", where=str(path)) from None
    except OSError as fault:
        raise AccessDenied.because(fault, str(path)) from None
    if not data:
        raise EmptyFile(str(path))
    return data


def read_or_map(path: Path, progress: Progress | None = None) -> bytes:
    """The same of a file that may be larger than memory: then it is read where it is looked at."""
    try:
        found = mapped(path)
    except FileNotFoundError:
        raise PathNotFound("no such file", where=str(path)) from None
    except OSError as fault:
        raise AccessDenied.because(fault, str(path)) from None
    return read_bytes(path, progress) if found is None else as_bytes(found)


def as_bytes(data: bytes | Mapped) -> bytes:
    """What is indexed, cut and seen by numpy as bytes are: nobody asks more of a capture."""
    return cast("bytes", data)


def _read_in_chunks(path: Path, progress: Progress) -> bytes:
    data = bytearray()
    with opener_for(path).stream(path) as file:
        while chunk := file.read(_CHUNK):
            data += chunk
            progress(len(data))
    return bytes(data)


class FileReader:
    """Bytes of a file at any place; nothing else of it is read."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            self._facts = opener_for(path).facts(path)
        except OSError as fault:
            raise AccessDenied.because(fault, str(path)) from None

    @property
    def size(self) -> int:
        return self._facts.size

    def __reduce__(self) -> tuple[Callable[[FileRef], FileReader], tuple[FileRef]]:
        place = opener_for(self.path).absolute(self.path, here())
        return _of_same_file, (FileRef(place, self._facts),)

    def read_at(self, offset: int, size: int) -> bytes:
        """Up to `size` bytes; fewer where the file ends. A size beyond the file is not believed."""
        try:
            begin, size = min(max(0, offset), self.size), max(0, min(size, self.size - offset))
            return opener_for(self.path).read_at(self.path, begin, size)
        except OSError as fault:
            raise AccessDenied.because(fault, str(self.path)) from None

    def array_at(self, offset: int, size: int) -> npt.NDArray[np.uint8]:
        """The same of many bytes, read to where they stay; nobody can write there afterwards."""
        found = room_for(max(0, min(size, self.size - offset)))
        try:
            with opener_for(self.path).stream(self.path) as file:
                file.seek(offset)
                read = cast("BufferedIOBase", file).readinto(found.data)
        except OSError as fault:
            raise AccessDenied.because(fault, str(self.path)) from None
        found.setflags(write=False)
        return found[:read]


def _of_same_file(file: FileRef) -> FileReader:
    file.check()
    return FileReader(file.path)


def top_fields(
    data: bytes, message: str, path: Path, warnings: list[str], progress: Progress | None = None
) -> tuple[bytes, Fields]:
    """The fields of a file's outermost message, and the bytes they refer to.

    Of a file that ends early the whole part is read, with a warning; broken bytes are an error.
    """
    try:
        return data, whole(data, progress)
    except WireFault as fault:
        if not fault.early_end:
            raise corrupt(fault, path) from None
    from tfprof.wire.clip import clip  # most files are whole

    try:
        clipped = clip(data, message)
        kept = as_bytes(joined(clipped.pieces(), str(path)))
        if not kept:
            raise CorruptFile(
                f"the file ends inside its first record ({message})",
                offset=len(data),
                where=str(path),
            )
        fields = whole(kept)
    except WireFault as fault:
        raise corrupt(fault, path) from None
    warnings.append(
        f"{path} ends early: a record at byte {clipped.at:,} needs more than the "
        f"{len(data):,} bytes there are; what comes before it was read"
    )
    return kept, fields


def corrupt(fault: WireFault, path: Path) -> CorruptFile:
    return CorruptFile(
        f"the file is damaged: {fault.what}",
        offset=fault.offset,
        where=str(path),
        hint="Copy or write the file again; `tfprof doctor` shows what else is there.",
    )


def parse(message: str, data: bytes, path: Path, offset: int) -> Proto:
    """A small message through protobuf."""
    from google.protobuf.message import DecodeError

    try:
        return message_class(message).FromString(data)
    except DecodeError:
        raise CorruptFile(
            f"the file is damaged: no whole {message}",
            offset=offset,
            where=str(path),
            hint="Copy or write the file again; `tfprof doctor` shows what else is there.",
        ) from None
