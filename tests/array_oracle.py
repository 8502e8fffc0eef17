"""Holds the rules against TensorFlow: what it infers, what it computes, and with a symbol inside.

`check(build, (("B", 4), "float32"), ...)` traces `build` over placeholders of these shapes and
follows every op of the graph. "B" stands for the batch.
"""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import count

import numpy as np
import tensorflow as tf

from tfprof.model.dims import Size, at, symbol
from tfprof.ops.rule import Call, Tensor, rules

BATCH = 3
_RANDOM = np.random.default_rng(7)

Given = tuple[Sequence[int | str | None], str]
Known = Mapping[str, Tensor]


def check(
    build: Callable,
    *given: Given,
    batch: int = BATCH,
    feed: Sequence | None = None,
    open_ended: Sequence[str] = (),
    run: bool = True,
    declared: bool = True,
) -> Known:
    """Everything known of the traced graph with the batch as a symbol, by the tensors' names.

    Where TensorFlow knows a dimension we know it as well, and know no less with the symbol, but for
    op types that are `open_ended`. A batch that is not `declared` is None in the placeholders, so
    that TensorFlow itself writes a graph that computes with shapes.
    """
    graph, places = _traced(build, given, batch if declared else None)
    sizes = [tuple(batch if size == "B" else size for size in shape) for shape, _ in given]
    plain = dict(zip(places, sizes, strict=True))
    concrete = follow(graph, plain)
    _as_inferred(graph, concrete)
    shapes = [shape for shape, _ in given]
    opened = {
        place: tuple(symbol("B") if size == "B" else size for size in shape)
        for place, shape in zip(places, shapes, strict=True)
    }
    with_symbol = follow(graph, opened)
    for name, tensor in with_symbol.items():
        if _op(graph, name) not in open_ended:
            _as_with_a_number(tensor, concrete[name], batch)
    if run:
        if feed is None:
            feed = [content(shape, place.dtype) for place, shape in plain.items()]
        _as_computed(graph, concrete, dict(zip(places, feed, strict=True)))
    return with_symbol


def follow(graph: tf.Graph, places: Mapping[tf.Tensor, Sequence[Size | None]]) -> Known:
    """The rules applied to a graph op by op."""
    known: dict[str, Tensor] = {}
    shapes = {place.name: tuple(shape) for place, shape in places.items()}
    for op in graph.get_operations():
        if op.type == "Const":
            tensor = constant(op)
            found = [tensor]
        elif op.type == "Placeholder":
            name = op.outputs[0].name
            found = [Tensor(shapes[name], op.outputs[0].dtype.as_datatype_enum)]
        elif op.type == "VarHandleOp":
            held = Tensor(tuple(_variable_shape(op)), op.get_attr("dtype").as_datatype_enum)
            found = [Tensor((), 20, holds=held)]
        else:
            attributes = dict(op.node_def.attr)
            inputs = [known[one.name] for one in op.inputs]
            assert op.type in rules(), op.type
            found = rules()[op.type].infer(Call(op.name, op.type, inputs, lambda a=attributes: a))
            assert len(found) == len(op.outputs), f"{op.name}: {found}"
        for place, tensor in enumerate(found):
            known[f"{op.name}:{place}"] = tensor
    return known


def constant(op: tf.Operation) -> Tensor:
    content = tf.make_ndarray(op.get_attr("value"))
    whole = content.dtype.kind in "iub"
    value = tuple(int(entry) for entry in content.flat) if whole else None
    return Tensor(content.shape, op.outputs[0].dtype.as_datatype_enum, value)


def _as_with_a_number(tensor: Tensor, concrete: Tensor, batch: int) -> None:
    """The number put in for the batch gives what was known with the number all along."""
    assert tensor.dtype == concrete.dtype
    assert settled(tensor.shape, batch) == concrete.shape, tensor
    many = tensor.shape != concrete.shape  # so many entries that no list holds them
    if not many or tensor.value is not None:
        assert settled(tensor.value, batch) == concrete.value, tensor


def settled(sizes, batch: int):
    """With the batch put in."""
    if sizes is None:
        return None
    return tuple(None if size is None else at(size, {"B": batch}) for size in sizes)


def _variable_shape(op: tf.Operation) -> list[int]:
    return [dim.size for dim in op.node_def.attr["shape"].shape.dim]


def _op(graph: tf.Graph, name: str) -> str:
    return graph.get_tensor_by_name(name).op.type


def _traced(build, given, batch):
    numbers = count()
    with tf.Graph().as_default() as graph:
        places = [
            tf.compat.v1.placeholder(
                dtype,
                [batch if size == "B" else size for size in shape],
                name=f"given_{next(numbers)}",
            )
            for shape, dtype in given
        ]
        build(*places)
    return graph, places


def _as_inferred(graph: tf.Graph, known: Known) -> None:
    """Not less than TensorFlow knows of shapes, and the same types."""
    for op in graph.get_operations():
        for tensor in op.outputs:
            ours = known[tensor.name]
            assert ours.dtype == tensor.dtype.base_dtype.as_datatype_enum, (op.type, ours)
            if tensor.shape.rank is None:
                continue
            assert ours.shape is not None, f"{op.type}: rank {tensor.shape.rank}"
            assert len(ours.shape) == tensor.shape.rank, f"{op.type}: {ours} is {tensor.shape}"
            for mine, theirs in zip(ours.shape, tensor.shape, strict=True):
                assert theirs in (None, mine), f"{op.type}: {ours} is {tensor.shape}"


def _as_computed(graph: tf.Graph, known: Known, feed) -> None:
    """What is known of shapes and entries is what comes out of a run."""
    wanted = [
        tensor
        for op in graph.get_operations()
        for tensor in op.outputs
        if tensor.dtype not in (tf.resource, tf.variant)
    ]
    with tf.compat.v1.Session(graph=graph) as session:
        if handles := [op for op in graph.get_operations() if op.type == "VarHandleOp"]:
            with graph.as_default():
                starts = [_started(op) for op in handles]
            session.run(starts)
        results = session.run(wanted, feed)
    for tensor, result in zip(wanted, results, strict=True):
        ours = known[tensor.name]
        actual = np.asarray(result)
        if ours.shape is not None:
            assert len(ours.shape) == actual.ndim, f"{tensor.op.type}: {ours} is {actual.shape}"
            for mine, theirs in zip(ours.shape, actual.shape, strict=True):
                assert mine in (None, theirs), f"{tensor.op.type}: {ours} is {actual.shape}"
        if ours.value is not None:
            assert len(ours.value) == actual.size, f"{tensor.op.type}: {ours} is {actual}"
            for mine, theirs in zip(ours.value, actual.flat, strict=True):
                assert mine in (None, theirs), f"{tensor.op.type}: {ours} is {actual}"


def _started(handle: tf.Operation) -> tf.Operation:
    shape, dtype = _variable_shape(handle), handle.get_attr("dtype")
    return tf.raw_ops.AssignVariableOp(resource=handle.outputs[0], value=tf.zeros(shape, dtype))


def content(shape, dtype) -> np.ndarray:
    """Some numbers of that shape; small whole ones, so that they can be indices."""
    kind = dtype.as_numpy_dtype
    if dtype == tf.string:
        return np.full(shape, b"text", object)
    if dtype.is_bool:
        return _RANDOM.integers(0, 2, shape).astype(bool)
    return _RANDOM.integers(0, 2, shape).astype(kind)


def seeded(seed: int) -> random.Random:
    return random.Random(seed)  # noqa: S311 (nothing secret)
