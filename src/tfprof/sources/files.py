"""Reading files: whole, with progress, and with errors that say what to try."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tfprof.errors import AccessDenied, CorruptFile, EmptyFile, PathNotFound
from tfprof.wire.clip import clip
from tfprof.wire.fields import Fields, Progress, WireFault, whole
from tfprof.wire.schema import message_class

_CHUNK = 1 << 24


def read_bytes(path: Path, progress: Progress | None = None) -> bytes:
    """The whole file; `progress` hears how many bytes were read."""
    chunks = []
    read = 0
    try:
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                chunks.append(chunk)
                read += len(chunk)
                if progress is not None:
                    progress(read)
    except FileNotFoundError:
        raise PathNotFound("no such file", where=str(path)) from None
    except OSError as fault:
        raise AccessDenied(f"cannot be opened: {fault.strerror}", where=str(path)) from None
    data = chunks[0] if len(chunks) == 1 else b"".join(chunks)
    if not data:
        raise EmptyFile(str(path))
    return data


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
    try:
        clipped = clip(data, message)
        if not clipped.data:
            raise CorruptFile(
                f"the file ends inside its first record ({message})",
                offset=len(data),
                where=str(path),
            )
        fields = whole(clipped.data)
    except WireFault as fault:
        raise corrupt(fault, path) from None
    warnings.append(
        f"{path} ends early: a record at byte {clipped.at:,} needs more than the "
        f"{len(data):,} bytes there are; what comes before it was read"
    )
    return clipped.data, fields


def corrupt(fault: WireFault, path: Path) -> CorruptFile:
    return CorruptFile(
        f"the file is damaged: {fault.what}",
        offset=fault.offset,
        where=str(path),
        hint="Copy or write the file again; `tfprof doctor` shows what else is there.",
    )


def parse(message: str, data: bytes, path: Path, offset: int) -> Any:  # noqa: ANN401
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
