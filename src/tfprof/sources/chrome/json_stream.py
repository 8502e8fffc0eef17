"""A JSON file value by value: what is read is let go before the rest is there."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Callable, Iterator
from itertools import chain
from pathlib import Path

from tfprof.errors import AccessDenied, CorruptFile
from tfprof.sources.files import gzip_data
from tfprof.sources.files.opener import opener_for
from tfprof.wire.fields import Progress
from tfprof.wire.json_values import Json

_SPACE = " \t\r\n"
_MARK = "\ufeff"
# a word that is cut off is found at fault where it begins: -Infinity is the longest
_LONGEST_WORD = 10
# between two objects of a list, as all known writers have it
_BETWEEN = re.compile(r"\}\s*,\s*\{")
# with less text ahead, values are taken one by one; so far back ends of objects are looked for
_MANY, _TAIL = 1 << 12, 1 << 14
_HINT = "Copy or write the file again."


class CutOff(Exception):
    """The file ends where a value should go on."""


class JsonStream:
    """The text of a file, packed or not, with a place in it."""

    def __init__(self, path: Path, progress: Progress | None = None) -> None:
        self.path = path
        self._chunks = _unpacked(path, progress)
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._decoder = json.JSONDecoder(strict=False)
        self._scan: Callable[[str, int], tuple[Json, int]] = self._decoder.raw_decode
        self._text = ""
        self._at = 0
        self._gone = 0
        self._ended = False
        self._guessed = False
        if self._peek() == _MARK:
            self._at += 1

    def peek(self) -> str:
        """The next character that is no blank; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text) or not self._more():
                return self._peek()

    def take(self, wanted: str) -> bool:
        """Step over the next character if it is one of these."""
        found = self.peek()
        if found and found in wanted:
            self._at += 1
            return True
        return False

    def value(self) -> Json:
        """The next value, whole."""
        if not self.peek():
            raise CutOff
        while True:
            try:
                found, end = self._scan(self._text, self._at)
            except json.JSONDecodeError as fault:
                # what only lacks its end fails there, or where a string began
                short = fault.pos > len(self._text) - _LONGEST_WORD or "nterminated" in fault.msg
                if not short:
                    raise self.damaged("this is no JSON", fault.pos) from None
                if not self._more():
                    raise CutOff from None
                continue
            except ValueError:  # of Python itself, about integers
                raise self.damaged("a number has thousands of digits", self._at) from None
            except RecursionError:
                raise self.damaged("values are nested too deeply", self._at) from None
            length = end - self._at
            # a number may go on behind what is there
            if end < len(self._text) or not self._more():
                self._at += length
                return found

    def whole_objects(self) -> list[Json]:
        """As many of the next values of a list as are objects and have been read; none if unsure.

        They are decoded all at once. Where one ends and the next begins is a guess; a wrong one
        leaves braces open, and no other is made until there is more text.
        """
        if self.peek() != "{" or self._guessed or len(self._text) - self._at < _MANY:
            return []
        self._guessed = True
        last = None
        for last in _BETWEEN.finditer(self._text, max(self._at, len(self._text) - _TAIL)):  # noqa: B007
            pass
        if last is None:
            return []
        try:
            found = self._decoder.decode(f"[{self._text[self._at : last.start() + 1]}]")
        except (ValueError, RecursionError):
            return []
        self._at = last.start() + 1
        return found if isinstance(found, list) else []

    def damaged(self, what: str, at: int | None = None) -> CorruptFile:
        place = self._gone + len(self._text[: self._at if at is None else at].encode())
        return CorruptFile(f"the file is damaged: {what}", offset=place, where=str(self.path),
                           hint=_HINT)  # fmt: skip

    def _peek(self) -> str:
        if self._at >= len(self._text):
            self._more()
        return self._text[self._at : self._at + 1]

    def _more(self) -> bool:
        """Read on, and let go of what was passed; False at the end."""
        if self._ended:
            return False
        self._gone += len(self._text[: self._at].encode())
        self._text, self._at = self._text[self._at :], 0
        self._guessed = False
        chunks, size = [], 0
        # as much again: a value over many chunks is scanned few times
        while size <= len(self._text) and not self._ended:
            chunk = next(self._chunks, None)
            self._ended = chunk is None
            chunks.append(chunk or b"")
            size += len(chunks[-1])
        self._text += self._decode(b"".join(chunks), self._ended)
        return size > 0


def _unpacked(path: Path, progress: Progress | None) -> Iterator[bytes]:
    """Of a packed file that ends early, what there is: whoever reads it misses the rest."""
    try:
        with opener_for(path).stream(path) as file:
            chunks = _told(gzip_data.chunks_of(file), progress)
            first = next(chunks, b"")
            whole: Iterator[bytes] = chain([first], chunks)
            if first.startswith(gzip_data.MAGIC):
                whole = gzip_data.unpacked(whole, str(path), may_be_cut=True)
            yield from whole
    except OSError as fault:
        raise AccessDenied.because(fault, str(path)) from None


def _told(chunks: Iterator[bytes], progress: Progress | None) -> Iterator[bytes]:
    done = 0
    for chunk in chunks:
        done += len(chunk)
        if progress is not None:
            progress(done)
        yield chunk
