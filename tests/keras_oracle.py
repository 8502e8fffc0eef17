"""Keras models traced as users trace them, and our shapes held against TensorFlow's.

What TensorFlow wrote down is put aside before our rules see the graph, so that they cannot read it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import keras
import numpy as np
import tensorflow as tf

from tfprof.analyses.inference.engine import infer
from tfprof.api.anything import data_of_live
from tfprof.live.objects import LiveGraph, live_graph
from tfprof.model.dims import Open, at
from tfprof.model.graph import as_shape
from tfprof.model.profile import ProfileData

STATED = "_output_shapes"
_ASIDE = "_shapes_put_aside"


@dataclass(frozen=True, slots=True)
class Tally:
    """How our shapes compare with TensorFlow's; `open` are tensors with a size unknown to us."""

    tensors: int
    differ: list[str] = field(default_factory=list)
    open: list[str] = field(default_factory=list)
    without_rule: list[str] = field(default_factory=list)


def forward(model: keras.Model, **sizes: int):
    """A prediction as a concrete function; `batch=3` and `open=7` fix what is None."""
    return tf.function(lambda given: model(given, training=False)).get_concrete_function(
        specs(model.inputs, sizes)
    )


def training(model: keras.Model, **sizes: int):
    """One step of a loop that a user wrote: a tape, a loss, Adam."""
    if not model.compiled:
        model.compile(optimizer="adam")  # the model keeps it, else its variables would be gone
    optimizer = model.optimizer
    optimizer.build(model.trainable_variables)

    def train_step(given, wanted):
        with tf.GradientTape() as tape:
            made = tf.nest.flatten(model(given, training=True))
            loss = tf.add_n(
                [
                    tf.reduce_mean(keras.losses.mean_squared_error(right, one))
                    for one, right in zip(made, wanted, strict=True)
                ]
            )
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    return tf.function(train_step).get_concrete_function(
        specs(model.inputs, sizes), tf.nest.flatten([specs(model.outputs, sizes)])
    )


def specs(tensors: Sequence, sizes: Mapping[str, int]):
    specs = []
    for number, tensor in enumerate(tensors):
        first, *rest = tensor.shape
        shape = (
            sizes.get("batch") if first is None else first,
            *(sizes.get("open") if size is None else size for size in rest),
        )
        specs.append(tf.TensorSpec(shape, tensor.dtype, f"given_{number}"))
    return specs[0] if len(specs) == 1 else specs


@dataclass(frozen=True, slots=True)
class Exported:
    definition: tf.compat.v1.GraphDef
    data: ProfileData


def exported(function) -> Exported:
    """As `live` hands it over, but with TensorFlow's shapes under a name that nobody asks for."""
    live = live_graph(function)
    definition = tf.compat.v1.GraphDef.FromString(live.data)
    bodies = [one.node_def for one in definition.library.function]
    for node in [*definition.node, *(node for body in bodies for node in body)]:
        if STATED in node.attr:
            node.attr[_ASIDE].CopyFrom(node.attr.pop(STATED))
    data = data_of_live(LiveGraph(definition.SerializeToString(), live.variables))
    return Exported(definition, data)


def tally(data: ProfileData) -> Tally:
    """Every tensor of every op, those inside functions included."""
    found = Tally(0)
    count = 0
    for site in infer(data).sites:
        if site.rule is None and site.op not in _ENGINE_ITSELF:
            found.without_rule.append(site.op)
        stated = site.call.attributes.get(_ASIDE)
        theirs = [] if stated is None else [as_shape(one) for one in stated.list.shape]
        for port in range(max(len(theirs), len(site.call.outputs))):
            count += 1
            ours = site.call.output(port)
            known = theirs[port] if port < len(theirs) else None
            text = f"{site.name}:{port} ({site.op}) {ours} is {known}"
            if ours is None or None in ours:
                found.open.append(text)
            if port < len(theirs) and not agrees(ours, known):
                found.differ.append(text)
    return Tally(count, found.differ, found.open, found.without_rule)


_ENGINE_ITSELF = frozenset({
    "Placeholder", "PlaceholderV2", "PlaceholderWithDefault", "While", "StatelessWhile", "If",
    "StatelessIf", "Case", "StatelessCase", "PartitionedCall", "StatefulPartitionedCall", "_Arg",
    "_Retval",
})  # fmt: skip


def agrees(ours: Open, theirs: Open) -> bool:
    """What TensorFlow knows we know, and the same."""
    if theirs is None:
        return True
    if ours is None or len(ours) != len(theirs):
        return False
    return all(size in (None, mine) for mine, size in zip(ours, theirs, strict=True))


def differ_in_a_run(made: Exported, sizes: Mapping[str, int]) -> list[str]:
    """The very graph run with these sizes: tensors that come out other than our formulas say."""
    ours = {
        f"{site.name}:{port}": (site.op, tensor.shape)
        for site in infer(made.data).sites
        for port, tensor in enumerate(site.call.outputs)
    }
    shapes = {
        name: shape and tuple(None if size is None else at(size, sizes) for size in shape)
        for name, (_, shape) in ours.items()
    }
    with tf.Graph().as_default() as graph:
        tensors, handles = _imported(made)
        starts = [
            tf.raw_ops.AssignVariableOp(resource=handle, value=tf.zeros(held.shape, held.dtype))
            for handle, held in handles
        ]
        feed = {
            tensor: np.ones(shapes[tensor.name], tensor.dtype.as_numpy_dtype)
            for tensor in tensors
            if tensor.op.type == "Placeholder"
        }
        with tf.compat.v1.Session(graph=graph) as session:
            session.run(starts)
            results = session.run(tensors, feed)
    met = {one.name: np.shape(result) for one, result in zip(tensors, results, strict=True)}
    assert len(met) > len(ours) / 3  # what is inside functions is not fetched
    return [
        f"{name} ({ours[name][0]}) {ours[name][1]} is {shape}"
        for name, shape in met.items()
        if shapes.get(name) != shape
    ]


def _imported(exported: Exported) -> tuple[list[tf.Tensor], list[tuple[tf.Tensor, Any]]]:
    """All tensors of numbers in the graph, and the variables it reads with what they hold."""
    declared = exported.data.declared.variables
    handles = {
        name: tf.raw_ops.VarHandleOp(
            dtype=held.dtype, shape=held.shape, shared_name=f"held_{number}"
        )
        for number, (name, held) in enumerate(declared.items())
    }
    in_place = {f"{name}:0": handle for name, handle in handles.items()}
    names = [node.name for node in exported.definition.node]
    ops = tf.graph_util.import_graph_def(exported.definition, in_place, names, "")
    tensors = [
        tensor
        for op in ops
        for tensor in op.outputs
        if tensor.dtype not in (tf.resource, tf.variant)
    ]
    return tensors, [(handle, declared[name]) for name, handle in handles.items()]
