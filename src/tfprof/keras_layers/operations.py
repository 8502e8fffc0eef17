"""Operations of the functional API that take each element by itself: `x + y`, `keras.ops.exp`."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tfprof.keras_layers.activations import activated, stepwise
from tfprof.keras_layers.layer import SCALAR, Layer, numbers
from tfprof.keras_layers.merging import alike, of_length_1
from tfprof.keras_layers.operands import dtype_named, flat, operands, truths
from tfprof.keras_layers.rule import Made, layer, operation
from tfprof.keras_layers.sizes import Unknown, axis_of
from tfprof.ops.rule import BOOL, INT32, Tensor

# --- of two

_BINARY = {
    "Add": "AddV2", "Subtract": "Sub", "Multiply": "Mul", "Divide": "RealDiv",
    "TrueDivide": "RealDiv", "DivideNoNan": "DivNoNan", "FloorDivide": "FloorDiv",
    "Power": "Pow", "Maximum": "Maximum", "Minimum": "Minimum", "Mod": "FloorMod",
    "Arctan2": "Atan2",
}  # fmt: skip
_OF_FRACTIONS = frozenset({"RealDiv", "DivNoNan", "Atan2"})


@operation(" ".join(_BINARY))
def _binary(call: Layer) -> Made:
    op = _BINARY[call.class_name]
    return call.each(op, *operands(call, call.args[:2], floating=op in _OF_FRACTIONS))


@operation("Hypot")
def _hypot(call: Layer) -> Made:
    """Of a triangle: the larger side times the root of what the ratio of both makes."""
    sides = [call.each("Abs", one) for one in operands(call, call.args[:2], floating=True)]
    large, small = call.each("Maximum", *sides), call.each("Minimum", *sides)
    ratio = call.each("DivNoNan", small, large)
    return call.each("Mul", large, stepwise(call, ratio, "Square x, AddV2 0 #, Sqrt 1"))


@operation("Logaddexp")
def _logaddexp(call: Layer) -> Made:
    pair = operands(call, call.args[:2], floating=True)
    apart, total = call.each("Sub", *pair), call.each("AddV2", *pair)
    larger = call.each("Maximum", *pair)
    is_nan = call.each("IsNan", apart, dtype=BOOL)
    found = call.each("AddV2", larger, stepwise(call, apart, "Abs x, Neg 0, Exp 1, Log1p 2"))
    return call.each("SelectV2", is_nan, total, found, dtype=found.dtype)


# --- yes or no


@operation("Equal NotEqual Greater GreaterEqual Less LessEqual")
def _comparison(call: Layer) -> Made:
    return call.each(call.class_name, *operands(call, call.args[:2]), dtype=BOOL)


@operation("Isclose")
def _close(call: Layer) -> Made:
    one, other = operands(call, call.args[:2], floating=True)
    apart = call.each("Abs", call.each("Sub", one, other))
    allowed = stepwise(call, other, "Abs x, Mul # 0, AddV2 # 1")
    return call.each("LessEqual", apart, allowed, dtype=BOOL)


@operation("LogicalAnd LogicalOr LogicalNot")
def _logical(call: Layer) -> Made:
    return call.each(call.class_name, *truths(call, call.args[:2]), dtype=BOOL)


@operation("LogicalXor")
def _either(call: Layer) -> Made:
    pair = truths(call, call.args[:2])
    both = call.each("LogicalNot", call.each("LogicalAnd", *pair, dtype=BOOL), dtype=BOOL)
    return call.each("LogicalAnd", call.each("LogicalOr", *pair, dtype=BOOL), both, dtype=BOOL)


_TESTS = {"Isnan": "IsNan", "Isinf": "IsInf", "Isfinite": "IsFinite"}


@operation(" ".join(_TESTS))
def _test(call: Layer) -> Made:
    return call.each(_TESTS[call.class_name], call.x, dtype=BOOL)


@operation("Where")
def _where(call: Layer) -> Made:
    if len(call.args) < 3:
        raise Unknown("where with one argument depends on values")
    (which,) = truths(call, call.args[:1])
    values = operands(call, call.args[1:3])
    dtype = next((one.dtype for one in values if one.dtype), 0)
    return call.each("SelectV2", which, *values, dtype=dtype)


# --- of one

_ARC = {
    f"Arc{name}": f"A{name} x" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")
}  # fmt: skip
# whole numbers stay whole in these
_OF_ANY = {
    "Absolute": "Abs x", "Abs": "Abs x", "Negative": "Neg x", "Square": "Square x",
    "Sign": "Sign x", "Reciprocal": "Reciprocal x", "Round": "Round x", "Rint": "Rint x",
    "Conjugate": "", "Clip": "Minimum x #, Maximum 0 #",
}  # fmt: skip
_UNARY = {
    **{name: f"{name} x" for name in ("Exp", "Expm1", "Log", "Log1p", "Sqrt", "Rsqrt", "Sin", "Cos",
                                      "Tan", "Sinh", "Cosh", "Floor", "Ceil", "Erf", "Erfinv")},
    "Exp2": "Pow # x", "Log2": "Log x, Log #, RealDiv 0 1", "Log10": "Log x, Log #, RealDiv 0 1",
    **_ARC, **_OF_ANY,
}  # fmt: skip


@operation(" ".join(_UNARY))
def _unary(call: Layer) -> Made:
    (x,) = alike(call, [call.x], floating=call.class_name not in _OF_ANY)
    return stepwise(call, x, _UNARY[call.class_name])


@operation("Cast ConvertToTensor")
def _cast(call: Layer) -> Made:
    dtype = dtype_named(call.argument("dtype", 1)) or call.x.dtype
    return call.x if dtype == call.x.dtype else call.op("Cast", call.x, dtype=dtype)


_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@operation(
    "Relu Relu6 LeakyRelu Selu Celu Softplus Softsign Sigmoid LogSigmoid HardSigmoid HardSilu"
    " HardTanh Tanh TanhShrink Silu Mish SoftShrink HardShrink Squareplus SparsePlus Threshold"
)
def _activation(call: Layer) -> Made:
    return activated(call, call.x, _WORD.sub("_", call.class_name).lower())


_NEARLY_GELU = "Mul # x, Pow x #, Mul # 1, AddV2 x 2, Mul # 3, Tanh 4, AddV2 # 5, Mul 0 6"


@operation("Gelu")
def _gelu(call: Layer) -> Made:
    if call.argument("approximate", 1, absent=True):
        return stepwise(call, call.x, _NEARLY_GELU)
    return activated(call, call.x, "gelu")


@operation("Elu")
def _elu(call: Layer) -> Made:
    steps = "Elu x" if call.argument("alpha", 1, 1) == 1 else _SCALED_ELU
    return stepwise(call, call.x, steps)


_SCALED_ELU = "Elu x, Greater x #, Mul # 0, SelectV2 1 2 0"


@operation("Softmax LogSoftmax")
def _softmax(call: Layer) -> Made:
    """Along the last dimension; another is brought there first, and back."""
    x, axis = call.x, call.argument("axis", 1, -1)
    if axis is None:
        return call.reshaped(call.each(call.class_name, flat(call, x)), *call.shape)
    last = len(call.shape) - 1
    place = axis_of(axis, last + 1)
    if place == last:
        return call.each(call.class_name, x)
    order = [*range(place), last, *range(place + 1, last), place]
    for _ in range(2):
        call.each("Sub", SCALAR, SCALAR, dtype=INT32)
    return call.transposed(call.each(call.class_name, call.transposed(x, *order)), *order)


@operation("Normalize")
def _normalize(call: Layer) -> Made:
    (x,) = alike(call, [call.x], floating=True)
    axis = axis_of(call.argument("axis", 1, -1), len(call.shape))
    order = call.argument("order", 2, 2)
    if order == 2:
        return of_length_1(call, x, axis)
    length = any_norm(call, x, [axis], keep=True)
    return call.each("RealDiv", x, call.each("Maximum", length, SCALAR))


def any_norm(call: Layer, x: Tensor, over: Sequence[int], *, keep: bool) -> Tensor:
    """The root of a sum of powers."""
    powers = stepwise(call, x, "Abs x, Pow 0 #")
    total = call.op("Sum", powers, numbers(*over), keep_dims=keep)
    root = call.each("RealDiv", SCALAR, SCALAR, dtype=x.dtype)
    return call.each("Pow", total, root)


# --- what Keras 2 writes for an operation: `math.multiply` with `y` among the named arguments

_KERAS_2_BINARY = {
    "add": "AddV2", "add_v2": "AddV2", "subtract": "Sub", "sub": "Sub", "multiply": "Mul",
    "mul": "Mul", "divide": "RealDiv", "truediv": "RealDiv", "floordiv": "FloorDiv",
    "pow": "Pow", "maximum": "Maximum", "minimum": "Minimum",
}  # fmt: skip
_KERAS_2_UNARY = {
    "exp": "Exp x", "log": "Log x", "sqrt": "Sqrt x", "rsqrt": "Rsqrt x", "square": "Square x",
    "abs": "Abs x", "negative": "Neg x", "identity": "", "stop_gradient": "StopGradient x",
}  # fmt: skip
_KERAS_2_ACTIVATIONS = frozenset(
    {"relu", "relu6", "sigmoid", "tanh", "softmax", "gelu", "silu", "swish"}
)


@layer("TFOpLambda")
def _keras_2_operation(call: Layer) -> Made:
    stated = call.text("function")
    name = stated.rpartition(".")[2]
    if name in _KERAS_2_BINARY:
        other = call.kwargs.get("y", call.args[1] if len(call.args) > 1 else None)
        return call.each(_KERAS_2_BINARY[name], *operands(call, [call.args[0], other]))
    if name in _KERAS_2_UNARY:
        return stepwise(call, call.x, _KERAS_2_UNARY[name])
    if name in _KERAS_2_ACTIVATIONS:
        return activated(call, call.x, name)
    raise Unknown(f"Unknown operation {stated}")
