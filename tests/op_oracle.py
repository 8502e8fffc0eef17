"""One op in a graph of TensorFlow's, and the same op as our rules see it.

    four = Batch(4)
    node = Node("Conv2D", Given(four, 8, 8, 3), Given(3, 3, 3, 16), strides=[1, 1, 1, 1], ...)
    check(node)

`check` compares shapes and data types with what TensorFlow infers: as they are, with the batch
open, and with the batch as a symbol that is replaced again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tensorflow as tf
from tensorflow.python.framework import op_def_library, op_def_registry

from tfprof.analyses.memory.program import LAST_CACHE
from tfprof.model.dims import BATCH, at, symbol
from tfprof.ops.rule import Call, Tensor, rules

v1 = tf.compat.v1


class Batch(int):
    """A number that may be replaced by a symbol, or left open."""


class Given:
    """An input: a shape, or the value of a constant (whole numbers may hold a `Batch`)."""

    def __init__(self, *shape: int | None, dtype: Any = "float32", value: Any = None) -> None:
        self.shape: Sequence[int | None] | None = shape
        self.dtype = tf.as_dtype(dtype)
        self.value = value
        if value is not None:
            array = np.array(value)
            self.shape = array.shape
            if dtype == "float32" and array.dtype.kind == "i":
                self.dtype = tf.int32

    @property
    def entries(self) -> list[Any]:
        """The value, flat, with what may be a `Batch` kept."""
        flat, waiting = [], [self.value]
        while waiting:
            one = waiting.pop(0)
            if isinstance(one, list | tuple | np.ndarray):
                waiting[:0] = list(one)
            else:
                flat.append(one)
        return flat


def whole(*entries: Any, dtype: Any = "int32") -> Given:
    """A constant vector of whole numbers."""
    return Given(value=list(entries), dtype=dtype)


class Node:
    """`inputs` in the order of the op's definition; a list for an argument that is one."""

    def __init__(self, op: str, *inputs: Given | list[Given], **attributes: Any) -> None:
        self.op, self.inputs, self.attributes = op, inputs, attributes

    @property
    def flat(self) -> list[Given]:
        return [one for each in self.inputs for one in (each if isinstance(each, list) else [each])]

    @property
    def batch(self) -> int | None:
        sizes = [size for one in self.flat for size in (*(one.shape or ()), *one.entries)]
        return next((int(size) for size in sizes if isinstance(size, Batch)), None)

    @property
    def has_batch_in_a_value(self) -> bool:
        return any(isinstance(entry, Batch) for one in self.flat for entry in one.entries)

    def built(self, *, open_batch: bool = False) -> tf.Operation:
        """The node in a new graph of TensorFlow's."""
        definition = op_def_registry.get(self.op)
        assert definition is not None, f"TensorFlow has no op {self.op}"
        with tf.Graph().as_default():
            fed = {
                argument.name: [_tensor(one, open_batch) for one in given]
                if isinstance(given, list)
                else _tensor(given, open_batch)
                for argument, given in zip(definition.input_arg, self.inputs, strict=True)
            }
            stated = _defaults(definition) | self.attributes
            made = op_def_library.apply_op(self.op, name="node", **fed, **stated)
            while isinstance(made, list | tuple):
                made = made[0]
            return made if isinstance(made, tf.Operation) else made.op

    def call(self, operation: tf.Operation, batch: Any = None) -> Call:
        """The node as our rules see it, outputs included; `batch` replaces the batch."""
        inputs = [_ours(one, batch) for one in self.flat]
        call = Call("node", self.op, inputs, lambda: dict(operation.node_def.attr))
        call.outputs = rules()[self.op].infer(call)
        return call


def _defaults(definition: Any) -> dict[str, Any]:
    """Attributes that have a default and that no input tells."""
    told = {
        name
        for argument in definition.input_arg
        for name in (argument.type_attr, argument.number_attr, argument.type_list_attr)
    }
    return {
        attribute.name: _plain(attribute.default_value)
        for attribute in definition.attr
        if attribute.HasField("default_value") and attribute.name not in told
    }


def _plain(value: Any) -> Any:
    kind = value.WhichOneof("value")
    if kind != "list":
        return getattr(value, kind)
    return next((list(entries) for _, entries in value.list.ListFields()), [])


def _tensor(given: Given, open_batch: bool) -> tf.Tensor:
    if given.value is not None:
        return tf.constant(given.value, given.dtype)
    shape = [None if open_batch and isinstance(size, Batch) else size for size in given.shape]
    return v1.placeholder(given.dtype, shape)


