"""Importing this registers every rule."""

from tfprof.keras_layers import (  # noqa: F401  (importing registers)
    activations,
    attention,
    categories,
    convolutions,
    dense,
    dropping,
    merging,
    moving,
    normalization,
    operations,
    picking,
    pooling,
    preprocessing,
    recurrent,
    reducing,
    shaping,
    wrappers,
)
