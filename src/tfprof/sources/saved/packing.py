"""Writes a saved profile, piece by piece: the manifest, then the files it lists."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from tfprof.sources.saved.beginning import NAME
from tfprof.sources.saved.manifest import Manifest

# the same files make the same bytes, whenever they are saved
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
_LEVEL: Final = 6
_BIG: Final = 1 << 31
# what packs better than this is not believed by whoever reads it, and is put in as it is
_BELIEVED: Final = 50
_TOO_SMALL_TO_MATTER: Final = 1 << 14

# the bytes of a member, as often as they are asked for
Content = Callable[[], Iterable[bytes]]


def packed(manifest: Manifest, contents: Mapping[str, Content]) -> Iterator[bytes]:
    """`contents` are by the names of members."""
    sink = _Sink()
    with zipfile.ZipFile(sink, "w", compresslevel=_LEVEL) as archive:
        archive.writestr(_info(NAME, is_packed=True), manifest.encoded(), compresslevel=_LEVEL)
        yield sink.taken()
        sizes = {one.member: one.size for one in manifest.files}
        for member, content in contents.items():
            size = sizes[member]
            info = _info(member, is_packed=_packs_as_usual(content, size))
            with archive.open(info, "w", force_zip64=size >= _BIG) as target:
                for chunk in content():
                    target.write(chunk)
                    yield sink.taken()
    yield sink.taken()


def _info(name: str, *, is_packed: bool) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = zipfile.ZIP_DEFLATED if is_packed else zipfile.ZIP_STORED
    info.external_attr = 0o644 << 16
    return info


def _packs_as_usual(content: Content, size: int) -> bool:
    if size < _TOO_SMALL_TO_MATTER:
        return True
    pack, small = zlib.compressobj(1), 0
    for chunk in content():
        small += len(pack.compress(chunk))
    return size < (small + len(pack.flush())) * _BELIEVED


class _Sink(io.RawIOBase):
    """What was written and not taken yet; nobody goes back in it."""

    def __init__(self) -> None:
        self._held: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._held.append(bytes(data))
        return len(data)

    def taken(self) -> bytes:
        whole = b"".join(self._held)
        self._held.clear()
        return whole
