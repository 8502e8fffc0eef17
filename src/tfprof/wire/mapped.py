"""A large file as bytes of which only those are in memory that are looked at.

It is indexed and cut like bytes, and numpy sees it as such. What was passed over is let go of,
since the system counts it as ours; who comes back to it finds it still in the system's cache.
"""

from __future__ import annotations

import mmap

from tfprof.errors import FileChanged

# bytes that may be in memory at a time: more than walkers go over together
_HELD = 1 << 24


class Mapped(mmap.mmap):
    """Who reads says so with `look`: beyond the end of a file that shrank there is no memory."""

    where: str
    _low: int
    _high: int

    @classmethod
    def of(cls, fileno: int, size: int, where: str) -> Mapped:
        made = cls(fileno, size, access=mmap.ACCESS_READ)
        made.where = where
        made._low, made._high = size, 0
        return made

    def look(self, begin: int, end: int) -> None:
        """To be called before the bytes from `begin` to `end` are read, or the other way round."""
        now, size = self.size(), len(self)
        if now < size:
            raise FileChanged(
                f"the file became shorter while it was read: it has {now:,} bytes and had {size:,}",
                where=self.where,
                hint="Wait until whoever writes it is done, and ask again.",
            )
        if max(begin, end) > size:
            return
        self._low, self._high = min(self._low, begin, end), max(self._high, begin, end)
        if self._high - self._low > _HELD:
            self._low, self._high = min(begin, end), max(begin, end)
            self._let_go()

    def _let_go(self) -> None:
        if hasattr(mmap, "MADV_DONTNEED"):
            self.madvise(mmap.MADV_DONTNEED)

    def __reduce__(self) -> tuple[type[bytes], tuple[bytes]]:
        """In a pickle, the bytes."""
        self.look(0, 0)
        return bytes, (self[:],)


def mapped_file(data: object) -> Mapped | None:
    """The file that bytes are seen through; None of bytes in memory."""
    return data if isinstance(data, Mapped) else None


def look(data: bytes, begin: int, end: int) -> None:
    """To be called before bytes are read that may be a file's."""
    file = mapped_file(data)
    if file is not None:
        file.look(begin, end)
