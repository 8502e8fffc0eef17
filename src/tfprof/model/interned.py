"""A column of few distinct strings: a code a row, and the strings once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.names import Names
from tfprof.wire.distinct import distinct, numbered
from tfprof.wire.spans import Spans

Value = TypeVar("Value", bound=np.generic)

# codes are looked up so many at a time: numpy makes wider indices of them, which cost memory
_BLOCK = 1 << 16


def looked_up(
    values: npt.NDArray[Value], codes: npt.NDArray[np.int32 | np.int64]
) -> npt.NDArray[Value]:
    """The value behind each code."""
    found = np.empty(len(codes), values.dtype)
    for first in range(0, len(codes), _BLOCK):
        block = slice(first, first + _BLOCK)
        found[block] = values.take(codes[block], axis=0)
    return found


@frozen_dataclass
class Interned:
    codes: npt.NDArray[np.int32]
    table: Sequence[str]

    @classmethod
    def of(cls, values: Iterable[str]) -> Interned:
        """The column of `values`; the table is in order of first appearance."""
        values = values if isinstance(values, list) else list(values)
        index = {value: code for code, value in enumerate(dict.fromkeys(values))}
        codes = np.fromiter(map(index.__getitem__, values), np.int32, len(values))
        return cls(codes, list(index))

    @classmethod
    def of_spans(cls, spans: Spans) -> Interned:
        """The same from stretches of a file: only distinct strings are ever made."""
        first = spans.first_alike()
        is_first = first == np.arange(len(first))
        code = (np.cumsum(is_first) - 1).astype(np.int32)
        return cls(code[first], Names(spans.rows(np.flatnonzero(is_first))))

    def at(self, rows: npt.NDArray[np.int64]) -> Interned:
        """Some rows, over a table of what they hold."""
        used, codes = numbered(self.codes[rows])
        return Interned(codes.astype(np.int32), [self.table[code] for code in used.tolist()])

    @classmethod
    def joined(cls, columns: Sequence[Interned]) -> Interned:
        """Several columns one after the other, over one table."""
        some = [column for column in columns if len(column.table)]
        if len(some) == 1 and len(set(some[0].table)) == len(some[0].table):
            return some[0]
        table = list(dict.fromkeys(value for column in columns for value in column.table))
        index = {value: code for code, value in enumerate(table)}
        codes = [
            looked_up(np.array([index[value] for value in column.table], np.int32), column.codes)
            if len(column)
            else column.codes
            for column in columns
        ]
        return cls(np.concatenate([np.zeros(0, np.int32), *codes]), table)

    def __getitem__(self, row: int) -> str:
        return self.table[self.codes.item(row)]

    def __len__(self) -> int:
        return len(self.codes)

    def where(self, *values: str) -> npt.NDArray[np.int64]:
        """The rows that hold one of `values`."""
        wanted = [code for code, value in enumerate(self.table) if value in values]
        return np.flatnonzero(np.isin(self.codes, wanted))

    def distinct(self, rows: npt.NDArray[np.int64]) -> set[str]:
        """The strings that some rows hold."""
        return {self.table[code] for code in distinct(self.codes[rows]).tolist()}

    def used(self) -> list[int]:
        """The codes that some row has."""
        seen = np.zeros(len(self.table), bool)
        for first in range(0, len(self), _BLOCK):
            seen |= np.bincount(self.codes[first : first + _BLOCK], minlength=len(seen)) > 0
        return np.flatnonzero(seen).tolist()

    def map(self, of: Callable[[str], bool]) -> npt.NDArray[np.bool_]:
        """What `of` says of each row's string, asked once a string."""
        used = self.used()
        answers = np.zeros(len(self.table), bool)
        answers[used] = [of(self.table[code]) for code in used]
        return looked_up(answers, self.codes)

    def counts(self) -> dict[str, int]:
        """How many rows hold each string, most first."""
        totals = np.bincount(self.codes, minlength=len(self.table)).tolist()
        pairs = sorted(zip(self.table, totals, strict=True), key=lambda p: (-p[1], p[0]))
        return dict(pairs)
