"""Keras models: .keras (a zip of config and weights) and .h5. Nothing in them is executed."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from tfprof.errors import CorruptText, ExtraMissing, WrongKind
from tfprof.model.keras_model import NO_WEIGHTS, KerasLayer, KerasModel, Weight
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.files.stretch import Stretch
from tfprof.sources.keras.archive import KerasArchive
from tfprof.sources.keras.calls import calls_of
from tfprof.sources.keras.config import inputs_of, layers_of
from tfprof.sources.keras.hdf5 import StoredWeights
from tfprof.sources.keras.paths_left import PathsLeft
from tfprof.sources.keras.weights import read_weights
from tfprof.wire import dtypes
from tfprof.wire.fields import Progress
from tfprof.wire.json_values import NotBelieved, Object, as_object, parsed

_CONFIG, _METADATA, _WEIGHTS = "config.json", "metadata.json", "model.weights.h5"
_HDF5_MAGIC = b"\x89HDF\r\n\x1a\n"
# weights that no gradient changes, though their layer is trained: by name, or the last so many
_STATE_NAMES = ("moving_mean", "moving_variance", "seed_generator_state", "count")
_STATE_LAST = {"BatchNormalization": 2, "SyncBatchNormalization": 2}
_ALL_STATE = (
    "Normalization",
    "StringLookup",
    "IntegerLookup",
    "TextVectorization",
    "Discretization",
)


def read_keras(path: Path, _step: int, _progress: Progress | None) -> FilePiece:
    with KerasArchive(path) as archive:
        config = _json(archive.read(_CONFIG), path, _CONFIG)
        version = ""
        if _METADATA in archive.names:
            about = _json(archive.read(_METADATA), path, _METADATA)
            version = str(about.get("keras_version", ""))
        weights = archive.member(_WEIGHTS) if _WEIGHTS in archive.names else None
    stored, missing = StoredWeights(), ""
    if weights is None:
        missing = NO_WEIGHTS
    else:
        try:
            stored = read_weights(weights, str(path))
        except ExtraMissing as fault:
            # the architecture is an answer of its own
            missing = f"{fault.what}: {fault.hint}"
    return FilePiece(keras=_model(config, stored, version, missing, str(path)))


def read_h5(path: Path, _step: int, _progress: Progress | None) -> FilePiece:
    stored = read_weights(Stretch(path), str(path))
    text = stored.attributes.get("model_config")
    version = stored.attributes.get("keras_version", "")
    if text is None:
        # weights alone: the layers are what has weights
        layers = [
            KerasLayer(name, stored.kinds.get(name, "?"), trainable=True) for name in stored.layers
        ]
        return FilePiece(
            keras=_with_weights(KerasModel(path.stem, "weights", tuple(layers), ()), stored)
        )
    config = _json(text.encode("utf-8", "replace"), path, "model_config")
    return FilePiece(keras=_model(config, stored, version, "", str(path)))


def _json(data: bytes, path: Path, part: str) -> Object:
    try:
        value = parsed(data)
    except json.JSONDecodeError as fault:
        what = f"{part} is not JSON ({fault.msg})"
        raise CorruptText(what, line=fault.lineno, where=str(path)) from None
    except NotBelieved as fault:
        raise WrongKind(f"{part} is not the JSON of a model: {fault}", where=str(path)) from None
    except (UnicodeDecodeError, RecursionError):
        raise WrongKind(f"{part} is not the JSON of a model", where=str(path)) from None
    if not isinstance(value, dict):
        raise WrongKind(f"{part} is not the JSON of a model", where=str(path))
    return value


def _model(
    config: Object, stored: StoredWeights, version: str, missing: str, where: str
) -> KerasModel:
    layers = layers_of(config, where)
    name = str(as_object(config.get("config")).get("name", "model"))
    model = KerasModel(
        name,
        str(config.get("class_name", "?")),
        tuple(layers),
        tuple(inputs_of(config, layers)),
        keras_version=version,
        weights_missing=missing,
        compiled=bool(config.get("compile_config")),
        flow=calls_of(config),
    )
    return model if missing else _with_weights(model, stored)


def _with_weights(model: KerasModel, stored: StoredWeights) -> KerasModel:
    """Each layer with the weights stored under its path, or below it (cells, sublayers)."""
    left = PathsLeft(stored.layers)
    layers = []
    for layer in model.layers:
        rows = [(path, row) for path in left.take(layer.path) for row in stored.layers[path]]
        layers.append(_filled(layer, rows))
    for path in left.rest():
        # stored, but of no layer the config lists
        layer = KerasLayer(path, "?", trainable=True)
        layers.append(_filled(layer, [(path, row) for row in stored.layers[path]]))
    optimizer = tuple(
        Weight(f"optimizer/{name}", shape, dtype, trainable=False)
        for name, shape, dtype in stored.optimizer
    )
    return replace(model, layers=tuple(layers), optimizer=optimizer)


_Row = tuple[str, tuple[str, tuple[int, ...], int]]


def _filled(layer: KerasLayer, rows: list[_Row]) -> KerasLayer:
    kind = _innermost_class(layer)
    state = _STATE_LAST.get(kind, 0)
    weights = []
    for position, (path, (name, shape, dtype)) in enumerate(rows):
        is_state = (
            kind in _ALL_STATE
            or position >= len(rows) - state
            or name.rpartition("/")[2].partition(":")[0] in _STATE_NAMES
            or not dtypes.is_floating(dtype)
        )
        full = name if "/" in name else f"{path}/{name}"
        weights.append(Weight(full, shape, dtype, layer.trainable and not is_state))
    return KerasLayer(layer.path, layer.class_name, layer.trainable, layer.config, tuple(weights))


def _innermost_class(layer: KerasLayer) -> str:
    """A wrapper's weights are those of the layer it wraps."""
    kind, config = layer.class_name, layer.config
    while isinstance(inner := config.get("layer"), dict):
        kind = str(inner.get("class_name", kind))
        config = as_object(inner.get("config"))
    return kind
