"""Operations of the functional API that compute: `x + y`, `keras.ops.mean` between layers."""

from __future__ import annotations

import re

from tfprof.analyses.keras_layers.activations import activation_work
from tfprof.analyses.keras_layers.moving import moved, shape_of
from tfprof.analyses.keras_layers.rule import (
    Call,
    Cost,
    Sizes,
    Tensor,
    Unknown,
    axes_of,
    broadcast,
    count,
    layer,
    operation,
    tensors,
)
from tfprof.model.dims import Size

# --- element by element


def _stretched(call: Call, places: int) -> Sizes:
    return broadcast(call, *(shape_of(arg) for arg in call.args[:places]))


@operation(
    "Add Subtract Multiply Divide TrueDivide DivideNoNan FloorDivide Power Maximum Minimum Mod"
    " Arctan2 Hypot Logaddexp"
)
def _binary(call: Call) -> Cost:
    out = call.made(*_stretched(call, 2))
    return call.cost(out, work=out.elements)


@operation(
    "Equal NotEqual Greater GreaterEqual Less LessEqual LogicalAnd LogicalOr LogicalXor Isclose"
)
def _comparison(call: Call) -> Cost:
    out = Tensor(_stretched(call, 2), "bool")
    return call.cost(out, work=0 if call.class_name.startswith("Logical") else out.elements)


@operation("LogicalNot Isnan Isinf Isfinite")
def _test(call: Call) -> Cost:
    work = 0 if call.class_name == "LogicalNot" else call.x.elements
    return call.cost(Tensor(call.x.shape, "bool"), work=work)


@operation("Where")
def _where(call: Call) -> Cost:
    if len(call.args) < 3:
        raise Unknown("where with one argument depends on values")
    values = tensors(list(call.args[1:3]))
    dtype = values[0].dtype if values else "float32"
    return call.cost(Tensor(_stretched(call, 3), dtype))


@operation(
    "Absolute Abs Negative Exp Expm1 Exp2 Log Log10 Log1p Log2 Sqrt Square Reciprocal Sign Sin Cos"
    " Tan Sinh Cosh Arcsin Arccos Arctan Arcsinh Arccosh Arctanh Floor Ceil Round Rint Erf Erfinv"
    " Conjugate"
)
def _unary(call: Call) -> Cost:
    return call.cost(call.made(*call.x.shape), work=call.x.elements)


@operation("Rsqrt Clip")
def _twice(call: Call) -> Cost:
    return call.cost(call.made(*call.x.shape), work=call.x.elements * 2)


_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@operation(
    "Relu Relu6 LeakyRelu Elu Selu Celu Softplus Softsign Sigmoid LogSigmoid HardSigmoid HardSilu"
    " HardTanh Tanh TanhShrink Silu Gelu Mish Softmax LogSoftmax SoftShrink HardShrink Squareplus"
    " SparsePlus Threshold"
)
def _activation(call: Call) -> Cost:
    work, note = activation_work(_WORD.sub("_", call.class_name).lower(), call.x.elements)
    return call.cost(call.made(*call.x.shape), work=work, note=note)


@operation("Cast ConvertToTensor")
def _cast(call: Call) -> Cost:
    dtype = call.argument("dtype", 1)
    return call.cost(Tensor(call.x.shape, dtype if isinstance(dtype, str) else call.x.dtype))


@operation("Normalize")
def _normalize(call: Call) -> Cost:
    return call.cost(call.made(*call.x.shape), work=call.x.elements * 3)


# --- what Keras 2 writes for an operation: `math.multiply` with `y` among the named arguments

_KERAS_2_BINARY = (
    "add", "add_v2", "subtract", "multiply", "divide", "truediv", "floordiv", "mul", "sub", "pow",
    "maximum", "minimum",
)  # fmt: skip
_KERAS_2_UNARY = {
    "relu": 1, "relu6": 1, "sigmoid": 4, "tanh": 4, "softmax": 5, "gelu": 5, "silu": 5, "swish": 5,
    "exp": 1, "log": 1, "sqrt": 1, "rsqrt": 2, "square": 1, "abs": 1, "negative": 1, "identity": 0,
    "stop_gradient": 0,
}  # fmt: skip


