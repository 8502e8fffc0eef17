"""The layers of a Keras file: as rows, as a table and as data."""

from __future__ import annotations

from typing import Any

from tfprof.answers.common import fold
from tfprof.model import units
from tfprof.model.graph import elements
from tfprof.model.keras_model import KerasLayer, KerasModel
from tfprof.views.shapes import Column, Table, Unit, Value
from tfprof.wire import dtypes


def layer_rows(model: KerasModel) -> list[dict[str, Any]]:
    """Layers by parameters, largest first; in order of the model where none are known."""
    rows: list[dict[str, Any]] = [
        {
            "name": layer.path,
            "op": layer.class_name,
            "params": None if model.weights_missing else _params(layer),
            "shapes": [list(weight.shape) for weight in layer.weights],
            "trainable": layer.trainable,
        }
        for layer in model.layers
    ]
    return rows if model.weights_missing else sorted(rows, key=lambda row: -row["params"])


def _params(layer: KerasLayer) -> int:
    return sum(elements(weight.shape) or 0 for weight in layer.weights)


def layers_table(rows: list[dict[str, Any]], shown: int) -> Table:
    counts = [row["params"] or 0 for row in rows]
    whole = sum(counts)
    columns = [
        Column("name", "layer"),
        Column("class", "class"),
        Column("shapes", "weights", Unit.PROSE),
        Column("trainable", "trained"),
        Column("params", "params", Unit.COUNT),
        Column("share", "share", Unit.SHARE),
    ]
    table: list[list[Value]] = [
        [
            row["name"],
            row["op"],
            " ".join(units.shape(tuple(shape)) for shape in row["shapes"]),
            "yes" if row["trainable"] else "no",
            row["params"],
            None if row["params"] is None else row["params"] / whole if whole else 0,
        ]
        for row in rows[:shown]
    ]
    return Table(columns, table, "Largest layers", fold(counts[shown:], whole))


def keras_data(model: KerasModel | None) -> dict[str, Any]:
    if model is None:
        return {}
    known = not model.weights_missing
    return {
        "keras": {
            "name": model.name,
            "class": model.class_name,
            "version": model.keras_version or None,
            "layers": [_layer_data(layer, known=known) for layer in model.layers],
        }
    }


def _layer_data(layer: KerasLayer, *, known: bool) -> dict[str, Any]:
    return {
        "layer": layer.path,
        "class": layer.class_name,
        "trainable": layer.trainable,
        "params": _params(layer) if known else None,
        "weights": [
            {
                "name": weight.name,
                "shape": list(weight.shape),
                "dtype": dtypes.name(weight.dtype),
                "trainable": weight.trainable,
            }
            for weight in layer.weights
        ],
    }
