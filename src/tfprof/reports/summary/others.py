"""What other questions find and say of the same model."""

from tfprof.answers.executed_types import executed_types
from tfprof.answers.keras_static import missing as missing_layers
from tfprof.answers.step_parts import NO_OPS, step_text

__all__ = ["NO_OPS", "executed_types", "missing_layers", "step_text"]
