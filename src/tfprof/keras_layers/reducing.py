"""Operations of the functional API over axes, and products: `ops.mean`, `ops.matmul`."""

from __future__ import annotations

from tfprof.keras_layers.layer import SCALAR, Layer, is_floating, number, numbers, shape_of
from tfprof.keras_layers.merging import alike
from tfprof.keras_layers.normalization import HALVES
from tfprof.keras_layers.operands import flat
from tfprof.keras_layers.operations import any_norm
from tfprof.keras_layers.products import dot, einsum
from tfprof.keras_layers.rule import Made, operation
from tfprof.keras_layers.sizes import Unknown, axes_of, axis_of, broadcast
from tfprof.model.dims import Size
from tfprof.ops.rule import BOOL, FLOAT, INT32, INT64, Tensor

# --- many to one

_REDUCED = {
    "Sum": "Sum", "Mean": "Mean", "Max": "Max", "Amax": "Max", "Min": "Min", "Amin": "Min",
    "Prod": "Prod", "Average": "Mean",
}  # fmt: skip


def mean(call: Layer, x: Tensor, over: Tensor, *, keep: bool) -> Tensor:
    """Keras sums up halves in float32, so there is a copy of them that is twice as large."""
    if x.dtype not in HALVES:
        return call.op("Mean", x, over, keep_dims=keep)
    wide = call.op("Cast", x, dtype=FLOAT)
    return call.op("Cast", call.op("Mean", wide, over, keep_dims=keep), dtype=x.dtype)


class _Axes:
    """What an operation goes over, and whether it leaves a one in their place."""

    def __init__(self, call: Layer, name: str = "axis") -> None:
        self.call = call
        self.over = axes_of(call.argument(name, 1), len(call.shape))
        self.keep = call.argument("keepdims", 2) is True

    def reduced(self, op: str, x: Tensor, *, keep: bool | None = None, dtype: int = 0) -> Tensor:
        kept = self.keep if keep is None else keep
        return self.call.op(op, x, numbers(*self.over), keep_dims=kept, dtype=dtype)


@operation(" ".join(_REDUCED))
def _reduce(call: Layer) -> Made:
    op, x = _REDUCED[call.class_name], call.x
    if call.class_name == "Average" and call.argument("weights", 2) is not None:
        raise Unknown("an average with weights is not counted")
    if op == "Mean":
        (x,) = alike(call, [x], floating=True)
        at = _Axes(call)
        return mean(call, x, numbers(*at.over), keep=at.keep)
    if x.dtype == BOOL and op in ("Sum", "Prod"):
        x = call.op("Cast", x, dtype=INT32)
    return _Axes(call).reduced(op, x)


@operation("All Any")
def _truth(call: Layer) -> Made:
    x = call.x if call.x.dtype == BOOL else call.op("Cast", call.x, dtype=BOOL)
    return _Axes(call).reduced(call.class_name, x)


@operation("CountNonzero")
def _count(call: Layer) -> Made:
    marks = call.op("Cast", call.each("NotEqual", call.x, SCALAR, dtype=BOOL), dtype=INT64)
    return call.op("Cast", _Axes(call).reduced("Sum", marks), dtype=INT32)


@operation("Var Std")
def _variance(call: Layer) -> Made:
    at = _Axes(call)
    (x,) = alike(call, [call.x], floating=True)
    mean = at.reduced("Mean", x, keep=True)
    spread = at.reduced("Mean", call.each("Square", call.each("Sub", x, mean)))
    return call.each("Sqrt", spread) if call.class_name == "Std" else spread


@operation("Moments")
def _moments(call: Layer) -> Made:
    at, x = _Axes(call, "axes"), call.x
    mean = at.reduced("Mean", x, keep=True)
    fixed = call.op("StopGradient", mean)
    spread = at.reduced("Mean", call.each("SquaredDifference", x, fixed), keep=True)
    if at.keep:
        return [mean, spread]
    return [call.op("Squeeze", one, squeeze_dims=at.over) for one in (mean, spread)]


