"""Student's t distribution, which numpy does not have."""

from __future__ import annotations

import math

_TINY = 1e-300
_ROUNDS = 300
_CLOSE = 1e-12


def two_sided(t: float, freedom: float) -> float:
    """How likely such a t, or one further from 0, is by chance."""
    if math.isinf(freedom):
        return math.erfc(abs(t) / math.sqrt(2))
    return _beta(freedom / (freedom + t * t), freedom / 2, 0.5)


def quantile(share: float, freedom: float) -> float:
    """The t that only `share` of all lie beyond, on both sides together."""
    low, high = 0.0, 1.0
    while two_sided(high, freedom) > share:
        high *= 2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, freedom) > share else (low, middle)
    return high


def _beta(x: float, a: float, b: float) -> float:
    """The regularised incomplete beta function."""
    if not 0 < x < 1:
        return min(1.0, max(0.0, x))
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        + a * math.log(x) + b * math.log1p(-x)
    )  # fmt: skip
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """Its continued fraction, by Lentz's method."""
    c, d = 1.0, 1 / _off_zero(1 - (a + b) * x / (a + 1))
    found = d
    for m in range(1, _ROUNDS):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for part in (even, odd):
            d = 1 / _off_zero(1 + part * d)
            c = _off_zero(1 + part / c)
            found *= c * d
        if abs(c * d - 1) < _CLOSE:
            break
    return found


def _off_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
