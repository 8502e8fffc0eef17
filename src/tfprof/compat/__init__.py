"""The names of the original tool's Python API: a change of import is the whole migration."""

from __future__ import annotations

from tfprof.compat.builder import (
    FLOAT_OPS_OPTIONS,
    PRINT_ALL_TIMING_MEMORY,
    PRINT_PARAMS_ON_DEVICE,
    TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
    ProfileOptionBuilder,
)
from tfprof.compat.checkers import ALL_ADVICE
from tfprof.compat.context import ProfileContext
from tfprof.compat.handed import Proto
from tfprof.compat.profiler import (
    Profiler,
    advise,
    print_model_analysis,
    profile,
    write_op_log,
)
from tfprof.compat.protos import AdviceProto
from tfprof.compat.results import GraphNodeProto, MultiGraphNodeProto

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

OpLog: Proto
OpLogProto: Proto


def __getattr__(name: str) -> Proto:
    """`OpLogProto` and its early name: classes that protobuf makes, on first use."""
    if name in ("OpLog", "OpLogProto"):
        from tfprof.wire.schema import message_class

        return message_class("OpLogProto")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
