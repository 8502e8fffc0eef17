"""The keys of a map on the wire as rows of a table."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from tfprof.wire.distinct import with_first

Ints = npt.NDArray[np.int64]

# keys are looked up in an array if it need not be much longer than there are keys
_SPARSE = 16


class Ids:
    """Which row an id means. The row behind the last is what an unknown id means."""

    def __init__(self, ids: Ints) -> None:
        self.unknown = len(ids)
        # of rows with one id the last counts, as in every map on the wire
        known, from_end = with_first(ids[::-1])
        self._known = known
        self._rows = np.append(len(ids) - 1 - from_end, self.unknown).astype(np.int32)
        self._direct: npt.NDArray[np.int32] | None = None
        if len(known) and known[0] >= 0 and known[-1] < _SPARSE * (len(known) + _SPARSE):
            self._direct = np.full(int(known[-1]) + 2, self.unknown, np.int32)
            self._direct[known] = self._rows[:-1]

    def rows_of(self, ids: Ints) -> npt.NDArray[np.int32]:
        if self._direct is not None:
            # what is too small or too large meets the last place, which is nobody's
            place = np.minimum(ids.view(np.uint64), np.uint64(len(self._direct) - 1))
            return self._direct[place.view(np.int64)]
        place = np.searchsorted(self._known, ids)
        found = np.append(self._known, 0)[place] == ids
        return self._rows[np.where(found & (place < len(self._known)), place, len(self._known))]

    def row_of(self, id_: int) -> int:
        return int(self.rows_of(np.array([id_], np.int64))[0])
