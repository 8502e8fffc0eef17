"""Preprocessing of categories: hashed, looked up or put in bins, then as numbers or as bits."""

from __future__ import annotations

from tfprof.keras_layers.layer import SCALAR, Layer, is_floating, number, numbers, shape_of
from tfprof.keras_layers.picking import one_hot
from tfprof.keras_layers.preprocessing import as_data
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.sizes import Unknown
from tfprof.ops.rule import BOOL, INT32, INT64, Tensor
from tfprof.wire import dtypes

_STRING = dtypes.STRING


def _encoded(call: Layer, x: Tensor, depth: int, mode: str, dtype: int) -> Tensor:
    """Categories as numbers, as a bit each (`one_hot`), or all of a sample together."""
    if mode == "int":
        return x if x.dtype == dtype else call.op("Cast", x, dtype=dtype)
    shape = shape_of(x)
    if mode == "one_hot":
        if len(shape) > 1 and shape[-1] == 1:
            x = call.reshaped(x, *shape[:-1])
        return one_hot(call, x, depth, dtype)
    if len(shape) < 3:
        return _counted(call, x, depth, dtype)
    apart = one_hot(call, x, depth, dtype)
    return call.op("Max" if mode == "multi_hot" else "Sum", apart, numbers(1))


def _counted(call: Layer, x: Tensor, depth: int, dtype: int) -> Tensor:
    """TensorFlow looks for the largest category first, though it is known how many there are."""
    if is_floating(x.dtype):
        x = call.op("Cast", x, dtype=INT32)
    any_at_all = call.each("Greater", SCALAR, SCALAR, dtype=BOOL)
    last = call.op("Max", x, numbers(*range(len(shape_of(x)))))
    size = call.each("Mul", call.each("AddV2", last, SCALAR), any_at_all, dtype=x.dtype)
    size = call.each("Minimum", call.each("Maximum", size, SCALAR), SCALAR)
    shape = (*shape_of(x)[:-1], depth)
    return call.op("DenseBincount", x, size, SCALAR, shape=shape, dtype=dtype)


@layer("CategoryEncoding")
def _category(call: Layer) -> Made:
    mode = call.text("output_mode", "multi_hot")
    return _encoded(call, as_data(call), call.integer("num_tokens"), mode, call.dtype)


@layer("Discretization")
def _discretize(call: Layer) -> Made:
    mode = call.text("output_mode", "int")
    x = as_data(call)
    bins = call.op("Bucketize", x, shape=shape_of(x), dtype=INT32)
    if mode == "int":
        return bins
    edges = call.config.get("bin_boundaries")
    depth = len(edges) + 1 if isinstance(edges, list) else call.integer("num_bins")
    return _encoded(call, bins, depth, mode, call.dtype)


# --- hashed


@layer("Hashing")
def _hash(call: Layer) -> Made:
    """Categories are hashed by their names."""
    x, mode = call.x, call.text("output_mode", "int")
    masked = None
    if call.config.get("mask_value") is not None:
        masked = call.each("Equal", x, SCALAR, dtype=BOOL)
    if is_floating(x.dtype):
        x = call.op("Cast", x, dtype=INT64)
    x = _hashed(call, x)
    if masked is not None:
        x = call.each("AddV2", x, call.op("OnesLike", x))
        x = call.each("SelectV2", masked, call.op("ZerosLike", x), x, dtype=INT64)
    dtype = call.dtype if mode != "int" or call.config.get("dtype") else INT64
    return _encoded(call, x, call.integer("num_bins"), mode, dtype)


def _hashed(call: Layer, x: Tensor) -> Tensor:
    shape = shape_of(x)
    if x.dtype != _STRING:
        x = call.op("AsString", x, shape=shape, dtype=_STRING)
    op = "StringToHashBucketStrong" if call.config.get("salt") else "StringToHashBucketFast"
    return call.op(op, x, shape=shape, dtype=INT64)


@layer("HashedCrossing")
def _crossing(call: Layer) -> Made:
    """The pairs of a sample; TensorFlow makes a sparse tensor of them first."""
    columns = []
    for one in call.inputs:
        x = call.op("ExpandDims", one, number(1)) if len(shape_of(one)) == 1 else one
        columns.append(x if x.dtype in (_STRING, INT64) else call.op("Cast", x, dtype=INT64))
    shape = shape_of(columns[0])
    crossed = call.by_hand("SparseCross", *columns, shape=shape, work=0, dtype=INT64)
    made = call.reshaped(crossed, *call.shape)
    mode = call.text("output_mode", "int")
    dtype = INT64 if mode == "int" else call.dtype
    return _encoded(call, made, call.integer("num_bins"), mode, dtype)


# --- looked up


@layer("StringLookup IntegerLookup")
def _lookup(call: Layer) -> Made:
    mode = call.text("output_mode", "int")
    is_back = call.flag("invert") and call.class_name == "StringLookup"
    found = _looked_up(call, call.x, _STRING if is_back else INT64)
    if mode == "int":
        return found
    name = "max_tokens" if call.flag("pad_to_max_tokens") else "vocabulary_size"
    weighted = mode == "tf_idf"
    made = _encoded(call, found, call.integer(name), "count" if weighted else mode, INT64)
    if not weighted:
        return made
    weights = Tensor((call.integer(name),), call.dtype)
    return call.each("Mul", call.op("Cast", made, dtype=call.dtype), weights)


def _looked_up(call: Layer, x: Tensor, dtype: int) -> Tensor:
    """In a table; some of what is not in it has a place all the same."""
    shape = shape_of(x)
    found = call.op("LookupTableFindV2", SCALAR, x, SCALAR, shape=shape, dtype=dtype)
    if call.config.get("mask_token") is not None:
        is_masked = call.each("Equal", x, SCALAR, dtype=BOOL)
        found = call.each("SelectV2", is_masked, SCALAR, found, dtype=dtype)
    if call.flag("invert") or call.integer("num_oov_indices", 1) < 2:
        return found
    by_number = call.class_name == "IntegerLookup" and call.text("oov_method") != "farmhash"
    place = call.each("FloorMod", x, SCALAR) if by_number else _hashed(call, x)
    is_new = call.each("Equal", found, SCALAR, dtype=BOOL)
    return call.each("SelectV2", is_new, call.each("AddV2", place, SCALAR), found, dtype=dtype)


@layer("TextVectorization")
def _text(call: Layer) -> Made:
    """How many words there are before they are cut or filled up shows when it runs."""
    length = call.config.get("output_sequence_length")
    if call.text("output_mode", "int") != "int" or not isinstance(length, int):
        raise Unknown("how many words a text has is not in the config")
    x = call.op("StringLower", call.x, shape=call.shape, dtype=_STRING)
    x = call.op("StaticRegexReplace", x, shape=call.shape, dtype=_STRING)
    shape = (call.shape[0], length)
    return call.by_hand("TextVectorization", x, shape=shape, work=0, dtype=INT64)
