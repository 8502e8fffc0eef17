"""Weights in HDF5, as Keras 3 (.weights.h5) and Keras 2 (.h5) lay them out: shapes, not values.

libhdf5 crashes on some damaged files: this is done in a child process.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from tfprof.errors import CorruptFile
from tfprof.sources.files.stretch import Stretch
from tfprof.wire import dtypes
from tfprof.wire.json_values import Object

# name, shape and type
Row = tuple[str, tuple[int, ...], int]
# a group, a dataset or an attribute: h5py does not say what its objects are
Node: TypeAlias = Any

_DEEPEST = 60
_ATTRIBUTES = ("model_config", "keras_version")


@dataclass
class StoredWeights:
    """Weights by layer name; their names are numbers where the file has no better."""

    layers: dict[str, list[Row]] = field(default_factory=dict)
    optimizer: list[Row] = field(default_factory=list)
    attributes: dict[str, str] = field(default_factory=dict)
    # by layer, the class its group was named after
    kinds: dict[str, str] = field(default_factory=dict)


def work(given: Object) -> Object:
    """The weights in the stretch of a file that is given; without a path, in what is on stdin."""
    path, start, size = given.get("path"), given.get("start"), given.get("size")
    if not isinstance(path, str):
        return asdict(_read(sys.stdin.buffer))
    begin = start if isinstance(start, int) else 0
    with Stretch(Path(path), begin, size if isinstance(size, int) else None).stream() as file:
        return asdict(_read(file))


def _read(file: BinaryIO) -> StoredWeights:
    import h5py

    try:
        with h5py.File(file, "r") as root:
            is_keras2 = "model_weights" in root or "layer_names" in root.attrs
            return _keras2(root) if is_keras2 else _keras3(root)
    except (OSError, RuntimeError, KeyError, ValueError, TypeError) as fault:
        raise CorruptFile(f"the HDF5 file cannot be read ({fault})", offset=0) from None


def _keras3(root: Node) -> StoredWeights:
    """Groups follow the objects; each `vars` group carries its layer's name."""
    found = StoredWeights()
    stack: list[tuple[Node, str, bool, int]] = [(root, "", False, 0)]
    seen: set[Node] = set()
    while stack:
        group, prefix, optimizer, depth = stack.pop()
        if group.id in seen:
            continue  # linked twice, maybe into itself
        seen.add(group.id)
        path = prefix
        own = _child(group, "vars")
        if own is not None:
            name = _text(own.attrs.get("name", "")) or group.name.rpartition("/")[2]
            path = f"{prefix}/{name}" if prefix else name
            path = "" if depth == 0 else path
            weights = [
                (key, tuple(d.shape), _dtype(d))
                for key, d in sorted(_datasets(own), key=_by_number)
            ]
            if optimizer:
                found.optimizer += weights
            elif weights:
                found.layers.setdefault(path, []).extend(weights)
                found.kinds[path] = _class_name(group.name)
        if depth < _DEEPEST:
            for key in sorted(group, reverse=True):
                child = _child(group, key) if key != "vars" else None
                if child is not None and not hasattr(child, "shape"):
                    stack.append((child, path, optimizer or key == "optimizer", depth + 1))
    return found


def _class_name(group: str) -> str:
    """`/layers/batch_normalization_1` holds a BatchNormalization."""
    snake = re.sub(r"_\d+$", "", group.rpartition("/")[2])
    return "".join(word.capitalize() for word in snake.split("_"))


def _keras2(root: Node) -> StoredWeights:
    """Every layer has a group of its name; `weight_names` lists what is below it."""
    # only what is needed: damaged attributes have brought libhdf5 down
    wanted = {key: root.attrs[key] for key in _ATTRIBUTES if key in root.attrs}
    found = StoredWeights(attributes={key: _text(value) for key, value in wanted.items()})
    weights = _child(root, "model_weights")
    layers = root if weights is None else weights
    for name in layers:
        group = _child(layers, name)
        if group is not None and name != "optimizer_weights":
            for weight, shape, dtype in _listed(group):
                # a model inside a model: the weight's own scopes say which layer it is of
                scope = weight.rpartition("/")[0]
                inside = scope if f"{scope}/".startswith(f"{name}/") else f"{name}/{scope}"
                found.layers.setdefault(inside.rstrip("/"), []).append((weight, shape, dtype))
    optimizer = _child(root, "optimizer_weights")
    if optimizer is not None:
        found.optimizer = list(_listed(optimizer))
    return found


def _listed(group: Node) -> Iterator[Row]:
    for name in _names_in(group):
        dataset = _child(group, _text(name))
        if dataset is not None and hasattr(dataset, "shape"):
            yield _text(name), tuple(dataset.shape), _dtype(dataset)


def _names_in(group: Node) -> Iterator[Node]:
    """A list too long for one attribute is split over numbered ones."""
    yield from group.attrs.get("weight_names", ())
    number = 0
    while f"weight_names{number}" in group.attrs:
        yield from group.attrs[f"weight_names{number}"]
        number += 1


def _child(group: Node, name: str) -> Node:
    """A member that lies in this file; links that lead elsewhere are not followed."""
    import h5py

    here = group
    for part in name.split("/"):
        if not isinstance(here, h5py.Group):
            return None
        try:
            link = here.id.links.get_info(part.encode())
        except (KeyError, RuntimeError, UnicodeEncodeError):  # there is none
            return None
        if link.type != h5py.h5l.TYPE_HARD:
            return None
        here = here[part]
    return here


def _datasets(group: Node) -> Iterator[tuple[str, Node]]:
    for key in group:
        child = _child(group, key)
        if child is not None and hasattr(child, "shape"):
            yield key, child


def _by_number(item: tuple[str, Node]) -> tuple[int, str]:
    return (int(item[0]), "") if re.fullmatch(r"\d{1,9}", item[0]) else (1 << 30, item[0])


def _text(value: Node) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def _dtype(dataset: Node) -> int:
    return dtypes.number(str(dataset.dtype)) or 0
