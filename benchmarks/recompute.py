"""What recomputation saves in real runs, next to what the static what-if predicts.

    python benchmarks/recompute.py [--quick] [--runs N]

Needs Keras. A plan is built by the user's means, which are `tf.recompute_grad` or
`keras.RematScope` or a wrapper with control dependencies, and by copying ops in the GraphDef
exactly as the plan says. Sessions run with Grappler off, traced in full; the peak is the highest
running sum of what was allocated and freed, the median of some steps. `simulated` is what we say
of the plain graph and of the one that was built. Differences are in percentage points of the peak
of the plain step; the losses of the steps must be those of the plain ones.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from statistics import median

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import keras
import tensorflow as tf
from _memory_models import Model, as_written, built, fetched, initializers, peak_of, value_for

from tfprof.analyses.cost.op_costs import op_costs
from tfprof.analyses.graph.subgraph import subgraph
from tfprof.analyses.inference.sites import Given
from tfprof.analyses.memory.program import MODELS, Program, program
from tfprof.analyses.memory.recompute import recomputed
from tfprof.analyses.memory.recompute_plans import Plan, Planner
from tfprof.analyses.memory.schedule import simulate
from tfprof.sources.find.load import Request, read_one

v1 = tf.compat.v1
layers = keras.layers
Block = Callable[..., tf.Tensor]
Wrapper = Callable[[Block], Block]

LOSS, STEP = "total", "step"
AGAIN = "again/"
WORKERS = 2
GOAL = 1.0
SAME_LOSS = 1e-3
UNET_SCOPES = r"^unet/(left|across|right)\d"
UNET_BATCH, UNET_SIZE, UNET_FILTERS, UNET_LEVELS = 4, 188, 16, 2
RESIDUAL_SCOPES = r"^residual\w*/block\d"
RESIDUAL_BATCH, RESIDUAL_SHAPE = 16, (64, 64, 3)
RESIDUAL_BLOCKS = ((16, 1), (16, 1), (32, 2), (32, 1), (64, 2), (64, 1))
MOBILENET_BATCH, MOBILENET_SHAPE = 16, (96, 96, 3)
CLASSES = 10


@dataclass(frozen=True)
class Graph:
    """A training step in a file, with a table of the variables that it is given."""

    model: Model
    path: Path
    table: Path | None = None

    @property
    def batch(self) -> int:
        return self.model.batches[0]

    def program(self) -> Program:
        named = {"vars": [self.table]} if self.table is not None else {}
        data = read_one(Request([self.path], named))
        costs = op_costs(data, subgraph(data), Given({"B": self.batch}))
        return program(costs, data.graph, MODELS["cpu-tf"])

    def run(self, runs: int) -> Run:
        graph, inputs = built(self.model, self.path, self.table, self.batch)
        fetches = fetched(self.model, graph)
        peaks, losses = [], []
        with graph.as_default(), v1.Session(graph=graph, config=as_written()) as session:
            tf.random.set_seed(1)
            session.run(initializers(graph))
            feeds = {tensor: value_for(tensor) for tensor in inputs}
            options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
            for _ in range(runs):
                trace = v1.RunMetadata()
                losses.append(float(session.run(fetches, feeds, options, trace)[0]))
                peaks.append(peak_of(trace))
        return Run(peaks, losses)


@dataclass(frozen=True)
class Run:
    """Peaks of some steps, and their losses."""

    peaks: list[int]
    losses: list[float]

    @property
    def peak(self) -> int:
        return int(median(self.peaks))

    def __str__(self) -> str:
        spread = (max(self.peaks) - min(self.peaks)) / self.peak
        return f"{self.peak:,} ({spread:.1%})"

    def is_like(self, other: Run) -> bool:
        pairs = zip(self.losses, other.losses, strict=True)
        return all(math.isclose(one, two, rel_tol=SAME_LOSS) for one, two in pairs)


def flops_of(made: Program) -> int:
    costs = (step.op.cost for step in made.steps)
    return sum(int(cost.flops) for cost in costs if cost)


class Subject:
    """A plain training step: its plans are built, run and held against it."""

    def __init__(self, name: str, plain: Graph, runs: int) -> None:
        self.name, self.plain, self.runs = name, plain, runs
        self.planner = Planner(plain.program(), plain.batch)
        self.measured = plain.run(runs)
        self.flops = flops_of(self.planner.made)

    def row(self, plan: Plan, how: str, graph: Graph) -> str:
        plain, found, scored = self.measured, graph.run(self.runs), self.planner.score(plan)
        saved = 100 * (1 - found.peak / plain.peak)
        predicted = 100 * (1 - scored.peak / self.planner.before)
        mark = "" if abs(saved - predicted) <= GOAL else " (!)"
        made = graph.program()
        as_built = simulate(made, WORKERS, graph.batch).peak
        return (
            f"| {self.name} | {plan.name} | {how} | {plain} | {found} | {saved:.2f}% "
            f"| {predicted:.2f}% | {saved - predicted:+.2f}{mark} "
            f"| {self.planner.before:,} | {as_built:,} "
            f"| {scored.extra_flops / self.flops:+.1%} | {flops_of(made) / self.flops - 1:+.1%} "
            f"| {'yes' if found.is_like(plain) else 'NO'} |"
        )

    def rewritten(self, plan: Plan) -> str:
        return self.row(plan, "ops copied", copied(self.plain, self.planner, plan))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one model, to try the script out")
    parser.add_argument(
        "--runs", type=int, default=5, metavar="N", help="steps, of each the median"
    )
    given = parser.parse_args()
    print(
        "| model | plan | how built | before (spread) | after (spread) | saved | predicted ", end=""
    )
    print("| difference | simulated: before | as built | extra FLOPs | as built | same loss |")
    print("|---|---|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as folder:
        tables = (unet_in_session,)
        if not given.quick:
            tables += (unet_in_function, residual_net, mobilenet)
        for table in tables:
            for line in table(Path(folder), given.runs):
                print(line, flush=True)


# a plan as a graph


def copied(plain: Graph, planner: Planner, plan: Plan) -> Graph:
    """The plain graph with ops run again: inputs and gates as in the rewritten program."""
    made = planner.made.steps
    again = recomputed(planner.halves, plan.dropped)
    definition = v1.GraphDef.FromString(plain.path.read_bytes())
    nodes = {node.name: node for node in definition.node}
    names = [step.name for step in made]
    copies = [(number, group) for group in again.groups for number in group.members]
    names += [AGAIN + made[number].name for number, _ in copies]
    for place, (number, group) in enumerate(copies, len(made)):
        node = definition.node.add()
        node.CopyFrom(nodes[made[number].name])
        node.name = names[place]
        data = [one for one in node.input if not one.startswith("^")]
        node.input[:] = data + [f"^{names[one]}" for one in group.gate]
        nodes[node.name] = node
    for place, step in enumerate(again.program.steps):
        original = made[place if place < len(made) else copies[place - len(made)][0]]
        for port, (old, new) in enumerate(zip(original.reads, step.reads, strict=True)):
            if old != new:
                node = nodes[names[place]]
                maker, colon, output = node.input[port].partition(":")
                assert maker == names[old[0]], (node.name, maker)
                node.input[port] = f"{names[new[0]]}{colon}{output}"
    path = plain.path.with_name(f"{plain.path.name.partition('.')[0]}_again.graph.pb")
    path.write_bytes(definition.SerializeToString())
    return Graph(plain.model, path, plain.table)


def behind_gradient(block: Block) -> Block:
    """Runs a block again, once the gradient of its result is there."""

    @tf.custom_gradient
    def wrapped(*inputs: tf.Tensor) -> tuple[tf.Tensor, Callable]:
        def backward(gradient: tf.Tensor, variables: tuple = ()) -> tuple[list, list]:
            with tf.GradientTape() as tape:
                with tf.control_dependencies([gradient]):
                    again = [tf.identity(one) for one in inputs]
                sources = [*again, *variables]
                tape.watch(sources)
                result = block(*again)
            found = tape.gradient(result, sources, gradient)
            return found[: len(again)], found[len(again) :]

        return block(*inputs), backward

    return wrapped


WRAPPERS: dict[str, Wrapper] = {
    "`tf.recompute_grad`": tf.recompute_grad,
    "control dependencies": behind_gradient,
}


# a U-Net, in a session and in a function


class Convolutions:
    """A block: two convolutions; on the way up, of what comes from below and from the side."""

    def __init__(self, name: str, channels: int, filters: int, *, goes_up: bool = False) -> None:
        self.name = self.__name__ = name
        self.up = self._weights("up", 2, 2, filters, 2 * filters) if goes_up else None
        self.first = self._weights("first", 3, 3, channels, filters), self._bias("first", filters)
        self.second = self._weights("second", 3, 3, filters, filters), self._bias("second", filters)

    def _weights(self, name: str, *shape: int) -> tf.Variable:
        value = tf.random.stateless_normal(shape, (1, 2)) / 10
        return v1.Variable(value, use_resource=True, name=f"{self.name}_{name}")

    def _bias(self, name: str, size: int) -> tf.Variable:
        return v1.Variable(tf.zeros(size), use_resource=True, name=f"{self.name}_{name}_bias")

    @property
    def variables(self) -> list[tf.Variable]:
        return [*([] if self.up is None else [self.up]), *self.first, *self.second]

    def __call__(self, below: tf.Tensor, beside: tf.Tensor | None = None) -> tf.Tensor:
        with tf.name_scope(self.name):
            if beside is not None:
                below = tf.nn.conv2d_transpose(below, self.up, beside.shape, 2)
                below = tf.concat([beside, below], -1)
            for weights, bias in (self.first, self.second):
                below = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(below, weights, 1, "SAME"), bias))
            return below


class UNet:
    """The network, its blocks wrapped."""

    def __init__(self, wrap: Wrapper) -> None:
        filters = [UNET_FILTERS << level for level in range(UNET_LEVELS + 1)]
        down, up = range(UNET_LEVELS), range(UNET_LEVELS)
        left = [Convolutions(f"left{at}", filters[at - 1] if at else 1, filters[at]) for at in down]
        across = Convolutions("across0", filters[-2], filters[-1])
        right = [
            Convolutions(f"right{at}", 2 * filters[at], filters[at], goes_up=True) for at in up
        ]
        self.out = v1.Variable(tf.ones((1, 1, filters[0], 2)), use_resource=True, name="out")
        blocks = (*left, across, *right)
        self.variables = [*(one for block in blocks for one in block.variables), self.out]
        self.left, self.right = [wrap(one) for one in left], [wrap(one) for one in right]
        self.across = wrap(across)

    def loss(self, image: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        with tf.name_scope("unet"):
            beside, flow = [], image
            for block in self.left:
                beside.append(block(flow))
                flow = tf.nn.max_pool2d(beside[-1], 2, 2, "VALID", name="pool")
            flow = self.across(flow)
            for block in reversed(self.right):
                flow = block(flow, beside.pop())
            logits = tf.nn.conv2d(flow, self.out, 1, "SAME", name="logits")
        each = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
        return tf.reduce_mean(each, name="loss")


UNET_SPECS = [
    tf.TensorSpec((UNET_BATCH, UNET_SIZE, UNET_SIZE, channels), name=name)
    for channels, name in ((1, "image"), (2, "labels"))
]


def unet_in_session(folder: Path, runs: int) -> Iterator[str]:
    yield from unet("U-Net, session", session_graph, folder, runs)


def unet_in_function(folder: Path, runs: int) -> Iterator[str]:
    yield from unet("U-Net, tf.function", function_graph, folder, runs)


def unet(
    name: str, graph: Callable[[Wrapper, Path], Graph], folder: Path, runs: int
) -> Iterator[str]:
    subject = Subject(name, graph(lambda block: block, folder / "plain.graph.pb"), runs)
    plan = subject.planner.scopes(UNET_SCOPES)
    for how, wrapper in WRAPPERS.items():
        yield subject.row(plan, how, graph(wrapper, folder / "wrapped.graph.pb"))
    yield subject.rewritten(plan)
    yield subject.rewritten(subject.planner.cheap_ops())


def session_graph(wrap: Wrapper, path: Path) -> Graph:
    with tf.Graph().as_default() as graph:
        inputs = [v1.placeholder(one.dtype, one.shape, one.name) for one in UNET_SPECS]
        loss = UNet(wrap).loss(*inputs)
        v1.train.GradientDescentOptimizer(1e-6).minimize(loss, name=STEP)
        tf.identity(loss, name=LOSS)
    path.write_bytes(graph.as_graph_def().SerializeToString())
    return Graph(Model((), (UNET_BATCH,), (LOSS, STEP)), path)


def function_graph(wrap: Wrapper, path: Path) -> Graph:
    net = UNet(wrap)

    def step(image: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = net.loss(image, labels)
        for variable, gradient in zip(
            net.variables, tape.gradient(loss, net.variables), strict=True
        ):
            variable.assign_sub(1e-6 * gradient)
        return tf.identity(loss, name=LOSS)

    return traced(step, UNET_SPECS, path)


def traced(step: Callable[..., tf.Tensor], specs: list[tf.TensorSpec], path: Path) -> Graph:
    graph = tf.function(step, autograph=False).get_concrete_function(*specs).graph
    path.write_bytes(graph.as_graph_def().SerializeToString())
    held = {
        inside.op.name: outside._handle_data.shape_and_type[0]
        for outside, inside in graph.captures
        if outside.dtype == tf.resource
    }
    table = path.with_name(f"{path.name.partition('.')[0]}_vars.json")
    table.write_text(
        json.dumps(
            {
                name: [tf.TensorShape(one.shape).as_list(), tf.as_dtype(one.dtype).name]
                for name, one in held.items()
            }
        )
    )
    writes = [
        op.name
        for op in graph.get_operations()
        if op.type.startswith("Assign") or op.type.startswith("ResourceApply")
    ]
    return Graph(Model((), (specs[0].shape[0],), (LOSS, *writes)), path, table)


# Keras models


@keras.saving.register_keras_serializable("benchmarks")
class Residual(layers.Layer):
    """A block as one layer: only whole layers can be run again."""

    def __init__(self, filters: int, strides: int, **kwargs: object) -> None:
        super().__init__(**kwargs)
        same = {"padding": "same", "use_bias": False}
        self.way = keras.Sequential(
            [
                layers.Conv2D(filters, 3, strides, **same),
                layers.BatchNormalization(),
                layers.ReLU(),
                layers.Conv2D(filters, 3, **same),
                layers.BatchNormalization(),
            ]
        )
        self.short = layers.Conv2D(filters, 1, strides) if strides > 1 else layers.Identity()

    def build(self, shape: tuple[int, ...]) -> None:
        self.way.build(shape)
        self.short.build(shape)

    def call(self, inputs: tf.Tensor) -> tf.Tensor:
        # stated: while gradients are computed, nobody knows any more that this is training
        return keras.ops.relu(self.way(inputs, training=True) + self.short(inputs))


def residual_net(folder: Path, runs: int) -> Iterator[str]:
    names = [f"block{at}" for at in range(len(RESIDUAL_BLOCKS))]
    scope = keras.RematScope(mode="list_of_layers", layer_names=names)
    subject = Subject("Keras residual net", residual(nullcontext(), folder / "k.graph.pb"), runs)
    plan = subject.planner.scopes(RESIDUAL_SCOPES)
    yield subject.row(plan, "`keras.RematScope`", residual(scope, folder / "remat.graph.pb"))
    yield subject.rewritten(plan)
    yield subject.rewritten(subject.planner.cheap_ops())


def residual(scope: AbstractContextManager, path: Path) -> Graph:
    with scope:
        flow = image = keras.Input(RESIDUAL_SHAPE)
        flow = layers.Conv2D(RESIDUAL_BLOCKS[0][0], 3, padding="same", name="stem")(flow)
        for at, (filters, strides) in enumerate(RESIDUAL_BLOCKS):
            flow = Residual(filters, strides, name=f"block{at}")(flow)
        logits = layers.Dense(CLASSES, name="head")(layers.GlobalAveragePooling2D()(flow))
    return trained(keras.Model(image, logits, name="residual"), RESIDUAL_BATCH, path)


def mobilenet(folder: Path, runs: int) -> Iterator[str]:
    model = keras.applications.MobileNetV2(
        MOBILENET_SHAPE, 0.35, weights=None, classes=CLASSES, classifier_activation=None
    )
    plain = trained(model, MOBILENET_BATCH, folder / "mobilenet.graph.pb")
    subject = Subject("Keras MobileNetV2", plain, runs)
    planner = subject.planner
    yield subject.rewritten(planner.cheap_ops())
    yield subject.rewritten(min(planner.blocks(), key=lambda plan: planner.score(plan).peak))


def trained(model: keras.Model, batch: int, path: Path) -> Graph:
    optimizer = keras.optimizers.SGD(1e-3)
    optimizer.build(model.trainable_variables)
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)

    def step(images: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(images, training=True))
        weights = model.trainable_variables
        optimizer.apply(tape.gradient(loss, weights), weights)
        return tf.identity(loss, name=LOSS)

    shape = (batch, *model.inputs[0].shape[1:])
    return traced(step, [tf.TensorSpec(shape), tf.TensorSpec((batch,), tf.int32)], path)


if __name__ == "__main__":
    main()
