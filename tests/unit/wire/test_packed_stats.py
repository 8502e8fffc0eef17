"""Stats kept small are the stats as they were read."""

import numpy as np
import pytest

from tfprof.wire.packed_stats import PackedStats
from tfprof.wire.xstats import DOUBLE, INT64, STRING, UINT64, StatTable

NAMES = ["id", "again", "id", "big", "nobody's", ""]
COLUMNS = ("owner", "kind", "value", "size")


def _table(random, owners, count):
    """Several stats an owner, some of one name, in no order of owners."""
    kind = random.choice([DOUBLE, UINT64, INT64, STRING], count).astype(np.uint8)
    return StatTable(
        random.integers(*owners, count).astype(np.int32),
        random.choice([0, 1, 2, 3, 5], count).astype(np.int32),
        kind,
        random.integers(0, 1 << 63, count, np.uint64) >> np.uint64(random.choice([0, 40, 60])),
        np.where(kind == STRING, random.integers(0, 300, count), 0).astype(np.uint32),
    )


def _joined(parts):
    columns = (*COLUMNS[:1], "name", *COLUMNS[1:])
    return StatTable(*(np.concatenate([getattr(part, it) for part in parts]) for it in columns))


def _same(ours, theirs):
    for column in COLUMNS:
        one, other = getattr(ours, column), getattr(theirs, column)
        assert one.dtype == other.dtype
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("seed", range(20))
def test_each_name_as_the_whole_table_has_it(seed):
    random = np.random.default_rng(seed)
    parts = [_table(random, (first, first + 100), 60) for first in (0, 100, 200)]
    packed, whole = PackedStats(parts, NAMES), _joined(parts)
    for names in ([0, 2], [1], [3], [4], []):
        _same(packed.named(names), whole.named(names))


def test_what_every_event_has_alike_takes_next_to_nothing():
    count = 100_000
    table = StatTable(
        np.arange(count, dtype=np.int32),
        np.zeros(count, np.int32),
        np.full(count, UINT64, np.uint8),
        np.full(count, 7, np.uint64),
        np.zeros(count, np.uint32),
    )
    packed = PackedStats([table], ["context", ""])
    assert sum(_bytes(piece) for pieces in packed._pieces.values() for piece in pieces) < 10
    _same(packed.named([0]), table)


def _bytes(piece):
    held = (piece.owner, piece.kind, piece.value, piece.size)
    return sum(column.nbytes for column in held if column is not None)


def test_of_no_parts_nothing_is_named():
    assert not len(PackedStats([], NAMES).named([0, 2]))
