"""One stat of many events: who has it, and its values as numbers or strings."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.interned import Interned
from tfprof.wire.mapped import look
from tfprof.wire.spans import Spans
from tfprof.wire.xspace import NameColumns
from tfprof.wire.xstats import DOUBLE, RAW, REFERENCE, STRING, UINT64, StatTable

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
StatValue = int | float | str | bytes

# stats that are made strings together: what is in between takes more memory than they do
_BLOCK = 1 << 18


@frozen_dataclass
class StatColumn:
    """The values in the order of `rows`, which rise; `count` rows could have one.

    An integer is its 64 bits: the same id may be signed in one event and unsigned in another.
    """

    table: StatTable
    count: int
    data: bytes = field(repr=False)
    names: NameColumns = field(repr=False)

    def __len__(self) -> int:
        return len(self.table)

    @property
    def rows(self) -> Ints:
        """Who has the stat."""
        return self.table.owner.astype(np.int64)

    @property
    def present(self) -> Mask:
        """The same as a mask over all rows."""
        mask = np.zeros(self.count, bool)
        mask[self.table.owner] = True
        return mask

    def ints(self) -> Ints:
        """Integers, as 64-bit patterns; a double is cut to one, a string is 0."""
        values = self.table.value.view(np.int64).copy()
        values[self._is(STRING, RAW)] = 0
        doubles = self._is(DOUBLE)
        # what no integer can hold becomes 0
        numbers = np.nan_to_num(self.table.value[doubles].view(np.float64), posinf=0, neginf=0)
        numbers[np.abs(numbers) >= 2.0**63] = 0
        values[doubles] = numbers.astype(np.int64)
        return values

    def floats(self) -> npt.NDArray[np.float64]:
        """Numbers; a string is 0."""
        values = self.table.value.view(np.int64).astype(np.float64)
        large = self._is(UINT64)
        values[large] = self.table.value[large].astype(np.float64)
        doubles = self._is(DOUBLE)
        values[doubles] = self.table.value[doubles].view(np.float64)
        values[self._is(STRING, RAW)] = 0
        return values

    def texts(self) -> Interned:
        """Strings, in the event or by reference to a name; anything else is the empty string."""
        codes = np.full(len(self), self.names.ids.unknown, np.int32)
        table, known = list(self.names.name), dict[str, int]()
        for begin in range(0, len(self), _BLOCK):
            kind = self.table.kind[begin : begin + _BLOCK]
            references = begin + np.flatnonzero(kind == REFERENCE)
            codes[references] = self.names.ids.rows_of(self.table.value[references].view(np.int64))
            inside = begin + np.flatnonzero(kind == STRING)
            found = Interned.of_spans(self._spans(inside))
            place = [known.setdefault(text, len(table) + len(known)) for text in found.table]
            codes[inside] = np.array(place, np.int32)[found.codes]
        return Interned(codes, [*table, *known])

    def raw(self) -> list[bytes]:
        """Bytes and strings as they lie in the file; anything else is empty."""
        spans = self._spans(np.arange(len(self)))
        ends = np.where(np.isin(self.table.kind, (STRING, RAW)), spans.ends, spans.starts)
        look(self.data, 0, 0)
        pairs = zip(spans.starts.tolist(), ends.tolist(), strict=True)
        return [self.data[start:end] for start, end in pairs]

    def over_all(self, absent: int = 0) -> Ints:
        """Integers of all rows."""
        values = np.full(self.count, absent, np.int64)
        values[self.table.owner] = self.ints()
        return values

    def _is(self, *kinds: int) -> Ints:
        return np.flatnonzero(np.isin(self.table.kind, kinds))

    def _spans(self, rows: Ints) -> Spans:
        start = self.table.value[rows].view(np.int64)
        return Spans(self.data, start, start + self.table.size[rows])


def merged(
    own: StatColumn,
    shared: StatColumn,
    name: npt.NDArray[np.int32],
    asked: Ints | None = None,
) -> StatColumn:
    """The events' own stats; where one has none, or one `asked` for, the one its name carries."""
    row_of_name = np.full(shared.count, -1, np.int64)
    row_of_name[shared.table.owner] = np.arange(len(shared))
    has_own = own.present
    events = np.arange(len(name)) if asked is None else asked
    events = events[~has_own[events] & (row_of_name[name[events]] >= 0)]
    other = shared.table.rows(row_of_name[name[events]])
    owner = np.concatenate([own.table.owner, events.astype(np.int32)])
    both = StatTable(
        owner,
        np.concatenate([own.table.name, other.name]),
        np.concatenate([own.table.kind, other.kind]),
        np.concatenate([own.table.value, other.value]),
        np.concatenate([own.table.size, other.size]),
    )
    return StatColumn(both.rows(np.argsort(owner, kind="stable")), own.count, own.data, own.names)


def values_by_name(stats: StatTable, data: bytes, names: NameColumns) -> Mapping[str, StatValue]:
    """The few stats of one plane, each as what it is; of one name the first."""
    found: dict[str, StatValue] = {}
    for row in range(len(stats)):
        one = StatColumn(stats.rows(np.array([row])), len(stats), data, names)
        found.setdefault(names.name[int(stats.name[row])], _value(one, int(stats.kind[row])))
    return found


def _value(one: StatColumn, kind: int) -> StatValue:
    if kind == DOUBLE:
        return float(one.floats()[0])
    if kind in (STRING, REFERENCE):
        return one.texts()[0]
    if kind == RAW:
        return one.raw()[0]
    return int(one.table.value[0]) if kind == UINT64 else int(one.ints()[0])
