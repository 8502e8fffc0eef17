"""Importing this registers every rule."""

from tfprof.analyses.keras_layers import (  # noqa: F401  (importing registers)
    activations,
    attention,
    convolutions,
    dense,
    merging,
    moving,
    normalization,
    operations,
    pooling,
    preprocessing,
    recurrent,
    shaping,
)
