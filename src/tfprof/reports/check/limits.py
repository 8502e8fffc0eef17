"""What a budget may limit, and limits as people write them: 5M, 2GB, 120ms, 20%, +5%."""

from __future__ import annotations

import difflib
import math
import re
from collections.abc import Mapping
from typing import Final

from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass

COUNT, BYTES, MICROS, SHARE = "count", "bytes", "microseconds", "share"


@frozen_dataclass
class Metric:
    """`help` is what it is; `example` a limit for it."""

    name: str
    unit: str
    example: str
    help: str

    @property
    def word(self) -> str:
        """As flags and keys say it."""
        return f"max-{self.name.replace('_', '-')}"


METRICS: Final = {
    one.name: one
    for one in (
        Metric("params", COUNT, "5M", "parameters, of the optimizer as well"),
        Metric("trainable_params", COUNT, "5M", "parameters that are trained"),
        Metric("flops", COUNT, "8.2G", "FLOPs of what is computed, two for each multiply-add"),
        Metric("macs", COUNT, "4.1G", "multiply-adds"),
        Metric("nodes", COUNT, "2k", "nodes of the graph"),
        Metric("unknown", COUNT, "0", "ops whose FLOPs nobody knows"),
        Metric("peak_memory", BYTES, "2GB", "transient peak of one step, on the device with most"),
        Metric("step_time", MICROS, "120ms", "median period of the steps of a run"),
        Metric("input_share", SHARE, "20%", "share of the steps that waits for input"),
    )
}
_AMOUNT = re.compile(r"(\d+(?:\.\d+)?)\s*([A-Za-zµ]*)", re.ASCII)
_SCALES: Final[Mapping[str, Mapping[str, float]]] = {
    COUNT: {"": 1, "k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12, "P": 1e15},
    BYTES: {"": 1, "B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
            "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40},
    MICROS: {"us": 1, "ms": 1e3, "s": 1e6, "min": 60e6},
    SHARE: {"": 1},
}  # fmt: skip
_MOST: Final = 1e30


@frozen_dataclass
class Limit:
    """An amount, or what may be added to the baseline: so much, or a share of it."""

    metric: Metric
    said: str
    amount: float
    is_relative: bool = False
    is_share_of_baseline: bool = False

    def given(self, baseline: float | None) -> float | None:
        """The limit in numbers; None while what it is relative to is not known."""
        if not self.is_relative:
            return self.amount
        if baseline is None:
            return None
        if not self.amount:
            return baseline  # exactly
        return baseline * (1 + self.amount) if self.is_share_of_baseline else baseline + self.amount


def limits_of(said: Mapping[str, object]) -> tuple[Limit, ...]:
    """Of words such as `max-params`, `max_params` and `params`."""
    found = []
    for word, value in said.items():
        name = word.replace("-", "_").removeprefix("max_")
        if name not in METRICS:
            raise _unknown(word)
        found.append(_limit(METRICS[name], value))
    return tuple(found)


def _limit(metric: Metric, value: object) -> Limit:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise _no_limit(metric, value)
    said = str(value).strip()
    relative = said.startswith("+")
    text = said[1:].strip() if relative else said
    if text.endswith("%"):
        if not relative and metric.unit != SHARE:
            raise _no_limit(metric, value)
        amount = _number(text[:-1].strip(), {"": 1}, metric, value) / 100
        return Limit(metric, said, amount, relative, relative)
    # nothing more is allowed, whatever it is measured in
    scales = {**_SCALES[metric.unit], "": 1} if text == "0" else _SCALES[metric.unit]
    return Limit(metric, said, _number(text, scales, metric, value), relative)


def _number(text: str, scales: Mapping[str, float], metric: Metric, value: object) -> float:
    match = _AMOUNT.fullmatch(text)
    if match is None or match[2] not in scales:
        raise _no_limit(metric, value)
    number = float(match[1]) * scales[match[2]]
    if not math.isfinite(number) or number > _MOST:
        raise _no_limit(metric, value)
    return number


def _no_limit(metric: Metric, value: object) -> UsageError:
    said = str(value)[:40]
    return UsageError(
        f"{said!r} is no limit for {metric.word}",
        hint=f"{metric.example}; with --baseline also +5% or +0.",
    )


def _unknown(word: str) -> UsageError:
    words = [one.word for one in METRICS.values()]
    near = difflib.get_close_matches(word.replace("_", "-"), words, 1)
    hint = f"Did you mean {near[0]}?" if near else f"There are {', '.join(words)}."
    return UsageError(f"no budget is called {word[:60]!r}", hint=hint)
