"""Sizes and times as people write them: 16GB, 500MiB, 2s, 300ms."""

from __future__ import annotations

import math
import re

from tfprof.errors import UsageError
from tfprof.late_pattern import late_pattern

_SIZE = late_pattern(r"(\d+(?:\.\d+)?)\s*([kKMGT]?i?)B?", re.ASCII)
_SCALES = {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "T": 1e12,
           "Ki": 2**10, "ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40}  # fmt: skip
_TIME = late_pattern(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|)", re.ASCII)
_SECONDS = {"ms": 1e-3, "s": 1.0, "": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}


def bytes_of(text: str) -> int:
    match = _SIZE.fullmatch(text.strip())
    if match is None or match[2] not in _SCALES:
        raise UsageError(f"{text!r} is no size", hint="16GB, 16GiB, 500MB")
    size = float(match[1]) * _SCALES[match[2]]
    if math.isinf(size):
        raise UsageError("a size has hundreds of digits", hint="16GB, 16GiB, 500MB")
    return int(size)


def seconds_of(text: str) -> float:
    """A number alone is in seconds."""
    match = _TIME.fullmatch(text.strip())
    if match is None:
        raise UsageError(f"{text!r} is no time", hint="2s, 500ms, 1.5min")
    seconds = float(match[1]) * _SECONDS[match[2]]
    if math.isinf(seconds):
        raise UsageError("a time has hundreds of digits", hint="2s, 500ms, 1.5min")
    return seconds
