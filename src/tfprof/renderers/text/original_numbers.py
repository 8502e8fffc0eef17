"""Numbers in the original's spelling: 464.15k, 3.61sec, 12.50MB.

The original knows neither GB nor minutes; corrected, both exist.
"""

from __future__ import annotations

from collections.abc import Callable

from tfprof.frozen_dataclass import frozen_dataclass

Write = Callable[[int], str]

_Steps = tuple[tuple[int, float, str], ...]  # from this value on: divided by this, with this unit

_NUMBERS: _Steps = ((10**9, 1e9, "b"), (10**6, 1e6, "m"), (10**3, 1e3, "k"))
_TIMES: _Steps = ((10**6, 1e6, "sec"), (10**3, 1e3, "ms"))
_BYTES: _Steps = ((10**6, 1e6, "MB"), (10**3, 1e3, "KB"))
_MINUTES: _Steps = ((60 * 10**6, 60e6, "min"), *_TIMES)
_GIGABYTES: _Steps = ((10**12, 1e12, "TB"), (10**9, 1e9, "GB"), *_BYTES)


def _writer(steps: _Steps, smallest: str) -> Write:
    def write(value: int) -> str:
        for least, divisor, unit in steps:
            if value >= least:
                return f"{value / divisor:.2f}{unit}"
        return f"{value}{smallest}"

    return write


@frozen_dataclass
class Spelling:
    number: Write
    time: Write
    memory: Write


ORIGINAL = Spelling(_writer(_NUMBERS, ""), _writer(_TIMES, "us"), _writer(_BYTES, "B"))
CORRECTED = Spelling(_writer(_NUMBERS, ""), _writer(_MINUTES, "us"), _writer(_GIGABYTES, "B"))