@layer("TFOpLambda")
def _keras_2_operation(call: Call) -> Cost:
    stated = call.text("function")
    name = stated.rpartition(".")[2]
    if name in _KERAS_2_BINARY:
        other = call.kwargs.get("y", call.args[1] if len(call.args) > 1 else None)
        out = call.made(*broadcast(call, shape_of(call.args[0]), shape_of(other)))
        return call.cost(out, work=out.elements)
    if name in _KERAS_2_UNARY:
        return call.cost(call.made(*call.x.shape), work=call.x.elements * _KERAS_2_UNARY[name])
    raise Unknown(f"Unknown operation {stated}")


# --- over axes


@operation("Sum Mean Max Min Prod Amax Amin Average Logsumexp Var Std All Any CountNonzero Norm")
def _reduce(call: Call) -> Cost:
    shape = call.x.shape
    over = axes_of(call.argument("axis", 1), len(shape))
    keep = call.argument("keepdims", 2) is True
    left = [
        1 if axis in over else size for axis, size in enumerate(shape) if keep or axis not in over
    ]
    factor = {"Var": 4, "Std": 4, "All": 0, "Any": 0, "Norm": 2, "Logsumexp": 2}
    dtype = {"All": "bool", "Any": "bool", "CountNonzero": "int32"}.get(call.class_name, call.dtype)
    work = call.x.elements * factor.get(call.class_name, 1)
    return call.cost(Tensor(tuple(left), dtype), work=work)


@operation("Argmax Argmin")
def _arg(call: Call) -> Cost:
    shape = call.x.shape
    over = axes_of(call.argument("axis", 1), len(shape))
    left = tuple(size for axis, size in enumerate(shape) if axis not in over)
    return call.cost(Tensor(left, "int32"), work=call.x.elements)


@operation("Cumsum Cumprod")
def _cumulative(call: Call) -> Cost:
    return call.cost(moved(call, *call.x.shape), work=call.x.elements)


@operation("Moments")
def _moments(call: Call) -> Cost:
    shape = call.x.shape
    over = axes_of(call.argument("axes", 1), len(shape))
    keep = call.argument("keepdims", 2) is True
    left = [
        1 if axis in over else size for axis, size in enumerate(shape) if keep or axis not in over
    ]
    out = call.made(*left)
    return call.cost(out, out, work=call.x.elements * 4)


# --- products


@operation("Matmul Dot")
def _matmul(call: Call) -> Cost:
    one, other = call.inputs[:2]
    a, b = one.shape, other.shape
    if len(a) < 2 or len(b) < 2 or (call.class_name == "Dot" and len(b) > 2):
        raise Unknown(f"{call.class_name} of vectors is not counted")
    length = call.engine.same(a[-1], b[-2])
    front = broadcast(call, a[:-2], b[:-2]) if a[2:] or b[2:] else ()
    out = call.made(*front, a[-2], b[-1])
    return call.cost(out, macs=out.elements * length)


@operation("Einsum")
def _einsum(call: Call) -> Cost:
    equation = str(call.argument("subscripts", 0)).replace(" ", "")
    left, arrow, given = equation.partition("->")
    operands = call.inputs
    parts = left.split(",")
    if not arrow or "." in equation or len(parts) != len(operands):
        raise Unknown(f"the einsum {equation!r} is not counted")
    sizes: dict[str, Size] = {}
    for letters, tensor in zip(parts, operands, strict=True):
        for letter, size in zip(letters, tensor.shape, strict=True):
            sizes[letter] = call.engine.same(sizes[letter], size) if letter in sizes else size
    if len(operands) > 2:
        raise Unknown("an einsum of more than two tensors has no fixed order")
    out = call.made(*(sizes[letter] for letter in given))
    every = count(list(sizes.values()))
    if len(operands) == 1:
        return call.cost(out, work=every if len(sizes) > len(given) else 0)
    return call.cost(out, macs=every)
