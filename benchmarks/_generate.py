"""Makes a training graph of any size, and the record of a run of it; needs no TensorFlow.

The graph is a chain of convolution layers, each with what TensorFlow puts around one: variables
with their initializers, batch normalisation, gradients, momentum. A seed gives the same bytes on
every machine.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from _messages import BY_HAND, Enum, Field, Fields, Layout, Packed, framed, wire

FLOAT, INT32 = Enum(1, "DT_FLOAT"), Enum(3, "DT_INT32")
Dims = tuple[int, ...]

_SEED = 20
_BATCH = 32
_VERSIONS: Fields = (Field(4, "versions", (Field(1, "producer", 1882),)),)
_JOB = "/job:localhost/replica:0/task:0"


class Attribute:
    """One attribute of a node. Many nodes share one, so what is written of it is kept."""

    __slots__ = ("_texts", "key", "value", "wire")

    def __init__(self, key: str, *value: Field) -> None:
        self.key = key
        self.value = value
        self.wire = framed(5, wire((Field(1, "key", key), Field(2, "value", value))))
        self._texts: dict[int, str] = {}

    def text(self, layout: Layout) -> str:
        found = self._texts.get(id(layout))
        if found is None:
            entry = (Field(1, "key", self.key), Field(2, "value", self.value))
            found = layout.text((Field(5, "attr", entry),), 1)
            self._texts[id(layout)] = found
        return found


class Node(NamedTuple):
    """A NodeDef, and the shape of its first output for the record of a run."""

    name: str
    op: str
    inputs: tuple[str, ...]
    device: str
    attributes: list[Attribute]
    dims: Dims

    @property
    def runs_each_step(self) -> bool:
        """Initializers ran once, before."""
        return "/Initializer/" not in self.name and self.op not in ("Assign", "Const")

    def head(self) -> Fields:
        """All fields but the attributes."""
        inputs = [Field(3, "input", name) for name in self.inputs]
        device = [Field(4, "device", self.device)] if self.device else []
        return (Field(1, "name", self.name), Field(2, "op", self.op), *inputs, *device)


# --- attributes ---


def _tensor_shape(dims: Dims) -> Fields:
    # a size of 0 is what a dimension has unless it says so
    return tuple(Field(2, "dim", (Field(1, "size", size),) if size else ()) for size in dims)


@cache
def _type(key: str, dtype: Enum = FLOAT) -> Attribute:
    return Attribute(key, Field(6, "type", dtype))


@cache
def _number(key: str, value: int) -> Attribute:
    return Attribute(key, Field(3, "i", value))


@cache
def _real(key: str, value: float) -> Attribute:
    return Attribute(key, Field(4, "f", value))


@cache
def _on(key: str) -> Attribute:
    return Attribute(key, Field(5, "b", value=True))


@cache
def _off(key: str) -> Attribute:
    return Attribute(key, Field(5, "b", value=False))


@cache
def _word(key: str, value: str) -> Attribute:
    return Attribute(key, Field(2, "s", value))


@cache
def _numbers(key: str, *values: int) -> Attribute:
    return Attribute(key, Field(1, "list", (Field(3, "i", Packed(values)),) if values else ()))


@cache
def _shape(dims: Dims) -> Attribute:
    return Attribute("shape", Field(7, "shape", _tensor_shape(dims)))


@cache
def _output_shapes(*outputs: Dims) -> Attribute:
    shapes = tuple(Field(7, "shape", _tensor_shape(dims)) for dims in outputs)
    return Attribute("_output_shapes", Field(1, "list", shapes))


@lru_cache(maxsize=16)
def _beside(name: str) -> Attribute:
    """`_class`: must be on the device of that node. Every variable has its own."""
    return Attribute("_class", Field(1, "list", (Field(2, "s", f"loc:@{name}"),)))


def _tensor(dtype: Enum, dims: Dims, *content: Field) -> Attribute:
    tensor = (Field(1, "dtype", dtype), Field(2, "tensor_shape", _tensor_shape(dims)), *content)
    return Attribute("value", Field(8, "tensor", tensor))


@cache
def _filled(value: float, dims: Dims = ()) -> Attribute:
    """A tensor of one number, which is written once."""
    return _tensor(FLOAT, dims, Field(5, "float_val", Packed([value])))


@cache
def _shape_tensor(dims: Dims) -> Attribute:
    content = struct.pack(f"<{len(dims)}i", *dims)
    return _tensor(INT32, (len(dims),), Field(4, "tensor_content", content))


# --- layers ---


@dataclass(frozen=True, slots=True)
class Layer:
    """One convolution with everything that belongs to it."""

    name: str
    source: str
    device: str
    kernel: Dims
    side: int
    stride: int

    @property
    def image(self) -> Dims:
        return (_BATCH, self.side, self.side, self.kernel[3])

    @property
    def image_before(self) -> Dims:
        side = self.side * self.stride
        return (_BATCH, side, side, self.kernel[2])

    @property
    def channel(self) -> Dims:
        return self.kernel[3:]


def _layers(count: int) -> Iterator[Layer]:
    chance = random.Random(_SEED)  # noqa: S311
    source, channels, side = "images", 3, 224
    for row in range(count):
        tower, block, conv = row // 960, row // 3 % 320, row % 3
        if row % 960 == 0:
            source, channels, side = "images", 3, 224
        stride = 2 if row % 120 == 0 and side > 7 else 1
        side //= stride
        outputs = chance.choice((64, 128, 256, 384, 512))
        kernel = (*chance.choice(((1, 1), (3, 3), (3, 3), (5, 5))), channels, outputs)
        # half of the towers were placed by hand
        device = f"/gpu:{tower // 2 % 2}" if tower % 2 == 0 else ""
        name = f"tower{tower}/block{block}/conv{conv}"
        yield Layer(name, source, device, kernel, side, stride)
        source, channels = f"{name}/Relu", outputs


class _Nodes(list[Node]):
    """Nodes that grow, and the few ways to add one."""

    def __init__(self, device: str) -> None:
        super().__init__()
        self._device = device

    def add(
        self, name: str, op: str, inputs: Iterable[str], dims: Dims, *attributes: Attribute
    ) -> str:
        sorted_attributes = sorted(attributes, key=_key)
        self.append(Node(name, op, tuple(inputs), self._device, sorted_attributes, dims))
        return name

    def constant(self, name: str, value: Attribute, dtype: Enum, dims: Dims) -> str:
        return self.add(name, "Const", (), dims, _type("dtype", dtype), value, _output_shapes(dims))

    def variable(self, name: str, initial: str, dims: Dims) -> None:
        outputs, place = _output_shapes(dims), _beside(name)
        held = (_word("container", ""), _word("shared_name", ""), _type("dtype"), _shape(dims))
        self.add(name, "VariableV2", (), dims, place, outputs, *held)
        checks = (_on("use_locking"), _on("validate_shape"))
        self.add(f"{name}/Assign", "Assign", (name, initial), dims, _T, place, outputs, *checks)
        self.add(f"{name}/read", "Identity", (name,), dims, _T, place, outputs)

    def vector(self, name: str, value: float, dims: Dims) -> None:
        """A variable that starts as the same number everywhere."""
        word = "ones" if value else "zeros"
        initial = self.constant(f"{name}/Initializer/{word}", _filled(value, dims), FLOAT, dims)
        self.variable(name, initial, dims)

    def kept(self, scope: str, gradient: str, after: str, dims: Dims, beside: str) -> str:
        """A gradient that waits for the others of its op."""
        name = f"{scope}/tuple/{after}"
        inputs = (gradient, f"^{scope}/tuple/group_deps")
        return self.add(name, "Identity", inputs, dims, _T, _beside(beside), _output_shapes(dims))


def _key(attribute: Attribute) -> str:
    return attribute.key


_T = _type("T")
_NHWC = _word("data_format", "NHWC")
_EPSILON = (_real("epsilon", 0.001), _on("is_training"), _type("U"))
_VECTORS = (("biases", 0.0), ("norm/gamma", 1.0), ("norm/beta", 0.0))


def _convolution(layer: Layer) -> tuple[Attribute, ...]:
    return (
        _T,
        _NHWC,
        _numbers("dilations", 1, 1, 1, 1),
        _numbers("explicit_paddings"),
        _word("padding", "SAME"),
        _numbers("strides", 1, layer.stride, layer.stride, 1),
        _on("use_cudnn_on_gpu"),
    )


def _forward(layer: Layer) -> list[Node]:
    nodes = _Nodes(layer.device)
    name, image, channel = layer.name, layer.image, layer.channel
    _weights(nodes, layer)
    for vector, value in _VECTORS:
        nodes.vector(f"{name}/{vector}", value, channel)
    outputs = _output_shapes(image)
    inputs = (layer.source, f"{name}/weights/read")
    conv = nodes.add(f"{name}/Conv2D", "Conv2D", inputs, image, outputs, *_convolution(layer))
    inputs = (conv, f"{name}/biases/read")
    biased = nodes.add(f"{name}/BiasAdd", "BiasAdd", inputs, image, _T, _NHWC, outputs)
    empty = [
        nodes.constant(f"{name}/norm/Const{end}", _tensor(FLOAT, (0,)), FLOAT, (0,))
        for end in ("", "_1")
    ]
    normal = nodes.add(
        f"{name}/norm/FusedBatchNormV3",
        "FusedBatchNormV3",
        (biased, f"{name}/norm/gamma/read", f"{name}/norm/beta/read", *empty),
        image,
        _output_shapes(image, channel, channel, channel, channel, channel),
        *(_T, _NHWC, *_EPSILON),
    )
    nodes.add(f"{name}/Relu", "Relu", (normal,), image, _T, outputs)
    return nodes


def _weights(nodes: _Nodes, layer: Layer) -> None:
    """The filters and their random start."""
    weights, dims = f"{layer.name}/weights", layer.kernel
    start = f"{weights}/Initializer/random_uniform"
    outputs, place = _output_shapes(dims), _beside(weights)
    shape = nodes.constant(f"{start}/shape", _shape_tensor(dims), INT32, (4,))
    low = nodes.constant(f"{start}/min", _filled(-0.0625), FLOAT, ())
    high = nodes.constant(f"{start}/max", _filled(0.0625), FLOAT, ())
    seeds = (_number("seed", 0), _number("seed2", 0))
    drawn = nodes.add(
        f"{start}/RandomUniform",
        "RandomUniform",
        (shape,),
        dims,
        *(_type("T", INT32), _type("dtype"), place, outputs, *seeds),
    )
    spread = nodes.add(f"{start}/sub", "Sub", (high, low), (), _T, place, _output_shapes(()))
    scaled = nodes.add(f"{start}/mul", "Mul", (drawn, spread), dims, _T, place, outputs)
    nodes.add(start, "AddV2", (scaled, low), dims, _T, place, outputs)
    nodes.variable(weights, start, dims)


def _backward(layer: Layer) -> list[Node]:
    nodes = _Nodes(layer.device)
    name, image, channel = layer.name, layer.image, layer.channel
    scope = f"gradients/{name}"
    outputs = _output_shapes(image)
    # the sum stands for what the layer after this one sends back
    sent = (f"{scope}/AddN", f"{name}/Relu")
    nodes.add(sent[0], "AddN", (f"{name}/Relu",), image, _T, _number("N", 1), outputs)
    relu = nodes.add(f"{scope}/Relu_grad/ReluGrad", "ReluGrad", sent, image, _T, outputs)
    normal = f"{name}/norm/FusedBatchNormV3"
    gradient = nodes.add(
        f"{scope}/norm/FusedBatchNormV3_grad/FusedBatchNormGradV3",
        "FusedBatchNormGradV3",
        (relu, f"{name}/BiasAdd", f"{name}/norm/gamma/read",
         f"{normal}:3", f"{normal}:4", f"{normal}:5"),
        image,
        _output_shapes(image, channel, channel, (0,), (0,)),
        *(_T, _NHWC, *_EPSILON),
    )  # fmt: skip
    batch = f"{scope}/norm/FusedBatchNormV3_grad"
    nodes.add(f"{batch}/tuple/group_deps", "NoOp", (f"^{gradient}",), ())
    for port, dims in enumerate((image, channel, channel)):
        end = f"_{port}" if port else ""
        sent_on = f"{gradient}:{port}" if port else gradient
        nodes.kept(batch, sent_on, f"control_dependency{end}", dims, gradient)
    kept = f"{batch}/tuple/control_dependency"
    bias = f"{scope}/BiasAdd_grad"
    summed = nodes.add(
        f"{bias}/BiasAddGrad", "BiasAddGrad", (kept,), channel, _T, _NHWC, _output_shapes(channel)
    )
    nodes.add(f"{bias}/tuple/group_deps", "NoOp", (f"^{summed}", f"^{kept}"), ())
    nodes.kept(bias, kept, "control_dependency", image, gradient)
    nodes.kept(bias, summed, "control_dependency_1", channel, summed)
    _convolution_gradients(nodes, layer)
    return nodes


def _convolution_gradients(nodes: _Nodes, layer: Layer) -> None:
    name, scope = layer.name, f"gradients/{layer.name}/Conv2D_grad"
    read, kept = f"{name}/weights/read", f"gradients/{name}/BiasAdd_grad/tuple/control_dependency"
    shapes = nodes.add(
        f"{scope}/ShapeN",
        "ShapeN",
        (layer.source, read),
        (4,),
        *(_T, _number("N", 2), _type("out_type", INT32), _output_shapes((4,), (4,))),
    )
    made = []
    for kind, inputs, dims in (
        ("Input", (shapes, read, kept), layer.image_before),
        ("Filter", (layer.source, f"{shapes}:1", kept), layer.kernel),
    ):
        op = f"Conv2DBackprop{kind}"
        attributes = (_output_shapes(dims), *_convolution(layer))
        made.append((nodes.add(f"{scope}/{op}", op, inputs, dims, *attributes), dims))
    nodes.add(f"{scope}/tuple/group_deps", "NoOp", [f"^{gradient}" for gradient, _ in made], ())
    for (gradient, dims), end in zip(made, ("", "_1"), strict=True):
        nodes.kept(scope, gradient, f"control_dependency{end}", dims, gradient)


def _update(layer: Layer) -> list[Node]:
    nodes = _Nodes(layer.device)
    scope = f"gradients/{layer.name}"
    batch = f"{scope}/norm/FusedBatchNormV3_grad/tuple/control_dependency"
    gradients = {
        "weights": (f"{scope}/Conv2D_grad/tuple/control_dependency_1", layer.kernel),
        "biases": (f"{scope}/BiasAdd_grad/tuple/control_dependency_1", layer.channel),
        "norm/gamma": (f"{batch}_1", layer.channel),
        "norm/beta": (f"{batch}_2", layer.channel),
    }
    for end, (gradient, dims) in gradients.items():
        name = f"{layer.name}/{end}"
        nodes.vector(f"{name}/Momentum", 0.0, dims)
        nodes.add(
            f"Momentum/update_{name}/ApplyMomentum",
            "ApplyMomentum",
            (name, f"{name}/Momentum", "learning_rate", gradient, "momentum"),
            dims,
            *(_T, _beside(name), _output_shapes(dims)),
            *(_off("use_locking"), _off("use_nesterov")),
        )
    return nodes


# --- graphs ---


def nodes(count: int) -> Iterator[Node]:
    """Exactly `count` nodes: all layers that fit, and constants of a saver for the rest."""
    shared = _shared()
    yield from shared[:count]
    each = sum(len(part(next(_layers(1)))) for part in (_forward, _backward, _update))
    layers, rest = divmod(max(0, count - len(shared)), each)
    for part in (_forward, _backward, _update):
        for layer in _layers(layers):
            yield from part(layer)
    saver = _Nodes("")
    for row in range(rest):
        saver.constant(f"save/Const_{row}", _filled(0.0), FLOAT, ())
    yield from saver


def _shared() -> list[Node]:
    found = _Nodes("")
    dims = (_BATCH, 224, 224, 3)
    found.add("images", "Placeholder", (), dims, _type("dtype"), _shape(dims), _output_shapes(dims))
    for name, value in (("learning_rate", 0.1), ("momentum", 0.9)):
        found.constant(name, _filled(value), FLOAT, ())
    return found


def graph(made: Iterable[Node]) -> Iterator[bytes]:
    """A binary GraphDef, a piece a node."""
    for node in made:
        attributes = [attribute.wire for attribute in node.attributes]
        yield framed(1, wire(node.head()) + b"".join(attributes))
    yield wire(_VERSIONS)


def graph_text(made: Iterable[Node], layout: Layout) -> Iterator[bytes]:
    """The same as text, a piece a node; by hand, nodes have a line and a comment each."""
    end = f"  # {'-' * 8}\n" if layout is BY_HAND else ""
    for node in made:
        attributes = [attribute.text(layout) for attribute in node.attributes]
        inside = layout.text(node.head(), 1) + "".join(attributes)
        yield (layout.message("node", inside, 0) + end).encode()
    yield layout.text(_VERSIONS).encode()


def save(path: Path, pieces: Iterable[bytes]) -> Path:
    with path.open("wb") as file:
        file.writelines(pieces)
    return path


# --- runs ---

_START = 1_794_766_586_026_942
_DEVICES = (f"{_JOB}/device:GPU:0", f"{_JOB}/device:CPU:0")
_ALLOCATORS = ("GPU_0_bfc", "cpu")
# what the runtime adds to a graph
_EXTRAS = ("_SOURCE", "_SINK", "edge_5_images", "edge_9_momentum", "_arg_images_0_0")


def run_metadata(made: Iterable[Node], records: int) -> Iterator[bytes]:
    """A binary RunMetadata of `records` executions; a short graph runs several times over."""
    chance = random.Random(_SEED)  # noqa: S311
    executed = [node for node in made if node.runs_each_step]
    extras = [Node(name, "NoOp", (), "", [], ()) for name in _EXTRAS]
    on_device: list[list[bytes]] = [[] for _ in _DEVICES]
    for row in range(records):
        # spread over the whole graph
        stride = max(1, len(executed) // records)
        node = extras[row] if row < len(extras) else executed[row * stride % len(executed)]
        place = int(node.op == "NoOp" or chance.random() < 0.2)
        on_device[place].append(framed(2, wire(_record(node, place, row, chance))))
    devices = [
        framed(1, wire((Field(1, "device", name),)) + b"".join(found))
        for name, found in zip(_DEVICES, on_device, strict=True)
    ]
    yield framed(1, b"".join(devices))


def _record(node: Node, place: int, row: int, chance: random.Random) -> Fields:
    """The NodeExecStats of one execution."""
    start = _START + 7 * row
    before, took, after = chance.randrange(1, 9), chance.randrange(1, 4000), chance.randrange(1, 30)
    held = 4
    for size in node.dims:
        held *= size
    memory: Fields = ()
    output: Fields = ()
    if node.op != "NoOp" and held:
        allocator = _ALLOCATORS[place]
        if chance.random() < 0.6:
            memory = (Field(6, "memory", _memory(allocator, held, start + before)),)
        output = (Field(7, "output", _output(node.dims, allocator, held, row)),)
    label = f"{node.name} = {node.op}({', '.join(node.inputs)})"
    return (
        Field(1, "node_name", node.name),
        Field(2, "all_start_micros", start),
        Field(3, "op_start_rel_micros", before),
        Field(4, "op_end_rel_micros", before + took),
        Field(5, "all_end_rel_micros", before + took + after),
        *memory,
        *output,
        Field(8, "timeline_label", label),
        Field(9, "scheduled_micros", start - 20),
        Field(10, "thread_id", chance.randrange(1, 9)),
        Field(12, "memory_stats", (Field(1, "temp_memory_size", held // 2),) if memory else ()),
        Field(13, "all_start_nanos", 1000 * start),
        Field(14, "op_start_rel_nanos", 1000 * before),
        Field(15, "op_end_rel_nanos", 1000 * (before + took)),
        Field(16, "all_end_rel_nanos", 1000 * (before + took + after)),
        Field(17, "scheduled_nanos", 1000 * (start - 20)),
    )


def _memory(allocator: str, held: int, at: int) -> Fields:
    changes = ((at, held), (at + 50, -held))
    records = [
        Field(
            6, "allocation_records", (Field(1, "alloc_micros", when), Field(2, "alloc_bytes", by))
        )
        for when, by in changes
    ]
    return (
        Field(1, "allocator_name", allocator),
        Field(2, "total_bytes", held + held // 2),
        Field(3, "peak_bytes", held),
        Field(4, "live_bytes", held),
        Field(5, "allocator_bytes_in_use", 40 * held),
        *records,
    )


def _output(dims: Dims, allocator: str, held: int, row: int) -> Fields:
    allocation = (
        Field(1, "requested_bytes", held),
        Field(2, "allocated_bytes", (held + 255) // 256 * 256),
        Field(3, "allocator_name", allocator),
        Field(4, "allocation_id", row + 1),
        Field(5, "has_single_reference", value=True),
        Field(6, "ptr", 0x7FC8_0000_0000 + 256 * row),
    )
    described = (
        Field(1, "dtype", FLOAT),
        Field(2, "shape", _tensor_shape(dims)),
        Field(4, "allocation_description", allocation),
    )
    return (Field(3, "tensor_description", described),)
