"""A Keras model as its file describes it: layers, and their weights where the file has them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import Shape
from tfprof.wire.json_values import Json

_SEED = "seed_generator_state"
NO_WEIGHTS = "the file holds no weights"


@frozen_dataclass
class Weight:
    name: str
    shape: tuple[int, ...]
    dtype: int
    trainable: bool

    @property
    def is_seed(self) -> bool:
        """The state of random numbers: it is stored, but Keras does not count it."""
        return self.name.endswith(_SEED)


@frozen_dataclass
class KerasLayer:
    """`path` is the layer's name with those of the models around it: `inner/dense`."""

    path: str
    class_name: str
    trainable: bool
    config: Mapping[str, Json] = field(default_factory=dict)
    weights: tuple[Weight, ...] = ()
    # why its weights are not known, where they are not
    unknown: str = ""


@frozen_dataclass
class Ref:
    """Output number `output` of the call in row `call`; -1: of a call that the file lacks."""

    call: int
    output: int = 0
    stated: Shape | None = None  # as written in the file; None for an open dimension


@frozen_dataclass
class KerasCall:
    """One use of a layer: `number` counts those of one layer from 0.

    `args` and `kwargs` are those of the call, as in the file, with a `Ref` for each tensor.
    """

    layer: str
    class_name: str
    module: str = ""
    number: int = 0
    trainable: bool = True
    config: Mapping[str, Json] = field(default_factory=dict)
    args: tuple[object, ...] = ()
    kwargs: Mapping[str, object] = field(default_factory=dict)


@frozen_dataclass
class KerasCalls:
    """What a model computes, in an order in which it can; nested models are opened."""

    calls: tuple[KerasCall, ...] = ()
    outputs: tuple[Ref, ...] = ()
    missing: str = "the file does not say how its layers are connected"


@frozen_dataclass
class KerasInput:
    name: str
    shape: Shape | None
    dtype: str


@frozen_dataclass
class KerasModel:
    """`weights_missing` says why the file tells nothing of weights; a config asks for them then.

    One that is `compiled` stores what its optimizer keeps among its weights.
    """

    name: str
    class_name: str
    layers: tuple[KerasLayer, ...]
    inputs: tuple[KerasInput, ...]
    optimizer: tuple[Weight, ...] = ()
    keras_version: str = ""
    weights_missing: str = ""
    compiled: bool = False
    flow: KerasCalls = field(default_factory=KerasCalls)
