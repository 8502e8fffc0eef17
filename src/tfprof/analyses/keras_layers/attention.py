"""Attention: projections, scores of each query with each key, and the values they weigh."""

from __future__ import annotations

from dataclasses import dataclass, field

from tfprof.analyses.keras_layers.rule import (
    Call,
    Cost,
    Tensor,
    Unknown,
    Variable,
    axes_of,
    count,
    layer,
    tensors,
    whole,
)
from tfprof.model.dims import Size

_SOFTMAX = 5


def _query_value_key(call: Call) -> tuple[Tensor, Tensor, Tensor]:
    """The three tensors, by place or by name; the key is the value unless it is given."""
    named = dict(zip(("query", "value", "key"), call.args, strict=False)) | dict(call.kwargs)
    found = [tensors(named.get(name)) for name in ("query", "value", "key")]
    if not found[0] or not found[1]:
        raise Unknown(f"{call.class_name} is called without a query and a value")
    return found[0][0], found[1][0], (found[2] or found[1])[0]


@dataclass(slots=True)
class _Projections:
    """Dense layers from a tensor to heads and back; what they cost together."""

    biased: bool
    variables: list[Variable] = field(default_factory=list)
    macs: Size = 0
    work: Size = 0

    def add(self, name: str, places: Size, taken: tuple[int, ...], given: tuple[int, ...]) -> None:
        self.variables.append(Variable(f"{name}/kernel", taken + given))
        self.macs = self.macs + places * (count(taken) * count(given))
        if self.biased:
            self.variables.append(Variable(f"{name}/bias", given))
            self.work = self.work + places * count(given)


@layer("MultiHeadAttention")
def _multi_head(call: Call) -> Cost:
    query, value, key = _query_value_key(call)
    heads, width = call.integer("num_heads"), call.integer("key_dim")
    deep = call.config.get("value_dim") or width
    rank = len(query.shape)
    stated = call.config.get("attention_axes")
    axes = list(range(1, rank - 1)) if stated is None else axes_of(stated, rank)
    beside = count([size for axis, size in enumerate(query.shape[:-1]) if axis not in axes])
    asked = count([query.shape[axis] for axis in axes])
    held = count([value.shape[axis] for axis in axes])
    out = _wanted(call, query)
    parts = _Projections(call.flag("use_bias", absent=True))
    places = count(query.shape[:-1])
    parts.add("query", places, _features(query), (heads, width))
    parts.add("key", count(key.shape[:-1]), _features(key), (heads, width))
    parts.add("value", count(value.shape[:-1]), _features(value), (heads, deep))
    # queries are scaled before they meet the keys
    parts.work = parts.work + places * (heads * width)
    if call.flag("use_gate"):
        parts.add("gate", places, _features(query), (heads, deep))
        # its sigmoid, and the product with it
        parts.work = parts.work + places * (heads * deep * 5)
    parts.add("attention_output", places, (heads, deep), out)
    _match_mask(call, query, value)
    scores = (
        query.shape[0],
        heads,
        *(query.shape[a] for a in axes),
        *(value.shape[a] for a in axes),
    )
    pairs = beside * heads * asked * held
    return _answer(call, parts, pairs, (width, deep), (*query.shape[:-1], *out), scores)


def _answer(
    call: Call,
    parts: _Projections,
    pairs: Size,
    widths: tuple[int, int],
    shape: tuple[Size, ...],
    scores: tuple[Size, ...],
) -> Cost:
    """With the scores, their softmax and the values they weigh."""
    outputs = [call.made(*shape)]
    if call.argument("return_attention_scores", 7) is True:
        outputs.append(call.made(*scores))
    return call.cost(
        *outputs,
        variables=parts.variables,
        macs=parts.macs + pairs * sum(widths),
        work=parts.work + pairs * _SOFTMAX,
    )


def _features(tensor: Tensor) -> tuple[int, ...]:
    return (whole(tensor.shape[-1], "the last dimension"),)


def _wanted(call: Call, query: Tensor) -> tuple[int, ...]:
    stated = call.config.get("output_shape")
    if not stated:
        return _features(query)
    return (stated,) if isinstance(stated, int) else tuple(int(size) for size in stated)


def _match_mask(call: Call, query: Tensor, value: Tensor) -> None:
    """A mask is as long as what it hides."""
    found = tensors(call.kwargs.get("attention_mask"))
    if found and len(found[0].shape) >= 3:
        rows, columns = found[0].shape[-2:]
        for size, other in ((rows, query.shape[1]), (columns, value.shape[1])):
            if size != 1:
                call.engine.same(other, size)


@layer("GroupQueryAttention GroupedQueryAttention")
def _grouped(call: Call) -> Cost:
    query, value, key = _query_value_key(call)
    batch, asked, features = query.shape
    heads, groups = call.integer("num_query_heads"), call.integer("num_key_value_heads")
    width = call.integer("head_dim")
    parts = _Projections(call.flag("use_bias", absent=True))
    places = batch * asked
    parts.add("query", places, _features(query), (heads, width))
    parts.add("key", count(key.shape[:-1]), _features(key), (groups, width))
    parts.work = parts.work + places * (heads * width)
    if call.flag("use_gate"):
        parts.add("gate", places, _features(query), (heads, width))
        parts.work = parts.work + places * (heads * width * 5)
    parts.add("value", count(value.shape[:-1]), _features(value), (groups, width))
    parts.add("attention_output", places, (heads, width), _features(query))
    _match_mask(call, query, value)
    held = value.shape[1]
    return _answer(
        call,
        parts,
        batch * heads * asked * held,
        (width, width),
        (batch, asked, features),
        (batch, heads, asked, held),
    )


@layer("Attention AdditiveAttention")
def _single_head(call: Call) -> Cost:
    """Without projections: scores are products, or sums under a tanh."""
    given = tensors(call.args[0]) if call.args else call.inputs
    if len(given) < 2:
        raise Unknown(f"{call.class_name} is called with {len(given)} tensors")
    query, value = given[:2]
    key = given[2] if len(given) > 2 else value
    *front, asked, width = query.shape
    held, deep = value.shape[-2:]
    pairs = count(front) * asked * held
    additive = call.class_name == "AdditiveAttention"
    scaled = call.flag("use_scale", absent=additive)
    variables = []
    if scaled:
        shape = (whole(width, "the last dimension"),) if additive else ()
        variables.append(Variable("scale", shape))
    call.engine.same(held, key.shape[-2])
    macs = pairs * deep
    if additive or call.text("score_mode", "dot") == "concat":
        # add, tanh, sum, and the scale where there is one
        work = pairs * width * (6 + scaled)
        if not additive:
            variables.append(Variable("concat_score_weight", ()))
            work = work + pairs
    else:
        macs = macs + pairs * width
        work = pairs * int(scaled)
    outputs = [call.made(*front, asked, deep)]
    if call.kwargs.get("return_attention_scores") is True:
        outputs.append(call.made(*front, asked, held))
    return call.cost(*outputs, variables=variables, macs=macs, work=work + pairs * _SOFTMAX)
