"""MetaGraphDef (.meta) and SavedModel: a graph, and what was declared about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from tfprof.errors import CorruptFile
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import as_shape
from tfprof.model.profile import Declarations, DeclaredVariable, Signature, TensorSpec
from tfprof.sources.files.reader import parse, read_bytes
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.files.text_format import Spelt, text_to_wire
from tfprof.sources.graph.graphdef import FileBytes, PackedGraph
from tfprof.wire.fields import Fields, Progress
from tfprof.wire.schema import Proto, message_class

# field numbers
_META_INFO, _GRAPH, _COLLECTION, _SIGNATURE, _OBJECTS = 1, 2, 4, 5, 7
_META_GRAPHS = 2

TRAINABLE_COLLECTION = "trainable_variables"
VARIABLES_COLLECTION = "variables"


def read_meta(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    return _piece(Spelt(read_bytes(path, progress), cut=False), path, [], progress)


def read_meta_text(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    warnings: list[str] = []
    spelt = text_to_wire(read_bytes(path, progress), "MetaGraphDef", path, warnings)
    return _piece(spelt, path, warnings, progress)


def _piece(spelt: Spelt, path: Path, warnings: list[str], progress: Progress | None) -> FilePiece:
    source, fields = FileBytes.opened(
        spelt.data, "MetaGraphDef", path, warnings, progress, cut=spelt.cut
    )
    return meta_piece(source, fields, 0, warnings)


def read_saved_model(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    return _saved_model_piece(Spelt(read_bytes(path, progress), cut=False), path, [])


def read_saved_model_text(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    warnings: list[str] = []
    spelt = text_to_wire(read_bytes(path, progress), "SavedModel", path, warnings)
    return _saved_model_piece(spelt, path, warnings)


def _saved_model_piece(spelt: Spelt, path: Path, warnings: list[str]) -> FilePiece:
    source, fields = FileBytes.opened(spelt.data, "SavedModel", path, warnings, cut=spelt.cut)
    metas = fields.repeated(_META_GRAPHS)
    if not len(metas):
        raise CorruptFile("the SavedModel holds no graph", offset=0, where=str(path))
    inner = source.split(metas.start, metas.end)
    chosen = _serving(source, inner, len(metas))
    piece = meta_piece(source, inner, chosen, warnings)
    if len(metas) > 1:
        tags = piece.declared.tags if piece.declared else ()
        warnings.append(f"{path} holds {len(metas)} graphs; read the one tagged {', '.join(tags)}")
    return piece


def _serving(source: FileBytes, fields: Fields, count: int) -> int:
    """The graph meant for serving; the first if none says so."""
    starts, ends = fields.spans(_META_INFO, count)
    for meta, (begin, end) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        info = parse("MetaInfoDef", source.data[begin:end], source.path, begin)
        if "serve" in info.tags:
            return meta
    return 0


def meta_piece(source: FileBytes, fields: Fields, meta: int, warnings: list[str]) -> FilePiece:
    """What one MetaGraphDef gives: the graph when asked for, the declarations now."""
    return FilePiece(
        _graph(source, fields, meta),
        _Reader(source, fields, meta).declarations(),
        warnings=warnings,
    )


def _graph(source: FileBytes, fields: Fields, meta: int) -> PackedGraph:
    last = np.flatnonzero((fields.owner == meta) & (fields.number == _GRAPH))[-1:]
    return PackedGraph(source, fields.start[last], fields.end[last])


@frozen_dataclass
class _Reader:
    """Decodes the parts of one MetaGraphDef that stand beside its graph."""

    source: FileBytes
    fields: Fields
    meta: int

    def declarations(self) -> Declarations:
        info = next(self._messages(_META_INFO, "MetaInfoDef"), None)
        collections = {
            entry.key: entry.value
            for entry in self._messages(_COLLECTION, "MetaGraphDef_collection_def")
        }
        captures: dict[str, tuple[DeclaredVariable | None, ...]] = {}
        for objects in self._messages(_OBJECTS, "SavedObjectGraph"):
            captures.update(_captures(objects))
        return Declarations(
            {key: list(value.node_list.value) for key, value in collections.items()},
            {
                e.key: _signature(e.key, e.value)
                for e in self._messages(_SIGNATURE, "MetaGraphDef_signature_def")
            },
            _collection_variables(collections),
            captures,
            info.tensorflow_version if info is not None else "",
            tuple(info.tags) if info is not None else (),
        )

    def _messages(self, number: int, message: str) -> Iterator[Proto]:
        mine = np.flatnonzero((self.fields.owner == self.meta) & (self.fields.number == number))
        for row in mine.tolist():
            begin, end = int(self.fields.start[row]), int(self.fields.end[row])
            yield parse(message, self.source.data[begin:end], self.source.path, begin)


def _collection_variables(collections: Mapping[str, Proto]) -> dict[str, DeclaredVariable]:
    """The variables of the two collections every TF1 graph keeps; shapes are in the graph."""
    from google.protobuf.message import DecodeError

    found: dict[str, DeclaredVariable] = {}
    for collection, trainable in ((VARIABLES_COLLECTION, False), (TRAINABLE_COLLECTION, True)):
        if collection not in collections:
            continue
        for data in collections[collection].bytes_list.value:
            try:
                name = message_class("VariableDef").FromString(data).variable_name
            except DecodeError:
                continue  # a damaged entry: the graph still has the variable
            node = name.removeprefix("^").partition(":")[0]
            found[node] = DeclaredVariable(node, None, 0, trainable)
    return found if TRAINABLE_COLLECTION in collections else {}


def _captures(objects: Proto) -> dict[str, tuple[DeclaredVariable | None, ...]]:
    """What each function captured, from a TF2 object graph: variables by position."""
    found = {}
    trains = _trained(objects)
    for name, function in objects.concrete_functions.items():
        bound = [i for i in function.bound_inputs if 0 <= i < len(objects.nodes)]
        found[name] = tuple(_object_variable(objects.nodes[i], trains=trains.get(i)) for i in bound)
    return found


def _trained(objects: Proto) -> dict[int, bool]:
    """Whether variables train, by node, where the exported object lists them.

    A variable itself says what it was made for: a layer may have been frozen since. Keras lists
    what it trains beside the model that it exports, and so does the optimizer of one that is saved.
    """
    root = _children(objects, 0)
    listed = _children(objects, root.get("trainable_variables", -1))
    others = _children(objects, root.get("non_trainable_variables", -1))
    if not listed and not others:
        optimizer = _children(objects, root.get("optimizer", -1))
        listed = _children(objects, optimizer.get("_trainable_variables", -1))
        everything = range(len(objects.nodes)) if listed else ()
        return {**dict.fromkeys(everything, False), **dict.fromkeys(listed.values(), True)}
    return {**dict.fromkeys(others.values(), False), **dict.fromkeys(listed.values(), True)}


def _children(objects: Proto, at: int) -> dict[str, int]:
    """The objects that one holds, by the names it has for them."""
    if not 0 <= at < len(objects.nodes):
        return {}
    return {one.local_name: one.node_id for one in objects.nodes[at].children}


def _object_variable(node: Proto, *, trains: bool | None) -> DeclaredVariable | None:
    if node.WhichOneof("kind") != "variable":
        return None
    v = node.variable
    trainable = v.trainable if trains is None else trains
    return DeclaredVariable(v.name, as_shape(v.shape), v.dtype, trainable)


def _signature(name: str, proto: Proto) -> Signature:
    def specs(tensors: Mapping[str, Proto]) -> tuple[TensorSpec, ...]:
        return tuple(
            TensorSpec(key, info.name, info.dtype, as_shape(info.tensor_shape))
            for key, info in sorted(tensors.items())
        )

    return Signature(name, specs(proto.inputs), specs(proto.outputs))
