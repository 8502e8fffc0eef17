import pickle

import pytest

from tfprof.model.dims import symbol
from tfprof.model.quantity import Kind, Quantity, total


def test_a_sum_takes_the_weakest_kind():
    parts = [Quantity.measured(1), Quantity.estimated(2), Quantity.derived(3)]
    assert total(parts) == Quantity(6, Kind.ESTIMATED)


def test_a_sum_with_a_lower_bound_is_one_and_says_what_is_missing():
    found = total([Quantity.derived(1), Quantity.at_least(2, "2 ops not counted")])
    assert found == Quantity(3, Kind.AT_LEAST, "2 ops not counted")


def test_a_sum_with_an_unknown_part_is_unknown_for_its_reason():
    assert total([Quantity.derived(1), Quantity.unknown("no graph")]).reason == "no graph"


def test_formulas_add_up_and_are_no_number():
    batch = symbol("B")
    found = total([Quantity.derived(batch), Quantity.derived(batch * 2)])
    assert found.value == batch * 3
    assert found.number is None
    assert found.known


def test_a_formula_takes_no_fraction():
    with pytest.raises(TypeError, match="whole"):
        _ = Quantity.derived(symbol("B")) + Quantity.measured(0.5)


def test_formulas_survive_a_pickle():
    quantity = Quantity.derived(symbol("B") * 3 + 4)
    assert pickle.loads(pickle.dumps(quantity)) == quantity
