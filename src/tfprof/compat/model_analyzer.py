"""`tf.contrib.tfprof.model_analyzer`, the early tool's module, and what later ones added to it."""

from __future__ import annotations

from tfprof.compat.builder import (
    FLOAT_OPS_OPTIONS,
    PRINT_ALL_TIMING_MEMORY,
    PRINT_PARAMS_ON_DEVICE,
    TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
)
from tfprof.compat.checkers import ALL_ADVICE
from tfprof.compat.profiler import Profiler, advise, print_model_analysis, profile

__all__ = [
    "ALL_ADVICE",
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "PRINT_PARAMS_ON_DEVICE",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "Profiler",
    "advise",
    "print_model_analysis",
    "profile",
]
