"""Attention: projections, scores of each query with each key, and the values they weigh."""

from __future__ import annotations

from collections.abc import Sequence
from string import ascii_lowercase

from tfprof.keras_layers.attention_masks import Hiding, later_places, summed_softmax
from tfprof.keras_layers.dropping import dropped
from tfprof.keras_layers.layer import SCALAR, Layer, number, numbers, shape_of
from tfprof.keras_layers.normalization import HALVES
from tfprof.keras_layers.products import einsum, matmul
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.sizes import Unknown, axes_of, tensors, whole
from tfprof.ops.rule import FLOAT, Tensor


def _query_value_key(call: Layer) -> tuple[Tensor, Tensor, Tensor]:
    """The three tensors, by place or by name; the key is the value unless it is given."""
    named = dict(zip(("query", "value", "key"), call.args, strict=False)) | dict(call.kwargs)
    found = [tensors(named.get(name)) for name in ("query", "value", "key")]
    if not found[0] or not found[1]:
        raise Unknown(f"{call.class_name} is called without a query and a value")
    return found[0][0], found[1][0], (found[2] or found[1])[0]


def _projected(call: Layer, x: Tensor, name: str, summed: int, given: Sequence[int]) -> Tensor:
    """A dense layer over the last `summed` dimensions."""
    shape = shape_of(x)
    front = len(shape) - summed
    left = ascii_lowercase[: len(shape)]
    right = ascii_lowercase[len(shape) : len(shape) + len(given)]
    taken = [whole(size, "the last dimension") for size in shape[front:]]
    kernel = call.weight(f"{name}/kernel", (*taken, *given))
    made = einsum(call, f"{left},{left[front:]}{right}->{left[:front]}{right}", x, kernel)
    if not call.flag("use_bias", absent=True):
        return made
    bias = call.weight(f"{name}/bias", given)
    return call.op("BiasAdd", made, bias) if len(given) == 1 else call.each("AddV2", made, bias)


def _weighed(
    call: Layer,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    axes: Sequence[int],
    *,
    keys_first: bool = True,
) -> tuple[Tensor, Tensor]:
    """Values by the scores of their keys, and the scores. `axes` are those that attend.

    Where nobody asks for the scores and nothing is dropped, TensorFlow gets two plain products.
    """
    rank = len(shape_of(query))
    asked = ascii_lowercase[:rank]
    beside = [at for at in range(rank - 1) if at not in axes]
    others = dict(zip(axes, ascii_lowercase[rank:], strict=False))
    held = "".join(others.get(at, asked[at]) for at in range(rank))
    scored = "".join(
        [asked[at] for at in beside] + [asked[at] for at in axes] + [others[at] for at in axes]
    )
    hiding, rate = Hiding(call), call.config.get("dropout")
    if not rate and not _wants_scores(call) and rank == 4:
        scores = call.op("Einsum", query, key, equation=f"{asked},{held}->{scored}")
        scores = scores if scores.dtype not in HALVES else call.op("Cast", scores, dtype=FLOAT)
        weights = call.op("Softmax", hiding.plain(call.each("Mul", scores, SCALAR)))
        if weights.dtype != value.dtype:
            weights = call.op("Cast", weights, dtype=value.dtype)
        made = call.op("Einsum", weights, value, equation=f"{scored},{held}->{asked}")
        return made, weights
    query = call.each("Mul", query, SCALAR)
    if keys_first:
        scores = einsum(call, f"{held},{asked}->{scored}", key, query)
    else:
        scores = einsum(call, f"{asked},{held}->{scored}", query, key)
    weights = _shares(call, scores, hiding.mask(scores), len(axes))
    kept = dropped(call, weights, rate)
    return einsum(call, f"{scored},{held}->{asked}", kept, value), weights


def _shares(call: Layer, scores: Tensor, mask: Tensor | None, count: int) -> Tensor:
    """Over the last `count` dimensions they sum up to 1; what is hidden gets nothing."""
    if mask is not None:
        scores = call.each("SelectV2", mask, scores, SCALAR, dtype=scores.dtype)
    rank = len(shape_of(scores))
    if count > 1:
        weights = summed_softmax(call, scores, range(rank - count, rank))
    else:
        weights = call.op("Softmax", scores)
    if mask is None:
        return weights
    return call.each("SelectV2", mask, weights, SCALAR, dtype=weights.dtype)


def _wants_scores(call: Layer) -> bool:
    return call.argument("return_attention_scores", 7) is True


def _handed_out(call: Layer, made: Tensor, weights: Tensor) -> Made:
    return [made, call.op("Identity", weights)] if _wants_scores(call) else made