@operation("Logsumexp")
def _log_sum(call: Layer) -> Made:
    """The largest is taken out before, and put back after."""
    at = _Axes(call)
    (x,) = alike(call, [call.x], floating=True)
    top = at.reduced("Max", x, keep=True)
    finite = call.each("IsFinite", top, dtype=BOOL)
    top = call.op("StopGradient", call.each("SelectV2", finite, top, SCALAR, dtype=x.dtype))
    total = call.each("Log", at.reduced("Sum", call.each("Exp", call.each("Sub", x, top))))
    return call.each("AddV2", total, call.reshaped(top, *shape_of(total)))


@operation("Norm")
def _norm(call: Layer) -> Made:
    at = _Axes(call)
    (x,) = alike(call, [call.x], floating=True)
    order = call.argument("ord", 3)
    if order in (None, "fro") or (order == 2 and len(at.over) == 1):
        return call.each("Sqrt", at.reduced("Sum", call.each("Mul", x, x)))
    if len(at.over) > 1 or isinstance(order, str):
        raise Unknown(f"a norm of order {order} is not counted")
    if abs(order) == float("inf"):
        return at.reduced("Max" if order > 0 else "Min", call.each("Abs", x))
    return any_norm(call, x, at.over, keep=at.keep)


@operation("Argmax Argmin")
def _place(call: Layer) -> Made:
    """Keras takes care that -0.0 counts as less than 0.0."""
    x, axis = call.x, call.argument("axis", 1)
    if is_floating(x.dtype):
        bits = call.op("Bitcast", x, shape=call.shape, dtype=INT32)
        signs = call.each("Less", call.each("BitwiseAnd", bits, SCALAR), SCALAR, dtype=BOOL)
        is_zero = call.each("Equal", x, SCALAR, dtype=BOOL)
        which = call.each("LogicalAnd", is_zero, signs, dtype=BOOL)
        x = call.each("SelectV2", which, SCALAR, x, dtype=x.dtype)
    over = range(len(call.shape)) if axis is None else [axis_of(axis, len(call.shape))]
    if axis is None:
        x = flat(call, x)
    at = 0 if axis is None else over[0]
    found = call.op("Arg" + call.class_name[3:].capitalize(), x, number(at), dtype=INT32)
    if call.argument("keepdims", 2) is not True:
        return found
    return call.reshaped(found, *(1 if at in over else one for at, one in enumerate(call.shape)))


@operation("Cumsum Cumprod")
def _cumulative(call: Layer) -> Made:
    axis = call.argument("axis", 1)
    x = flat(call, call.x) if axis is None else call.x
    at = 0 if axis is None else axis_of(axis, len(call.shape))
    return call.op(call.class_name, x, number(at), shape=shape_of(x), dtype=x.dtype)


# --- products


@operation("Matmul Dot")
def _matmul(call: Layer) -> Made:
    one, other = alike(call, call.inputs[:2], floating=True)
    a, b = shape_of(one), shape_of(other)
    if len(a) < 2 or len(b) < 2 or (call.class_name == "Dot" and len(b) > 2):
        raise Unknown(f"{call.class_name} of vectors is not counted")
    call.same(a[-1], b[-2])
    if len(b) == 2:
        return dot(call, one, other)
    front = broadcast(call.same, a[:-2], b[:-2])
    return call.op("BatchMatMulV2", one, other, shape=(*front, a[-2], b[-1]))


@operation("Einsum")
def _einsum(call: Layer) -> Made:
    equation = str(call.argument("subscripts", 0)).replace(" ", "")
    left, arrow, given = equation.partition("->")
    inputs = alike(call, call.inputs)
    parts = left.split(",")
    if not arrow or "." in equation or len(parts) != len(inputs):
        raise Unknown(f"the einsum {equation!r} is not counted")
    sizes: dict[str, Size] = {}
    for letters, tensor in zip(parts, inputs, strict=True):
        for letter, size in zip(letters, shape_of(tensor), strict=True):
            sizes[letter] = call.same(sizes[letter], size) if letter in sizes else size
    if len(inputs) > 2:
        raise Unknown("an einsum of more than two tensors has no fixed order")
    if len(inputs) == 2:
        return einsum(call, equation, *inputs)
    return call.op("Einsum", *inputs, shape=[sizes[one] for one in given], equation=equation)
