"""The op types that have rules."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tfprof.results.fields import ROW_KEY


@dataclass(frozen=True, slots=True)
class OpRule:
    """What is known of an op type; `reuse` are the inputs whose memory its output may take."""

    op: Annotated[str, ROW_KEY]
    family: str
    macs: bool
    flops: bool
    float_ops: bool
    values: bool
    alias: int | None
    reuse: tuple[int, ...]
    scratch: bool


@dataclass(frozen=True, slots=True)
class RulesResult:
    ops: tuple[OpRule, ...]
