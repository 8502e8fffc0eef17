"""The architecture in a Keras config: layers in order, nested models opened; none executed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tfprof.errors import WrongKind
from tfprof.model.graph import Shape
from tfprof.model.keras_model import KerasInput, KerasLayer
from tfprof.wire.json_values import Json, as_object

Config = Mapping[str, Json]

_DEEPEST = 50


def layers_of(model: Config, where: str) -> list[KerasLayer]:
    """Every layer that is not itself a model, with the path of names that leads to it."""
    found: list[KerasLayer] = []
    stack: list[tuple[Config, str, bool, int]] = [
        (entry, "", True, 0) for entry in reversed(list(entries_of(model, where)))
    ]
    while stack:
        entry, prefix, trainable, depth = stack.pop()
        config = as_object(entry.get("config"))
        name = str(config.get("name") or entry.get("name") or entry.get("class_name", "layer"))
        path = f"{prefix}/{name}" if prefix else name
        trains = trainable and bool(config.get("trainable", True))
        if "layers" in config and depth < _DEEPEST:
            inner = reversed(list(entries_of(entry, where)))
            stack += [(part, path, trains, depth + 1) for part in inner]
        else:
            found.append(KerasLayer(path, str(entry.get("class_name", "?")), trains, config))
    return found


def entries_of(model: Config, where: str) -> Iterator[Config]:
    config = as_object(model.get("config"))
    layers = config.get("layers")
    if layers is None:
        return
    if not isinstance(layers, list):
        raise WrongKind("the model's list of layers is not a list", where=where)
    yield from (layer for layer in layers if isinstance(layer, dict))


def inputs_of(model: Config, layers: list[KerasLayer]) -> list[KerasInput]:
    """The input layers of the outermost model; else the shape it was built with."""
    found = [
        KerasInput(layer.path, shape_of(_input_shape(layer.config)), _dtype(layer.config))
        for layer in layers
        if layer.class_name == "InputLayer" and "/" not in layer.path
    ]
    if found:
        return found
    built = as_object(model.get("build_config")).get("input_shape")
    return [KerasInput("input", shape_of(built), "float32")] if isinstance(built, list) else []


def _input_shape(config: Config) -> object:
    return config.get("batch_shape", config.get("batch_input_shape"))


def shape_of(dims: object) -> Shape | None:
    if not isinstance(dims, list | tuple):
        return None
    return tuple(dim if isinstance(dim, int) else None for dim in dims)


def _dtype(config: Config) -> str:
    dtype = config.get("dtype")
    if isinstance(dtype, dict):
        dtype = as_object(dtype.get("config")).get("name")
    return dtype if isinstance(dtype, str) else "float32"
