"""Polynomials of sizes against plain arithmetic: whatever the symbols are, both agree."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tfprof.model.dims import (
    Dim,
    at,
    ceil_div,
    divided,
    formula,
    is_positive,
    parsed,
    symbol,
    symbols,
    term_list,
)

SIZES = {"B": 3, "S": 7, "H": 12}


@st.composite
def sizes(draw):
    """A size made of symbols and numbers, and what it is where the symbols are SIZES."""
    if draw(st.booleans()):
        name = draw(st.sampled_from(sorted(SIZES)))
        return symbol(name), SIZES[name]
    number = draw(st.integers(-20, 20))
    return number, number


@st.composite
def computed(draw):
    size, value = draw(sizes())
    for _ in range(draw(st.integers(0, 4))):
        other, number = draw(sizes())
        match draw(st.sampled_from("+-*/")):
            case "+":
                size, value = size + other, value + number
            case "-":
                size, value = size - other, value - number
            case "*":
                size, value = size * other, value * number
            case _:
                by = draw(st.integers(1, 5))
                size, value = size // by, value // by
    return size, value


@given(computed())
def test_arithmetic_is_that_of_numbers(pair):
    size, value = pair
    assert at(size, SIZES) == value


@given(computed(), computed())
def test_equal_polynomials_are_equal_and_hash_alike(one, other):
    difference = one[0] - other[0]
    if difference == 0:
        assert one[0] == other[0]
        assert hash(one[0]) == hash(other[0])


@given(computed(), st.sampled_from([symbol("B"), symbol("B") * symbol("S"), symbol("H") + 1, 6]))
def test_an_exact_quotient_comes_back(pair, by):
    size, _ = pair
    product = size * by
    assert divided(product, by) == size


@given(computed(), st.integers(1, 9))
def test_rounding_up_is_that_of_numbers(pair, by):
    size, value = pair
    assert at(ceil_div(size, by), SIZES) == -(-value // by)


@given(computed())
def test_what_is_surely_positive_is(pair):
    size, value = pair
    if is_positive(size):
        assert value > 0
        assert at(size, dict.fromkeys(SIZES, 1)) > 0


@given(computed())
def test_terms_add_up_to_the_size(pair):
    size, value = pair
    if any("floor" in name for term in term_list(size) for name in term["powers"]):
        return
    total = 0
    for term in term_list(size):
        part = term["coefficient"]
        for name, power in term["powers"].items():
            part *= SIZES[name] ** power
        total += part
    assert total == value


def test_sizes_read_as_people_write_them():
    batch = symbol("B")
    assert formula(batch * 7_715_946_496) == "7.716 G·B"
    assert formula(batch * batch * 3 + 5) == "3·B^2 + 5"
    assert formula(-batch + 1_500) == "-B + 1.500 k"
    assert str((symbol("H") - 1) // 2 + 1) == "floor((H - 1)/2) + 1"
    assert symbols((symbol("H") * batch) // 2) == {"B", "H"}


def test_a_number_stays_a_number():
    batch = symbol("B")
    assert isinstance(batch - batch + 3, int)
    assert isinstance(batch, Dim)
    assert parsed("12") == 12
    assert parsed("S") == symbol("S")
    with pytest.raises(ValueError, match="neither"):
        parsed("2B")
