"""Layers around another layer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfprof.keras_layers.layer import SCALAR, Layer, number, numbers, shape_of
from tfprof.keras_layers.recurrent import once
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.sizes import Unknown, axis_of, count
from tfprof.ops.rule import Tensor
from tfprof.sources.keras.calls import calls_of

# calls of layers that are written out step by step; more of them are one call with a larger batch
_MOST_CALLS = 1_000
_MERGES = {"sum": "AddV2", "ave": "AddV2", "mul": "Mul"}


# --- in every step


@layer("TimeDistributed")
def _time_distributed(call: Layer) -> Made:
    """The wrapped layer, once for each step."""
    entry, x = call.config.get("layer"), call.x
    steps, inner = call.shape[1], call.shape[2:]
    turned = call.transposed(x, 1, 0, *range(2, len(inner) + 2))
    if isinstance(steps, int) and 0 < steps * _size(entry) <= _MOST_CALLS:
        each = [_in_step(call, entry, turned, place) for place in range(steps)]
        made = [
            call.op("Pack", *parts, shape=(steps, *shape_of(parts[0])))
            for parts in zip(*each, strict=True)
        ]
    else:
        batch = count(call.shape[:2])
        flat = call.wrapped(entry, call.reshaped(turned, batch, *inner))
        front = (steps, call.shape[0])
        made = [call.reshaped(one, *front, *shape_of(one)[1:]) for one in flat]
    return [call.transposed(one, 1, 0, *range(2, len(shape_of(one)))) for one in made]


def _in_step(call: Layer, entry: object, x: Tensor, place: int) -> list[Tensor]:
    corners = (numbers(place),) * 3
    one = call.op("StridedSlice", x, *corners, shape=shape_of(x)[1:])
    # each step has names of its own, but the variables are those of the layer
    step = call.part(call.class_name, call.config, one)
    step.name = f"{call.name}/{place}"
    with once(call, counted=not place):
        return step.wrapped(entry, one)


def _size(entry: object) -> int:
    """How many layers there are in what is wrapped."""
    return max(1, len(calls_of(entry).calls)) if isinstance(entry, dict) else 1


# --- there and back


@layer("Bidirectional")
def _bidirectional(call: Layer) -> Made:
    forward = call.config.get("layer") or call.config.get("forward_layer")
    backward = call.config.get("backward_layer") or _turned(forward)
    x, *states = call.inputs
    half = len(states) // 2
    there, *left = call.wrapped(forward, x, *states[:half], name="forward", mask=call.mask)
    back, *right = call.wrapped(backward, x, *states[half:], name="backward", mask=call.mask)
    if _config(forward).get("return_sequences"):
        back = call.op("ReverseV2", back, numbers(1), shape=shape_of(back))
    return [*_merged(call, there, back), *left, *right]


def _config(entry: object) -> Mapping[str, object]:
    found = entry.get("config") if isinstance(entry, dict) else None
    return found if isinstance(found, dict) else {}


def _turned(entry: object) -> object:
    """The same layer, from the end to the start."""
    if not isinstance(entry, dict):
        return entry
    config = _config(entry)
    return {**entry, "config": {**config, "go_backwards": not config.get("go_backwards")}}


def _merged(call: Layer, there: Tensor, back: Tensor) -> Sequence[Tensor]:
    mode = call.config.get("merge_mode", "concat")
    if mode is None:
        return [there, back]
    if mode == "concat":
        axis = axis_of(-1, len(shape_of(there)))
        return [call.op("ConcatV2", there, back, number(axis))]
    made = call.each(_MERGES.get(mode, "AddV2"), there, back)
    return [call.each("RealDiv", made, SCALAR) if mode == "ave" else made]


# --- with a kernel of norm 1


@layer("SpectralNormalization")
def _spectral(call: Layer) -> Made:
    """At inference the wrapped layer alone: its kernel was divided while it was trained."""
    held = len(call.sheet.variables)
    outputs = call.wrapped(call.config.get("layer"), *call.inputs)
    names = [f"{call.within}{name}" for name in ("kernel", "embeddings")]
    kernels = [one for one in call.sheet.variables[held:] if one.name in names]
    if not kernels:
        raise Unknown("the layer to normalise has no kernel")
    kernel, width = kernels[0], kernels[0].shape[-1]
    if not call.training:
        call.declare("vector_u", (1, width), trained=False)
        return outputs
    vector = call.weight("vector_u", (1, width), trained=False)
    with once(call, counted=False):
        name = kernel.name.removeprefix(call.within)
        weights = call.weight(name, kernel.shape, trained=kernel.trained)
    _divided(call, weights, vector)
    return outputs


def _divided(call: Layer, kernel: Tensor, vector: Tensor) -> None:
    """The kernel by its norm, which a vector comes nearer to in every step."""
    *front, width = shape_of(kernel)
    matrix = call.reshaped(kernel, count(front), width)
    other = vector
    for _ in range(call.integer("power_iterations", 1)):
        other = _of_length_1(call, call.op("MatMul", vector, call.transposed(matrix, 1, 0)))
        vector = _of_length_1(call, call.op("MatMul", other, matrix))
    norm = call.op("MatMul", call.op("MatMul", other, matrix), call.transposed(vector, 1, 0))
    scaled = call.op("RealDiv", kernel, norm, shape=shape_of(kernel))
    for made in (vector, scaled):
        call.ops("AssignVariableOp", made, outputs=[])


def _of_length_1(call: Layer, x: Tensor) -> Tensor:
    total = call.op("Sum", call.each("Square", x), numbers(0, 1), shape=(1, 1))
    return call.each("Mul", x, call.each("Minimum", call.each("Rsqrt", total), SCALAR))
