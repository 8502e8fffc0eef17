"""A Keras model as its file describes it."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import Shape
from tfprof.model.quantity import Quantity
from tfprof.results.fields import INSIDE, ROW_KEY, Key


@frozen_dataclass
class TensorRow:
    """What is fed to a model, or comes out of it."""

    name: Annotated[str, ROW_KEY]
    dtype: str
    shape: Shape | None


@frozen_dataclass
class WeightRow:
    name: Annotated[str, ROW_KEY]
    shape: tuple[int, ...]
    dtype: str
    trainable: bool


@frozen_dataclass
class LayerRow:
    layer: Annotated[str, ROW_KEY]
    class_name: Annotated[str, Key("class")]
    trainable: bool
    params: Quantity
    weights: tuple[WeightRow, ...]


@frozen_dataclass
class KerasResult:
    name: str
    class_name: Annotated[str, Key("class")]
    version: str | None
    layers: tuple[LayerRow, ...]
    inputs: Annotated[tuple[TensorRow, ...], INSIDE]
