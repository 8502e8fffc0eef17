"""The op types that have rules."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import ROW_KEY


@frozen_dataclass
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


@frozen_dataclass
class RulesResult:
    ops: tuple[OpRule, ...]
