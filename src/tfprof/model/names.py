"""A column of names that become strings when somebody reads them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from tfprof.wire.spans import Spans

# who reads more than one of so many gets all of them made at once, which takes less
_FEW = 16


class Names(Sequence[str]):
    """Names as a list, or as stretches of a file that are decoded all at once on first use."""

    def __init__(self, source: list[str] | Spans) -> None:
        self._list = source if isinstance(source, list) else None
        self.spans = source if isinstance(source, Spans) else None
        # how many were read one by one
        self._read = 0

    def at(self, rows: npt.NDArray[np.integer[Any]]) -> list[str]:
        """Some of them, without making the others."""
        if self._list is not None or self.spans is None:
            return [self.tolist()[row] for row in rows.tolist()]
        return self.spans.rows(rows.astype(np.int64)).texts()

    @classmethod
    def of(cls, names: Sequence[str]) -> Names:
        return names if isinstance(names, Names) else cls(list(names))

    def as_spans(self) -> Spans:
        """The bytes of each, in a file or as those of strings."""
        return Spans.of_texts(self.tolist()) if self.spans is None else self.spans

    def may_have(self, word: str) -> npt.NDArray[np.int64]:
        """The rows of all names with an ASCII word in them, and maybe of some others."""
        if self.spans is None:
            return np.flatnonzero([word in name for name in self.tolist()])
        return self.spans.near(word.encode())

    def tolist(self) -> list[str]:
        if self._list is None:
            self._list = self.spans.texts() if self.spans is not None else []
        return self._list

    def __len__(self) -> int:
        return len(self.spans) if self.spans is not None else len(self.tolist())

    @overload
    def __getitem__(self, row: int) -> str: ...
    @overload
    def __getitem__(self, row: slice) -> list[str]: ...
    def __getitem__(self, row: int | slice) -> str | list[str]:
        if self._list is None and isinstance(row, int) and self.spans is not None:
            self._read += 1
            if self._read * _FEW < len(self.spans):
                return self.spans.text(row)
        return (self._list if self._list is not None else self.tolist())[row]

    def __iter__(self) -> Iterator[str]:
        return iter(self.tolist())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, list | Names) and self.tolist() == list(other)

    def __reduce__(self) -> tuple[type[Names], tuple[list[str] | Spans]]:
        """A file's names as stretches, not as strings beside them."""
        return Names, (self.spans if self.spans is not None else self.tolist(),)

    __hash__ = None  # type: ignore[assignment]
