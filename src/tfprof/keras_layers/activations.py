"""Activations, as the ops that Keras makes of them on TensorFlow."""

from __future__ import annotations

from dataclasses import replace

from tfprof.keras_layers.layer import SCALAR, Layer, number, shape_of
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.sizes import axes_of, whole
from tfprof.ops.gradient_rules import CUSTOM
from tfprof.ops.rule import BOOL, Tensor

# Ops with what they read: `x` is what came in, `#` a number, digits are results from 0 on.
_STEPS = {
    "linear": "", "relu": "Relu x", "relu6": "Relu6 x", "elu": "Elu x", "selu": "Selu x",
    "leaky_relu": "LeakyRelu x", "softplus": "Softplus x", "softsign": "Softsign x",
    "sigmoid": "Sigmoid x", "tanh": "Tanh x", "softmax": "Softmax x",
    "log_softmax": "LogSoftmax x", "exponential": "Exp x",
    "log_sigmoid": "Neg x, Softplus 0, Neg 1",
    "mish": "Softplus x, Tanh 0, Mul x 1",
    "tanh_shrink": "Tanh x, Sub x 0",
    "hard_tanh": "Minimum x #, Maximum 0 #",
    "hard_sigmoid": "AddV2 x #, Relu6 0, RealDiv 1 #",
    "hard_silu": "AddV2 x #, Relu6 0, RealDiv 1 #, Mul x 2",
    "gelu": "Mul # x, Neg x, Mul 1 #, Erfc 2, Mul 0 3",
    "celu": "Maximum x #, Minimum x #, RealDiv 1 #, Expm1 2, Mul # 3, AddV2 0 4",
    "squareplus": "Square x, AddV2 0 #, Sqrt 1, AddV2 x 2, RealDiv 3 #",
    "threshold": "Greater x #, SelectV2 0 x #",
    "hard_shrink": "Abs x, Greater 0 #, ZerosLike x, SelectV2 1 x 2",
    "soft_shrink": "Greater x #, Sub x #, Less x #, AddV2 x #, ZerosLike x, SelectV2 2 3 4,"
                   " SelectV2 0 1 5",
    "sparse_plus": "LessEqual x #, ZerosLike x, Less x #, AddV2 x #, Pow 3 #, Mul # 4,"
                   " SelectV2 2 5 x, SelectV2 0 1 6",
    "sparse_sigmoid": "LessEqual x #, GreaterEqual x #, AddV2 x #, Mul # 2, SelectV2 1 # 3,"
                      " SelectV2 0 # 4",
}  # fmt: skip
_STEPS["hard_swish"] = _STEPS["hard_silu"]
_COMPARE = frozenset({"Greater", "GreaterEqual", "Less", "LessEqual"})
# of layer classes that are an activation
_LAYERS = {
    "ReLU": "relu", "LeakyReLU": "leaky_relu", "ELU": "elu", "Softmax": "softmax",
    "PReLU": "relu",
}  # fmt: skip
_SIX = 6


def activation_name(value: object) -> str:
    """The function in a config: a name, or an object that is one."""
    while isinstance(value, dict):
        inner = value.get("config")
        if value.get("class_name") == "function" or isinstance(inner, str):
            value = inner
        else:
            kind = str(value.get("class_name", "?"))
            nested = inner.get("activation") if isinstance(inner, dict) else None
            value = _LAYERS.get(kind, kind) if nested is None else nested
    return "linear" if value is None else str(value)


def activated(call: Layer, x: Tensor, function: object) -> Tensor:
    """With the function of a config; one that is not known is an op without a count."""
    name = activation_name(function)
    special = _SPECIAL.get(name)
    if special is not None:
        return special(call, x)
    steps = _STEPS.get(name)
    if steps is not None:
        return stepwise(call, x, steps)
    call.unknown(f"Unknown activation {name}")
    return call.op(f"keras.{name}", x, shape=shape_of(x))


def stepwise(call: Layer, x: Tensor, steps: str) -> Tensor:
    """Element-wise ops in the notation of the table above."""
    made: list[Tensor] = []
    for step in steps.split(","):
        op, *reads = step.split() or [""]
        if op:
            inputs = [
                x if one == "x" else SCALAR if one == "#" else made[int(one)] for one in reads
            ]
            made.append(call.each(op, *inputs, dtype=BOOL if op in _COMPARE else x.dtype))
    return made[-1] if made else x


def _silu(call: Layer, x: Tensor) -> Tensor:
    """Keras brings a gradient of its own for it."""
    made = stepwise(call, x, "Mul # x, Sigmoid 0, Mul x 1")
    outputs = [Tensor(made.shape, made.dtype), Tensor(x.shape, x.dtype)]
    return call.ops("IdentityN", made, x, outputs=outputs, attributes={CUSTOM: "silu"})[0]


def _glu(call: Layer, x: Tensor) -> Tensor:
    """One half of the channels as a gate for the other."""
    *front, width = shape_of(x)
    half = Tensor((*front, width // 2), x.dtype)
    one, other = call.ops("Split", number(-1), x, outputs=[half, replace(half)], num_split=2)
    return call.each("Mul", one, call.each("Sigmoid", other))


_SPECIAL = {"silu": _silu, "swish": _silu, "glu": _glu}


@layer("Activation")
def _activation(call: Layer) -> Made:
    return activated(call, call.x, call.config.get("activation"))


@layer("ReLU")
def _relu(call: Layer) -> Made:
    limit = call.config.get("max_value")
    if limit is None:
        return call.each("LeakyRelu" if call.config.get("negative_slope") else "Relu", call.x)
    if limit == _SIX:
        return call.each("Relu6", call.x)
    return call.each("Minimum", call.each("Relu", call.x), SCALAR)


@layer("LeakyReLU ELU Softmax")
def _fixed(call: Layer) -> Made:
    return activated(call, call.x, _LAYERS[call.class_name])


@layer("PReLU")
def _prelu(call: Layer) -> Made:
    shared = call.config.get("shared_axes")
    over = axes_of(shared, len(call.shape)) if shared else []
    alpha = call.weight("alpha", [
        1 if axis in over else whole(size, "a dimension of alpha")
        for axis, size in enumerate(call.shape)
        if axis
    ])  # fmt: skip
    negative = call.each("Relu", call.each("Neg", call.x))
    scaled = call.each("Mul", call.each("Neg", alpha), negative)
    return call.each("AddV2", call.each("Relu", call.x), scaled)
