"""Trees as columns of parents, against plain recursion over random trees."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfprof.analyses.accounting.ancestry import Walk, depths, nearest


@st.composite
def trees(draw):
    """Parents in any row order, row 0 the root; and a rank for each row."""
    count = draw(st.integers(1, 30))
    above = [0, *(draw(st.integers(0, row - 1)) for row in range(1, count))]
    place = [0, *draw(st.permutations(range(1, count)))]
    parent = [0] * count
    for row, one in enumerate(above):
        parent[place[row]] = place[one] if row else 0
    return np.array(parent), np.array(draw(st.permutations(range(count))))


def walked(parent, rank):
    """Rows in order, and the rows at and below each."""
    order, below = [], {}

    def go(row):
        first = len(order)
        order.append(row)
        children = [at for at in range(1, len(parent)) if parent[at] == row]
        for child in sorted(children, key=lambda at: rank[at]):
            go(child)
        below[row] = order[first:]

    go(0)
    return order, below


@given(trees())
def test_a_walk_is_that_of_plain_recursion(tree):
    parent, rank = tree
    order, below = walked(parent, rank)
    walk = Walk.of(parent, rank)
    assert walk.order.tolist() == order
    assert walk.size.tolist() == [len(below[row]) for row in range(len(parent))]


@given(trees())
def test_without_a_rank_siblings_stand_in_row_order(tree):
    parent, _ = tree
    assert Walk.of(parent).order.tolist() == walked(parent, range(len(parent)))[0]


@given(trees())
def test_rows_that_stand_as_they_are_walked_stay_so(tree):
    parent, rank = tree
    before = Walk.of(parent, rank)
    walk = Walk.of(before.position[parent[before.order]])
    assert walk.is_in_row_order
    assert walk.size.tolist() == before.size[before.order].tolist()


@given(trees(), st.randoms())
def test_sums_are_those_of_everything_below(tree, chance):
    parent, rank = tree
    values = np.array([[chance.randrange(9), 1] for _ in parent])
    below = walked(parent, rank)[1]
    expected = [values[below[row]].sum(axis=0).tolist() for row in range(len(parent))]
    assert Walk.of(parent, rank).sums(values).tolist() == expected


@given(trees(), st.randoms())
def test_the_nearest_marked_row_above_is_found(tree, chance):
    parent, _ = tree
    marked = np.array([chance.random() < 0.3 for _ in parent])
    for row, found in enumerate(nearest(parent, marked).tolist()):
        above = int(parent[row])
        while above and not marked[above]:
            above = int(parent[above])
        assert found == above


@given(trees(), st.randoms())
def test_a_walk_over_kept_rows_leaves_the_others_out(tree, chance):
    parent, rank = tree
    keep = np.array([row == 0 or chance.random() < 0.6 for row in range(len(parent))])
    order, below = walked(parent, rank)
    kept = Walk.of(parent, rank).kept(keep)
    rows = np.flatnonzero(keep)
    assert rows[kept.order].tolist() == [row for row in order if keep[row]]
    assert kept.size.tolist() == [int(keep[below[row]].sum()) for row in rows]


def test_a_chain_of_100_000_is_no_recursion():
    chain = np.maximum(np.arange(100_000) - 1, 0)
    assert depths(chain).tolist() == list(range(100_000))
    assert Walk.of(chain).position.tolist() == list(range(100_000))
