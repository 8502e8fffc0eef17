"""`tf.contrib.tfprof.tfprof_logger`, the early tool's module."""

from __future__ import annotations

from tfprof.compat.profiler import write_op_log

__all__ = ["write_op_log"]
