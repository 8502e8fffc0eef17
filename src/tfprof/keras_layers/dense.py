"""Dense layers and embeddings."""

from __future__ import annotations

import re

from tfprof.keras_layers.activations import activated
from tfprof.keras_layers.layer import SCALAR, Layer, is_floating, number, shape_of
from tfprof.keras_layers.products import dot, einsum
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.sizes import Unknown, whole
from tfprof.model.dims import Size
from tfprof.ops.rule import BOOL, INT32, Tensor

_QUANTISED = ("int8", "int4", "gptq", "awq", "float8")


def kernel(call: Layer, *shape: int, name: str = "kernel") -> Tensor:
    """The kernel, with what LoRA adds to it once it is frozen."""
    policy = call.config.get("dtype")
    while isinstance(policy, dict):
        inner = policy.get("config")
        policy = inner.get("name", inner.get("mode")) if isinstance(inner, dict) else None
    if isinstance(policy, str) and policy.startswith(_QUANTISED):
        raise Unknown(f"{call.class_name} is quantised ({policy})")
    rank = call.config.get("lora_rank")
    if not rank:
        return call.weight(name, shape)
    frozen = call.weight(name, shape, trained=False)
    a = call.weight(f"lora_{name}_a", (*shape[:-1], int(rank)))
    b = call.weight(f"lora_{name}_b", (int(rank), shape[-1]))
    return call.each("AddV2", frozen, call.each("Mul", dot(call, a, b), SCALAR))


def finished(call: Layer, x: Tensor, units: int) -> Tensor:
    """With bias and activation."""
    if call.flag("use_bias", absent=True):
        x = call.op("BiasAdd", x, call.weight("bias", (units,)), data_format=_layout(call, x))
    return activated(call, x, call.config.get("activation"))


def _layout(call: Layer, x: Tensor) -> str:
    return "NCHW" if call.channels_first and len(shape_of(x)) > 2 else "NHWC"


@layer("Dense")
def _dense(call: Layer) -> Made:
    units = call.integer("units")
    features = whole(call.shape[-1], "the last dimension")
    return finished(call, dot(call, call.x, kernel(call, features, units)), units)


@layer("EinsumDense")
def _einsum_dense(call: Layer) -> Made:
    sizes, (taken, held, given) = einsum_letters(call)
    weights = kernel(call, *(whole(sizes[one], "a dimension of the kernel") for one in held))
    equation = f"{taken},{held}->{given}"
    if "." in call.text("equation"):
        made = call.op("Einsum", call.x, weights, equation=equation)
    else:
        made = einsum(call, equation, call.x, weights)
    axes = call.text("bias_axes")
    if axes:
        first = min(given.index(letter) for letter in axes)
        shape = [
            whole(sizes[letter], "a dimension of the bias") if letter in axes else 1
            for letter in given[first:]
        ]
        added = call.weight("bias", shape)
        made = (
            call.op("BiasAdd", made, added) if len(shape) == 1 else call.each("AddV2", made, added)
        )
    return activated(call, made, call.config.get("activation"))


_EQUATION = re.compile(
    r"(\.\.\.)?([a-zA-Z]+)(\.\.\.)?,([a-zA-Z]+)->(?:\.\.\.)?([a-zA-Z]+)(?:\.\.\.)?"
)


def einsum_letters(call: Layer) -> tuple[dict[str, Size], tuple[str, str, str]]:
    """Each letter's size, and the letters of input, kernel and output; dots become letters."""
    equation = call.text("equation").replace(" ", "")
    match = _EQUATION.fullmatch(equation)
    if match is None:
        raise Unknown(f"the equation {equation!r} is not one of a dense layer")
    left, taken, right, held, given = match.groups()
    unused = _unused(equation, len(call.shape) - len(taken))
    if left:
        taken, given = unused + taken, unused + given
    elif right:
        taken, given = taken + unused, given + unused
    if len(taken) != len(call.shape):
        raise Unknown(f"the equation {equation!r} does not fit {len(call.shape)} dimensions")
    sizes: dict[str, Size] = dict(zip(taken, call.shape, strict=True))
    stated = call.config.get("output_shape")
    stated = [stated] if isinstance(stated, int) else list(stated or [])
    # what is stated leaves out the batch, and all that the dots stand for
    ending = given[: len(given) - len(unused)] if right else given
    tail = ending[len(ending) - len(stated) :]
    for letter, size in zip(tail, stated, strict=True):
        if size is not None and letter not in sizes:
            sizes[letter] = int(size)
    return sizes, (taken, held, given)


def _unused(equation: str, wanted: int) -> str:
    letters = (one for one in "ZYXWVUTSRQPONMLKJIHGFEDCBA" if one not in equation)
    return "".join(one for one, _ in zip(letters, range(wanted), strict=False))


@layer("Embedding")
def _embedding(call: Layer) -> Made:
    return _looked_up(call, _table(call))


def _table(call: Layer) -> Tensor:
    return kernel(call, call.integer("input_dim"), call.integer("output_dim"), name="embeddings")


def _looked_up(call: Layer, table: Tensor) -> Tensor:
    """Rows below zero count from the end."""
    rows = call.x
    if is_floating(rows.dtype):
        rows = call.op("Cast", rows, dtype=INT32)
    below = call.each("Less", rows, SCALAR, dtype=BOOL)
    rows = call.each("SelectV2", below, call.each("AddV2", rows, SCALAR), rows, dtype=rows.dtype)
    return call.op("GatherV2", table, rows, number(0), dtype=table.dtype)


@layer("ReversibleEmbedding")
def _reversible(call: Layer) -> Made:
    rows, width = call.integer("input_dim"), call.integer("output_dim")
    table = _table(call)
    tied = call.flag("tie_weights", absent=True)
    if not call.argument("reverse", 1):
        if not tied:
            call.declare("reverse_embeddings", (width, rows))
        return _looked_up(call, table)
    turned = (
        call.transposed(table, 1, 0) if tied else call.weight("reverse_embeddings", (width, rows))
    )
    logits = dot(call, call.x, turned)
    if call.config.get("logit_soft_cap") is None:
        return logits
    bounded = call.each("Tanh", call.each("RealDiv", logits, SCALAR))
    return call.each("Mul", bounded, SCALAR)