@layer("MultiHeadAttention")
def _multi_head(call: Layer) -> Made:
    query, value, key = _query_value_key(call)
    heads, width = call.integer("num_heads"), call.integer("key_dim")
    deep = int(call.config.get("value_dim") or width)
    rank = len(shape_of(query))
    stated = call.config.get("attention_axes")
    axes = list(range(1, rank - 1)) if stated is None else axes_of(stated, rank)
    out = _wanted(call, query)
    gate = _projected(call, query, "gate", 1, (heads, deep)) if call.flag("use_gate") else None
    q = _projected(call, query, "query", 1, (heads, width))
    k = _projected(call, key, "key", 1, (heads, width))
    v = _projected(call, value, "value", 1, (heads, deep))
    made, weights = _weighed(call, q, k, v, axes)
    if gate is not None:
        made = call.each("Mul", made, call.each("Sigmoid", gate))
    made = _projected(call, made, "attention_output", 2, out)
    return _handed_out(call, made, weights)


def _wanted(call: Layer, query: Tensor) -> tuple[int, ...]:
    stated = call.config.get("output_shape")
    if not stated:
        return (whole(shape_of(query)[-1], "the last dimension"),)
    return (stated,) if isinstance(stated, int) else tuple(int(size) for size in stated)


@layer("GroupQueryAttention GroupedQueryAttention")
def _grouped(call: Layer) -> Made:
    """Several heads of the query share a key and a value."""
    query, value, key = _query_value_key(call)
    heads, groups = call.integer("num_query_heads"), call.integer("num_key_value_heads")
    width = call.integer("head_dim")
    gate = _projected(call, query, "gate", 1, (heads, width)) if call.flag("use_gate") else None
    q = _projected(call, query, "query", 1, (heads, width))
    k = _repeated(call, _projected(call, key, "key", 1, (groups, width)), heads // groups)
    v = _repeated(call, _projected(call, value, "value", 1, (groups, width)), heads // groups)
    made, weights = _weighed(call, q, k, v, [1], keys_first=False)
    if gate is not None:
        made = call.each("Mul", made, call.each("Sigmoid", gate))
    features = whole(shape_of(query)[-1], "the last dimension")
    made = _projected(call, made, "attention_output", 2, (features,))
    return _handed_out(call, made, weights)


def _repeated(call: Layer, x: Tensor, times: int) -> Tensor:
    """Each head so many times, one beside the other."""
    front, heads, width = shape_of(x)[:-2], *shape_of(x)[-2:]
    apart = call.op("ExpandDims", x, number(len(front) + 1))
    tiles = numbers(*[1] * (len(front) + 1), times, 1)
    return call.reshaped(call.op("Tile", apart, tiles), *front, heads * times, width)


@layer("Attention AdditiveAttention")
def _single_head(call: Layer) -> Made:
    """Without projections: scores are products, or sums under a tanh."""
    given = tensors(call.args[0]) if call.args else call.inputs
    if len(given) < 2:
        raise Unknown(f"{call.class_name} is called with {len(given)} tensors")
    query, value = given[:2]
    key = given[2] if len(given) > 2 else value
    call.same(shape_of(value)[-2], shape_of(key)[-2])
    additive = call.class_name == "AdditiveAttention"
    scale = None
    if call.flag("use_scale", absent=additive):
        width = (whole(shape_of(query)[-1], "the last dimension"),)
        scale = call.weight("scale", width if additive else ())
    if additive or call.text("score_mode", "dot") == "concat":
        scores = _summed(call, query, key, scale, additive=additive)
    else:
        rank = len(shape_of(key))
        scores = matmul(call, query, call.transposed(key, *range(rank - 2), rank - 1, rank - 2))
        scores = scores if scale is None else call.each("Mul", scores, scale)
    if call.kwargs.get("use_causal_mask") is True:
        hidden = call.each("LogicalNot", later_places(call, shape_of(scores)[-2:]))
        lowered = call.each("Sub", scores, SCALAR)
        scores = call.each("SelectV2", hidden, lowered, scores, dtype=scores.dtype)
    weights = call.op("Softmax", scores)
    made = matmul(call, dropped(call, weights, call.config.get("dropout")), value)
    if call.kwargs.get("return_attention_scores") is not True:
        return made
    return [made, call.op("Identity", weights)]


def _summed(
    call: Layer, query: Tensor, key: Tensor, scale: Tensor | None, *, additive: bool
) -> Tensor:
    rank = len(shape_of(query))
    each = call.op("ExpandDims", query, number(rank - 1))
    other = call.op("ExpandDims", key, number(rank - 2))
    together = call.each("AddV2", each, other)
    if additive:
        bent = call.each("Tanh", together)
        bent = call.each("Mul", SCALAR if scale is None else scale, bent)
        return call.op("Sum", bent, numbers(rank))
    weight = call.weight("concat_score_weight", ())
    if scale is not None:
        together = call.each("Mul", scale, together)
    return call.each("Mul", weight, call.op("Sum", call.each("Tanh", together), numbers(rank)))
