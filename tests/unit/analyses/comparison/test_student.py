import math

import pytest

from tfprof.analyses.comparison.student import quantile, two_sided


# from the tables in the back of any book on statistics
@pytest.mark.parametrize(
    ("freedom", "t"), [(1, 12.706), (4, 2.776), (10, 2.228), (30, 2.042), (math.inf, 1.960)]
)
def test_one_in_twenty_lies_beyond_the_tabled_value(freedom, t):
    assert two_sided(t, freedom) == pytest.approx(0.05, abs=2e-4)
    assert quantile(0.05, freedom) == pytest.approx(t, abs=1e-3)


def test_chance_is_symmetric_and_falls():
    assert two_sided(-2.0, 7) == two_sided(2.0, 7)
    assert two_sided(0.0, 7) == 1
    assert two_sided(50.0, 7) < 1e-9
