"""Statistics of a tensor in one pass over its bytes: extremes, moments, NaN, zeros, histogram."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import field

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import mutable_dataclass
from tfprof.model.checkpoint import Checkpoint, StoredTensor, as_numbers, stored_type
from tfprof.wire import dtypes

Numbers = npt.NDArray[np.float64]


@mutable_dataclass
class Statistics:
    """Of the finite values, but for the counts. The histogram counts by sign and power of two."""

    count: int = 0
    nan: int = 0
    infinite: int = 0
    zeros: int = 0
    minimum: float = math.inf
    maximum: float = -math.inf
    mean: float = 0.0
    _squares: float = 0.0
    _bins: Counter[tuple[int, int]] = field(default_factory=Counter)

    @property
    def finite(self) -> int:
        return self.count - self.nan - self.infinite

    @property
    def deviation(self) -> float | None:
        return math.sqrt(self._squares / self.finite) if self.finite else None

    def add(self, values: Numbers) -> None:
        finite = values[np.isfinite(values)]
        before = self.finite
        self.count += values.size
        self.nan += int(np.isnan(values).sum())
        self.infinite = self.count - self.nan - before - finite.size
        if not finite.size:
            return
        self.zeros += int((finite == 0).sum())
        self.minimum = min(self.minimum, float(finite.min()))
        self.maximum = max(self.maximum, float(finite.max()))
        self._add_moments(finite, before)
        self._add_bins(finite)

    def _add_moments(self, finite: Numbers, before: int) -> None:
        """Two means and two sums of squares joined, which loses no digits to large means."""
        size = finite.size
        with np.errstate(over="ignore", invalid="ignore"):
            mean = float(finite.mean())
            if not math.isfinite(mean):  # the sum of large values may not fit, the mean does
                mean = float((finite / size).sum())
            squares = float(((finite - mean) ** 2).sum())
        delta = mean - self.mean
        total = before + size
        self._squares += squares
        if before:
            self._squares += delta * delta * (before * size / total)
        self.mean += delta * (size / total)

    def _add_bins(self, finite: Numbers) -> None:
        exponents = np.frexp(finite)[1]
        signs = np.sign(finite).astype(np.int64)
        for sign in (-1, 1):
            numbers, counts = np.unique(exponents[signs == sign], return_counts=True)
            for number, count in zip(numbers.tolist(), counts.tolist(), strict=True):
                self._bins[sign, number] += count

    def histogram(self) -> list[tuple[float, float, int]]:
        """From, to and count of each bin that is not empty, in order; zeros have their own."""
        bins = [
            (
                (math.ldexp(0.5, e), _power_of_two(e), count)
                if sign > 0
                else (-_power_of_two(e), -math.ldexp(0.5, e), count)
            )
            for (sign, e), count in self._bins.items()
        ]
        if self.zeros:
            bins.append((0.0, 0.0, self.zeros))
        return sorted(bins)


def _power_of_two(exponent: int) -> float:
    return math.ldexp(1.0, exponent) if exponent < 1024 else math.inf


def statistics_of(checkpoint: Checkpoint, tensor: StoredTensor) -> Statistics | None:
    """Read (and so verified) in pieces; None for what has no numbers: strings, variants."""
    if dtypes.name(tensor.dtype) == "string":
        checkpoint.strings(tensor)
        return None
    if not tensor.is_plain:
        return None
    return _gathered(checkpoint.chunks(tensor), tensor.dtype)


def _gathered(chunks: Iterable[bytes], dtype: int) -> Statistics:
    result = Statistics()
    kind = np.dtype(stored_type(dtype))
    rest = b""
    for chunk in chunks:
        data = rest + chunk
        whole = len(data) - len(data) % kind.itemsize
        rest = data[whole:]
        values = as_numbers(np.frombuffer(data[:whole], kind), dtype)
        with np.errstate(invalid="ignore"):  # a signalling NaN is a NaN
            if values.dtype.kind == "c":
                values = np.abs(values)
            result.add(values.astype(np.float64))
    return result
