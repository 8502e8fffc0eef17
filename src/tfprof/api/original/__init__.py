"""The names of the original tool's Python API: a change of import is the whole migration."""

from __future__ import annotations

from typing import Any

from tfprof.api.original.builder import (
    FLOAT_OPS_OPTIONS,
    PRINT_ALL_TIMING_MEMORY,
    PRINT_PARAMS_ON_DEVICE,
    TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
    ProfileOptionBuilder,
)
from tfprof.api.original.checkers import ALL_ADVICE
from tfprof.api.original.context import ProfileContext
from tfprof.api.original.profiler import (
    Profiler,
    advise,
    print_model_analysis,
    profile,
    write_op_log,
)
from tfprof.api.original.protos import AdviceProto
from tfprof.api.original.results import GraphNodeProto, MultiGraphNodeProto

__all__ = [
    "ALL_ADVICE",
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "PRINT_PARAMS_ON_DEVICE",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "AdviceProto",
    "GraphNodeProto",
    "MultiGraphNodeProto",
    "OpLog",
    "OpLogProto",
    "ProfileContext",
    "ProfileOptionBuilder",
    "Profiler",
    "advise",
    "print_model_analysis",
    "profile",
    "write_op_log",
]

OpLog: Any
OpLogProto: Any


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """`OpLogProto` and its early name: classes that protobuf makes, on first use."""
    if name in ("OpLog", "OpLogProto"):
        from tfprof.wire.schema import message_class

        return message_class("OpLogProto")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
