"""Dense layers and embeddings."""

from __future__ import annotations

import re

from tfprof.analyses.keras_layers.activations import with_activation
from tfprof.analyses.keras_layers.rule import Call, Cost, Unknown, Variable, count, layer, whole
from tfprof.model.dims import Size

_QUANTISED = ("int8", "int4", "gptq", "awq", "float8")


def kernel(call: Call, shape: tuple[int, ...], name: str = "kernel") -> list[Variable]:
    """The kernel, and what LoRA puts beside it once it is frozen."""
    policy = call.config.get("dtype")
    while isinstance(policy, dict):
        inner = policy.get("config")
        policy = inner.get("name", inner.get("mode")) if isinstance(inner, dict) else None
    if isinstance(policy, str) and policy.startswith(_QUANTISED):
        raise Unknown(f"{call.class_name} is quantised ({policy})")
    rank = call.config.get("lora_rank")
    if not rank:
        return [Variable(name, shape)]
    return [
        Variable(name, shape, trained=False),
        Variable(f"lora_{name}_a", (*shape[:-1], int(rank))),
        Variable(f"lora_{name}_b", (int(rank), shape[-1])),
    ]


def bias(call: Call, *shape: int) -> list[Variable]:
    return [Variable("bias", shape)] if call.flag("use_bias", absent=True) else []


@layer("Dense")
def _dense(call: Call) -> Cost:
    *left, features = call.x.shape
    units = call.integer("units")
    variables = kernel(call, (whole(features, "the last dimension"), units))
    added = bias(call, units)
    out = call.made(*left, units)
    work, note = with_activation(call, out.elements * len(added), out.elements)
    return call.cost(
        out, variables=variables + added, macs=out.elements * features, work=work, note=note
    )


@layer("EinsumDense")
def _einsum_dense(call: Call) -> Cost:
    sizes, letters = einsum_letters(call)
    taken, held, given = letters
    shape = tuple(sizes[letter] for letter in given)
    variables = kernel(call, tuple(whole(sizes[one], "a dimension of the kernel") for one in held))
    added = []
    axes = call.text("bias_axes")
    if axes:
        first = min(given.index(letter) for letter in axes)
        added = [
            Variable(
                "bias",
                tuple(
                    whole(sizes[letter], "a dimension of the bias") if letter in axes else 1
                    for letter in given[first:]
                ),
            )
        ]
    out = call.made(*shape)
    macs = count([sizes[letter] for letter in dict.fromkeys(taken + held + given)])
    work, note = with_activation(call, out.elements * len(added), out.elements)
    return call.cost(out, variables=variables + added, macs=macs, work=work, note=note)


_EQUATION = re.compile(
    r"(\.\.\.)?([a-zA-Z]+)(\.\.\.)?,([a-zA-Z]+)->(?:\.\.\.)?([a-zA-Z]+)(?:\.\.\.)?"
)


def einsum_letters(call: Call) -> tuple[dict[str, Size], tuple[str, str, str]]:
    """Each letter's size, and the letters of input, kernel and output; dots become digits."""
    equation = call.text("equation").replace(" ", "")
    match = _EQUATION.fullmatch(equation)
    if match is None:
        raise Unknown(f"the equation {equation!r} is not one of a dense layer")
    left, taken, right, held, given = match.groups()
    shape = call.x.shape
    dots = "".join(chr(0x3B1 + place) for place in range(len(shape) - len(taken)))
    if left:
        taken, given = dots + taken, dots + given
    elif right:
        taken, given = taken + dots, given + dots
    if len(taken) != len(shape):
        raise Unknown(f"the equation {equation!r} does not fit {len(shape)} dimensions")
    sizes: dict[str, Size] = dict(zip(taken, shape, strict=True))
    stated = call.config.get("output_shape")
    stated = [stated] if isinstance(stated, int) else list(stated or [])
    # what is stated leaves out the batch, and all that the dots stand for
    ending = given[: len(given) - len(dots)] if right else given
    tail = ending[len(ending) - len(stated) :]
    for letter, size in zip(tail, stated, strict=True):
        if size is not None and letter not in sizes:
            sizes[letter] = int(size)
    return sizes, (taken, held, given)


@layer("Embedding")
def _embedding(call: Call) -> Cost:
    rows, width = call.integer("input_dim"), call.integer("output_dim")
    return call.cost(
        call.made(*call.x.shape, width), variables=kernel(call, (rows, width), "embeddings")
    )


@layer("ReversibleEmbedding")
def _reversible(call: Call) -> Cost:
    rows, width = call.integer("input_dim"), call.integer("output_dim")
    variables = kernel(call, (rows, width), "embeddings")
    if not call.flag("tie_weights", absent=True):
        variables.append(Variable("reverse_embeddings", (width, rows)))
    if not call.argument("reverse", 1):
        return call.cost(call.made(*call.x.shape, width), variables=variables)
    out = call.made(*call.x.shape[:-1], rows)
    work = out.elements * 6 if call.config.get("logit_soft_cap") is not None else 0
    return call.cost(out, variables=variables, macs=out.elements * width, work=work)
