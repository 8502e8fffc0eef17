"""A Keras model as its file describes it: layers, and their weights where the file has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tfprof.model.graph import Shape


@dataclass(frozen=True, slots=True)
class Weight:
    name: str
    shape: tuple[int, ...]
    dtype: int
    trainable: bool


@dataclass(frozen=True, slots=True)
class KerasLayer:
    """`path` is the layer's name with those of the models around it: `inner/dense`."""

    path: str
    class_name: str
    trainable: bool
    config: Mapping[str, Any] = field(default_factory=dict)
    weights: tuple[Weight, ...] = ()


@dataclass(frozen=True, slots=True)
class KerasInput:
    name: str
    shape: Shape | None
    dtype: str


@dataclass(frozen=True, slots=True)
class KerasModel:
    """`weights_missing` says why weights are not known; then counts are unknown, too."""

    name: str
    class_name: str
    layers: tuple[KerasLayer, ...]
    inputs: tuple[KerasInput, ...]
    optimizer: tuple[Weight, ...] = ()
    keras_version: str = ""
    weights_missing: str = ""
