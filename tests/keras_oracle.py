"""Keras models traced as users trace them, and our shapes held against TensorFlow's.

What TensorFlow wrote down is put aside before our rules see the graph, so that they cannot read it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import keras
import tensorflow as tf

from tfprof.analyses.inference.engine import infer
from tfprof.api.anything import data_of_live
from tfprof.live.objects import live_graph
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
        _specs(model.inputs, sizes)
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
            loss = tf.add_n([
                tf.reduce_mean(keras.losses.mean_squared_error(right, one))
                for one, right in zip(made, wanted, strict=True)
            ])
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply(gradients, model.trainable_variables)
        return loss

    return tf.function(train_step).get_concrete_function(
        _specs(model.inputs, sizes), tf.nest.flatten([_specs(model.outputs, sizes)])
    )


def _specs(tensors: Sequence, sizes: Mapping[str, int]):
    specs = []
    for number, tensor in enumerate(tensors):
        first, *rest = tensor.shape
        shape = (
            sizes.get("batch") if first is None else first,
            *(sizes.get("open") if size is None else size for size in rest),
        )
        specs.append(tf.TensorSpec(shape, tensor.dtype, f"given_{number}"))
    return specs[0] if len(specs) == 1 else specs


def exported(function) -> ProfileData:
    """As `live` hands it over, but with TensorFlow's shapes under a name that nobody asks for."""
    live = live_graph(function)
    definition = tf.compat.v1.GraphDef.FromString(live.data)
    bodies = [one.node_def for one in definition.library.function]
    for node in [*definition.node, *(node for body in bodies for node in body)]:
        if STATED in node.attr:
            node.attr[_ASIDE].CopyFrom(node.attr.pop(STATED))
    return data_of_live(type(live)(definition.SerializeToString(), live.variables))


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


@dataclass(frozen=True, slots=True)
class AtSizes:
    """Our formulas with numbers put in, next to a trace with these numbers."""

    compared: int
    tensors: int
    differ: list[str]

    @property
    def share(self) -> float:
        return self.compared / self.tensors


def at_sizes(data: ProfileData, function, sizes: Mapping[str, int]) -> AtSizes:
    """Tensors of numbers that both traces have under one name.

    With a size known TensorFlow leaves helpers out, which shifts the names of the rest: constants
    and whole numbers are helpers.
    """
    theirs = {
        tensor.name: tensor
        for op in function.graph.get_operations()
        for tensor in op.outputs
        if op.type != "Const" and tensor.dtype.is_floating
    }
    differ, compared = [], 0
    for site in infer(data).sites:
        for port, tensor in enumerate(site.call.outputs):
            other = theirs.get(f"{site.name}:{port}")
            if other is None or other.op.type != site.op or other.shape.rank is None:
                continue
            compared += 1
            shape = tensor.shape
            settled = shape and tuple(None if one is None else at(one, sizes) for one in shape)
            if not agrees(settled, tuple(other.shape)):
                differ.append(f"{site.name}:{port} ({site.op}) {shape} is {other.shape}")
    return AtSizes(compared, len(theirs), differ)
