"""tfprof: what a TensorFlow model costs, and what to do about it."""

from __future__ import annotations

__version__ = "0.1.0"

# nothing is imported: until this is through, nobody listens for Ctrl-C
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from tfprof.api.answer import Answer
    from tfprof.api.comparison import diff
    from tfprof.api.history import log
    from tfprof.api.profile import Profile, load
    from tfprof.api.questions import flops, parameter_count, peak_memory
    from tfprof.compat import (
        ALL_ADVICE,
        FLOAT_OPS_OPTIONS,
        PRINT_ALL_TIMING_MEMORY,
        PRINT_PARAMS_ON_DEVICE,
        TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
        AdviceProto,
        GraphNodeProto,
        MultiGraphNodeProto,
        OpLog,
        OpLogProto,
        ProfileContext,
        ProfileOptionBuilder,
        TFProfNode,
        model_analyzer,
        tfprof_log_pb2,
        tfprof_logger,
    )
    from tfprof.compat.profiler import (
        Profiler,
        advise,
        print_model_analysis,
        profile,
        write_op_log,
    )
    from tfprof.errors import TfprofError
    from tfprof.live.capture import capture
    from tfprof.live.profiler_options import profiler_options
    from tfprof.live.recording.marks import trace
    from tfprof.ops.rule import op_rule

__all__ = [
    "ALL_ADVICE",
    "FLOAT_OPS_OPTIONS",
    "PRINT_ALL_TIMING_MEMORY",
    "PRINT_PARAMS_ON_DEVICE",
    "TRAINABLE_VARS_PARAMS_STAT_OPTIONS",
    "AdviceProto",
    "Answer",
    "GraphNodeProto",
    "MultiGraphNodeProto",
    "OpLog",
    "OpLogProto",
    "Profile",
    "ProfileContext",
    "ProfileOptionBuilder",
    "Profiler",
    "TFProfNode",
    "TfprofError",
    "__version__",
    "advise",
    "capture",
    "diff",
    "flops",
    "load",
    "log",
    "model_analyzer",
    "op_rule",
    "parameter_count",
    "peak_memory",
    "print_model_analysis",
    "profile",
    "profiler_options",
    "tfprof_log_pb2",
    "tfprof_logger",
    "trace",
    "write_op_log",
]
_HOME = {
    "Answer": "tfprof.api.answer",
    "Profile": "tfprof.api.profile",
    "TfprofError": "tfprof.errors",
    "capture": "tfprof.live.capture",
    "diff": "tfprof.api.comparison",
    "flops": "tfprof.api.questions",
    "load": "tfprof.api.profile",
    "log": "tfprof.api.history",
    "op_rule": "tfprof.ops.rule",
    "parameter_count": "tfprof.api.questions",
    "peak_memory": "tfprof.api.questions",
    "profiler_options": "tfprof.live.profiler_options",
    "trace": "tfprof.live.recording.marks",
}
# not in __all__: `from tfprof import *` must not hide Keras
_MODULE = "keras"


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Public names on first use: `tfprof --help` must not wait for numpy."""
    if name not in __all__ and name != _MODULE:
        raise AttributeError(f"module 'tfprof' has no attribute {name!r}")
    import importlib

    if name == _MODULE:
        return importlib.import_module(f"tfprof.{name}")
    module = _HOME.get(name, "tfprof.compat")
    return getattr(importlib.import_module(module), name)


def __dir__() -> list[str]:
    """What there is to complete, before anything of it is loaded."""
    return [*__all__]
