"""A Keras model as its file describes it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tfprof.model.graph import Shape
from tfprof.model.quantity import Quantity
from tfprof.results.fields import INSIDE, ROW_KEY, Key


@dataclass(frozen=True, slots=True)
class TensorRow:
    """What is fed to a model, or comes out of it."""

    name: Annotated[str, ROW_KEY]
    dtype: str
    shape: Shape | None


@dataclass(frozen=True, slots=True)
class WeightRow:
    name: Annotated[str, ROW_KEY]
    shape: tuple[int, ...]
    dtype: str
    trainable: bool


@dataclass(frozen=True, slots=True)
class LayerRow:
    layer: Annotated[str, ROW_KEY]
    class_name: Annotated[str, Key("class")]
    trainable: bool
    params: Quantity
    weights: tuple[WeightRow, ...]


@dataclass(frozen=True, slots=True)
class KerasResult:
    name: str
    class_name: Annotated[str, Key("class")]
    version: str | None
    layers: tuple[LayerRow, ...]
    inputs: Annotated[tuple[TensorRow, ...], INSIDE]
