"""How many times one formula is another, where that is the same for every size."""

import pytest

from tfprof.model.dims import formula, letters_of, ratio, rough, symbol

B, S = symbol("B"), symbol("S")


@pytest.mark.parametrize(
    ("one", "other", "times"),
    [
        (6, 3, 2.0),
        (B * 6, B * 3, 2.0),
        (B * 6 + 2, B * 3 + 1, 2.0),
        (B * 6 + 2, B * 3, None),
        (B * 6, S * 3, None),
        (B * S, B, None),
        (0, B, 0.0),
        (B, 0, None),
        (B * -2, B * 4, -0.5),
    ],
)
def test_ratio(one, other, times):
    assert ratio(one, other) == times


def test_a_formula_below_zero_has_its_sign_before_it():
    assert formula(B * -2_000) == "-2.000 k·B"
    assert formula(B * 5 - 3) == "5·B - 3"


def test_letters():
    assert letters_of(4) == ["B", "H", "W", "C"]
    assert letters_of(0) == []
    assert letters_of(7)[-1] == "D6"
    assert rough(B * S, 10) == 100.0