def _ours(given: Given, batch: Any) -> Tensor:
    def size(entry: Any) -> Any:
        if isinstance(entry, Batch) and batch is not None:
            return None if batch is OPEN else batch
        return None if entry is None else int(entry)

    shape = tuple(size(entry) for entry in given.shape)
    value = tuple(map(size, given.entries)) if given.value is not None else None
    if not given.dtype.is_integer:
        value = None
    return Tensor(shape, given.dtype.as_datatype_enum, value)


OPEN = object()


@dataclass(frozen=True)
class Checked:
    """What a test goes on with: the calls, whole and with the symbol, and TensorFlow's node."""

    call: Call
    symbolic: Call
    operation: tf.Operation

    def counted(self, what: str) -> Any:
        """MACs, work or scratch of the call, the same with the batch as a symbol put in again."""
        rule = rules()[self.call.op]
        if what == "scratch" and rule.cache_scratch is not None:
            return rule.cache_scratch(self.call, LAST_CACHE)
        count = getattr(rule, what)
        assert count is not None, f"{self.call.op} has no {what}"
        return count(self.call)


def outputs_of(operation: tf.Operation) -> list[tuple[list[int | None] | None, int]]:
    """TensorFlow's shapes and data types."""
    return [
        (None if one.shape.rank is None else one.shape.as_list(), one.dtype.as_datatype_enum)
        for one in operation.outputs
    ]


def check(node: Node, misjudged: Sequence[int] = ()) -> Checked:
    """`misjudged` are outputs that TensorFlow's shape function gets wrong: a run must tell."""
    rule = rules()[node.op]
    operation = node.built()
    call = node.call(operation)
    _compare(call, operation, misjudged)
    names = [argument.name for argument in op_def_registry.get(node.op).output_arg]
    assert len(names) == 1 or rule.outputs in ((), tuple(names))
    batch = node.batch
    if batch is None:
        return Checked(call, call, operation)
    if not node.has_batch_in_a_value:
        with_open = node.built(open_batch=True)
        _compare(node.call(with_open, OPEN), with_open, misjudged)
    symbolic = node.call(operation, symbol(BATCH))
    known = {BATCH: batch}
    for one, other in zip(call.outputs, symbolic.outputs, strict=True):
        assert one.dtype == other.dtype
        assert one.shape == _replaced(other.shape, known), (one.shape, other.shape)
    for count in (rule.macs, rule.work):
        if count is not None and (size := count(call)) is not None:
            other = count(symbolic)
            assert other is not None
            assert at(other, known) == size
    return Checked(call, symbolic, operation)


def _replaced(shape: Any, known: dict[str, int]) -> Any:
    if shape is None:
        return None
    return tuple(None if size is None else at(size, known) for size in shape)


def _compare(call: Call, operation: tf.Operation, misjudged: Sequence[int]) -> None:
    """Equal wherever TensorFlow knows; we may know more."""
    theirs = outputs_of(operation)
    assert len(call.outputs) == len(theirs), (call.op, len(call.outputs), theirs)
    for place, (ours, (shape, dtype)) in enumerate(zip(call.outputs, theirs, strict=True)):
        where = f"{call.op}:{place}: ours {ours.shape}, TensorFlow's {shape}"
        assert ours.dtype == dtype, where
        if shape is None or place in misjudged:
            continue
        assert ours.shape is not None, where
        assert len(ours.shape) == len(shape), where
        for mine, known in zip(ours.shape, shape, strict=True):
            assert known is None or mine == known, where


def run_on_ones(operation: tf.Operation) -> list[np.ndarray]:
    """The outputs, where every placeholder holds ones: a sum of products counts them."""
    with v1.Session(graph=operation.graph) as session:
        return session.run(list(operation.outputs), _ones(operation))


def _ones(operation: tf.Operation) -> dict[tf.Tensor, np.ndarray]:
    placeholders = [one for one in operation.graph.get_operations() if one.type == "Placeholder"]
    return {
        tensor: np.ones(tensor.shape.as_list(), tensor.dtype.as_numpy_dtype)
        for one in placeholders
        for tensor in one.outputs
    }


def scratch_of(operation: tf.Operation) -> int:
    """The bytes that a kernel allocated for itself alone, from a traced run."""
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    trace = v1.RunMetadata()
    config = v1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    outputs, fed = list(operation.outputs), _ones(operation)
    with v1.Session(graph=operation.graph, config=config) as session:
        session.run(outputs, fed, options=options, run_metadata=trace)
    return max(
        node.memory_stats.temp_memory_size
        for device in trace.step_stats.dev_stats
        for node in device.node_stats
        if node.node_name == operation.name
    )
