"""Activations: operations per element, as counted elsewhere for the ops they are made of."""

from __future__ import annotations

from tfprof.analyses.keras_layers.rule import Call, Cost, Variable, axes_of, layer, whole
from tfprof.model.dims import Size

# a sigmoid and a tanh are 4, a softmax 5, an exponential or a comparison 1
_PER_ELEMENT = {
    "linear": 0, "relu": 1, "relu6": 1, "leaky_relu": 1, "elu": 1, "selu": 1, "celu": 1,
    "softplus": 1, "softsign": 1, "exponential": 1, "threshold": 1, "hard_shrink": 1,
    "soft_shrink": 2, "hard_tanh": 2, "clip": 2, "sparse_plus": 3, "sparse_sigmoid": 3,
    "log_sigmoid": 2, "hard_sigmoid": 4, "sigmoid": 4, "tanh": 4, "squareplus": 4,
    "hard_silu": 5, "hard_swish": 5, "silu": 5, "swish": 5, "gelu": 5, "glu": 5,
    "tanh_shrink": 5, "softmax": 5, "log_softmax": 5, "mish": 6,
}  # fmt: skip
_LAYERS = {
    "ReLU": "relu", "LeakyReLU": "leaky_relu", "ELU": "elu", "Softmax": "softmax",
    "PReLU": "relu",
}  # fmt: skip


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


def activation_work(value: object, elements: Size) -> tuple[Size | None, str]:
    """The operations of an activation, or None and why."""
    name = activation_name(value)
    factor = _PER_ELEMENT.get(name)
    return (None, f"Unknown activation {name}") if factor is None else (elements * factor, "")


def with_activation(call: Call, work: Size, elements: Size) -> tuple[Size | None, str]:
    """The work of a layer together with that of its activation."""
    more, note = activation_work(call.config.get("activation"), elements)
    return (None, note) if more is None else (work + more, "")


@layer("Activation")
def _activation(call: Call) -> Cost:
    x = call.x
    work, note = with_activation(call, 0, x.elements)
    shape = x.shape
    if activation_name(call.config.get("activation")) == "glu":
        shape = (*shape[:-1], shape[-1] // 2)
    return call.cost(call.made(*shape), work=work, note=note)


@layer("ReLU LeakyReLU ELU Softmax")
def _fixed(call: Call) -> Cost:
    work, note = activation_work(_LAYERS[call.class_name], call.x.elements)
    return call.cost(call.made(*call.x.shape), work=work, note=note)


@layer("PReLU")
def _prelu(call: Call) -> Cost:
    shape = call.x.shape
    shared = call.config.get("shared_axes")
    over = axes_of(shared, len(shape)) if shared else []
    alpha = tuple(
        1 if axis in over else whole(size, "a dimension of alpha")
        for axis, size in enumerate(shape)
        if axis
    )
    work = call.x.elements * 2
    return call.cost(call.made(*shape), variables=[Variable("alpha", alpha)], work=work)
