"""The names of the original tool's Python API: a change of import is the whole migration.

The late tool has them in one place (`tf.profiler`), the early one in modules of their own.
"""

from __future__ import annotations

from tfprof.compat import model_analyzer, tfprof_log_pb2, tfprof_logger
from tfprof.compat.builder import (
    FLOAT_OPS_OPTIONS,
    PRINT_ALL_TIMING_MEMORY,
    PRINT_PARAMS_ON_DEVICE,
    TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
    ProfileOptionBuilder,
)
from tfprof.compat.checkers import ALL_ADVICE
from tfprof.compat.context import ProfileContext
from tfprof.compat.profiler import (
    Profiler,
    advise,
    print_model_analysis,
    profile,
    write_op_log,
)
from tfprof.compat.protos import AdviceProto
from tfprof.compat.results import GraphNodeProto, MultiGraphNodeProto
from tfprof.compat.tfprof_log_pb2 import OpLog, OpLogProto

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
    "TFProfNode",
    "advise",
    "model_analyzer",
    "print_model_analysis",
    "profile",
    "tfprof_log_pb2",
    "tfprof_logger",
    "write_op_log",
]

# the early tool's name: the message was renamed, its fields kept their numbers
TFProfNode = GraphNodeProto
