"""`tfprof.keras.Profiler`: a callback for models of Keras."""

from tfprof.live.keras_callback import Profiler

__all__ = ["Profiler"]
