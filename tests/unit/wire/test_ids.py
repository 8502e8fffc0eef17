"""Ids as rows of a table, against a dictionary."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfprof.wire.ids import Ids

IDS = st.lists(st.integers(0, 40) | st.integers(-(1 << 63), (1 << 63) - 1), max_size=30)


@given(IDS, IDS)
def test_the_row_of_an_id_is_that_of_a_dictionary(known, others):
    rows = {id_: row for row, id_ in enumerate(known)}
    ids = Ids(np.array(known, np.int64))
    asked = [*known, *others, 0, -1]
    found = ids.rows_of(np.array(asked, np.int64)).tolist()
    assert found == [rows.get(id_, len(known)) for id_ in asked]
    assert ids.unknown == len(known)
    assert ids.row_of(3) == rows.get(3, len(known))
