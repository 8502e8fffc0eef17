"""Operations of the functional API that make more or less of a tensor: `x[:, 0]`, `ops.tile`."""

from __future__ import annotations

from typing import Any

from tfprof.keras_layers.layer import SCALAR, Layer, number, numbers, shape_of
from tfprof.keras_layers.operands import dtype_named, flat, operand
from tfprof.keras_layers.rule import Made, operation
from tfprof.keras_layers.shaping import repeated
from tfprof.keras_layers.sizes import Unknown, axis_of, positive
from tfprof.model.dims import Size, ceil_div
from tfprof.ops.rule import BOOL, FLOAT, INT32, INT64, Tensor


@operation("Repeat")
def _repeat(call: Layer) -> Made:
    times, axis = call.argument("repeats", 1), call.argument("axis", 2)
    if not isinstance(times, int):
        raise Unknown("how often each element is repeated is not one number")
    if axis is None:
        return repeated(call, flat(call, call.x), times, 0)
    return repeated(call, call.x, times, axis_of(axis, len(call.shape)))


@operation("Tile")
def _tile(call: Layer) -> Made:
    times = call.argument("repeats", 1)
    listed = [int(one) for one in (times if isinstance(times, list | tuple) else [times])]
    x = call.x
    for _ in range(len(listed) - len(call.shape)):
        x = call.op("ExpandDims", x, number(0))
    missing = len(shape_of(x)) - len(listed)
    return call.op("Tile", x, numbers(*[1] * missing, *listed))


@operation("BroadcastTo")
def _broadcast_to(call: Layer) -> Made:
    target, shape = call.argument("shape", 1), call.shape
    whole = (1,) * (len(target) - len(shape)) + shape
    sizes = [have if want in (None, -1) else want for have, want in zip(whole, target, strict=True)]
    return call.op("BroadcastTo", call.x, numbers(*sizes), shape=sizes, dtype=call.x.dtype)


@operation("Pad")
def _pad(call: Layer) -> Made:
    widths, shape = call.argument("pad_width", 1), call.shape
    if isinstance(widths, int):
        widths = [widths]
    if widths and isinstance(widths[0], int):
        widths = [[widths[0], widths[-1]]]
    pairs = list(widths) * len(shape) if len(widths) == 1 else list(widths)
    made = [size + sum(pair) for size, pair in zip(shape, pairs, strict=True)]
    values = Tensor((len(pairs), 2), INT32, value=tuple(size for pair in pairs for size in pair))
    op = "Pad" if call.argument("mode", 2, "constant") == "constant" else "MirrorPad"
    if op == "Pad" and call.argument("constant_values", 3):
        return call.op("PadV2", call.x, values, SCALAR, shape=made, dtype=call.x.dtype)
    return call.op(op, call.x, values, shape=made, dtype=call.x.dtype)


@operation("Take")
def _take(call: Layer) -> Made:
    """Indices below zero count from the end."""
    axis = call.argument("axis", 2)
    x = call.x if axis is not None else flat(call, call.x)
    at = 0 if axis is None else axis_of(axis, len(call.shape))
    rows = operand(call.argument("indices", 1))
    below = call.each("Less", rows, SCALAR, dtype=BOOL)
    dtype = rows.dtype or INT32
    rows = call.each(
        "SelectV2", below, call.each("AddV2", rows, SCALAR, dtype=dtype), rows, dtype=dtype
    )
    return call.op("GatherV2", x, rows, number(at), dtype=x.dtype)


@operation("OneHot")
def _one_hot(call: Layer) -> Made:
    depth, axis = int(call.argument("num_classes", 1)), call.argument("axis", 2, -1)
    at = axis_of(axis, len(call.shape) + 1)
    return one_hot(call, call.x, depth, dtype_named(call.argument("dtype", 3)) or FLOAT, at)


def one_hot(call: Layer, x: Tensor, depth: int, dtype: int, axis: int = -1) -> Tensor:
    if x.dtype != INT64:
        x = call.op("Cast", x, dtype=INT64)
    return call.op("OneHot", x, number(depth), SCALAR, SCALAR, axis=axis, dtype=dtype)


# --- `x[:, 0, ..., None, 1:-1]`


@operation("GetItem")
def _get_item(call: Layer) -> Made:
    key = call.argument("key", 1)
    keys = key if isinstance(key, list) else [key]
    left = list(call.shape)
    taken = sum(not _is_dots(one) and one is not None for one in keys)
    if not any(_is_dots(one) for one in keys):
        keys = [*keys, Ellipsis]
    out: list[Size] = []
    for one in keys:
        if one is None:
            out.append(1)
        elif _is_dots(one):
            skipped = len(call.shape) - taken
            out += left[:skipped]
            left = left[skipped:]
        else:
            size = left.pop(0)
            if not isinstance(one, int):
                out.append(_cut(one, size))
    bounds = [numbers(*[0] * len(keys)) for _ in range(3)]
    return call.op("StridedSlice", call.x, *bounds, shape=out, dtype=call.x.dtype)


def _is_dots(key: object) -> bool:
    return key is Ellipsis or (isinstance(key, dict) and key.get("class_name") == "__ellipsis__")


def _cut(key: Any, size: Size) -> Size:  # noqa: ANN401  (JSON)
    """The length of a slice; where an open size may be shorter than the slice, unknown."""
    if not isinstance(key, dict) or key.get("class_name") != "__slice__":
        raise Unknown("an index that is a tensor is not counted")
    config = key["config"]
    start, stop, step = config.get("start"), config.get("stop"), config.get("step") or 1
    if isinstance(size, int):
        return len(range(size)[slice(start, stop, step)])
    if step < 0:
        if start is None and stop is None:
            return ceil_div(size, -step)
        raise Unknown("a slice of an open dimension runs backwards")
    first = 0 if start is None else start
    last: Size = size if stop is None else stop if stop >= 0 else size + stop
    if first < 0:
        first, last = 0, (-first if stop is None else last - (size + first))
    return positive(ceil_div(last - first, step), "a slice")
