"""How many floating-point operations an op takes: one small rule a family of ops.

The formulas are those that TensorFlow registers for the original tool: a multiplication and an
addition count one each, whatever the data type. Ours differ where those are wrong: the adjoint of a
batched product, layouts with channels first, control inputs, and counts below zero.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from types import MappingProxyType
from typing import Protocol

from tfprof.model.dims import Open, Size, divided, elements
from tfprof.ops.shape_tools import dimension as _dimension
from tfprof.ops.shape_tools import times as _times
from tfprof.wire.schema import Proto


class OpShapes(Protocol):
    """What a rule sees of an op. A shape is None where nothing is known of it."""

    @property
    def input_count(self) -> int:
        """Data inputs only."""
        ...

    @property
    def attributes(self) -> Mapping[str, Proto]:
        """Attribute name to AttrValue message."""
        ...

    def input(self, index: int) -> Open: ...

    def output(self, index: int) -> Open: ...


# None: a dimension that the formula needs is unknown
Rule = Callable[[OpShapes], Size | None]

_RULES: dict[str, Rule] = {}


def float_ops(*ops: str) -> Callable[[Rule], Rule]:
    """Registers the rule of these op types; two rules for one are a mistake."""

    def register(rule: Rule) -> Rule:
        for op in ops:
            if op in _RULES:
                raise ValueError(f"the float ops of {op!r} are registered twice")
            _RULES[op] = rule
        return rule

    return register


def rules() -> Mapping[str, Rule]:
    """Every rule by op type."""
    return MappingProxyType(_RULES)


# --- element by element


@float_ops("Reciprocal", "Square", "Log", "Neg", "AssignSub", "AssignAdd", "BiasAdd")
def one_per_element(op: OpShapes) -> Size | None:
    return elements(op.input(0))


@float_ops("Rsqrt")
def reciprocal_root(op: OpShapes) -> Size | None:
    return _times(2, elements(op.input(0)))


@float_ops("Softmax")
def softmax(op: OpShapes) -> Size | None:
    # shift by the maximum: 2, exponential: 1, divide by the sum: 2
    return _times(5, elements(op.input(0)))


@float_ops(
    "Add", "AddV2", "Sub", "Mul", "RealDiv", "Maximum", "Minimum", "Pow",
    "GreaterEqual", "Greater", "LessEqual", "Less", "Equal", "NotEqual",
)  # fmt: skip
def one_per_result(op: OpShapes) -> Size | None:
    return elements(op.output(0))


@float_ops("SquaredDifference")
def squared_difference(op: OpShapes) -> Size | None:
    return _times(2, elements(op.output(0)))


@float_ops("RsqrtGrad")
def reciprocal_root_gradient(op: OpShapes) -> Size | None:
    return _times(4, elements(op.output(0)))


@float_ops("AddN")
def addition_of_many(op: OpShapes) -> Size | None:
    if op.input_count < 2:
        return 0
    return _times(op.input_count - 1, elements(op.input(0)))


# --- many elements into one


@float_ops("Sum", "ArgMax", "ArgMin", "BiasAddGrad")
def reduction(op: OpShapes) -> Size | None:
    read, left = elements(op.input(0)), elements(op.output(0))
    # an empty sum has a result, yet took nothing
    return None if read is None or left is None else _not_below_zero(read - left)


@float_ops("Mean")
def mean(op: OpShapes) -> Size | None:
    # a sum, and a division a result
    return elements(op.input(0))


@float_ops("L2Loss")
def half_squared_norm(op: OpShapes) -> Size | None:
    size = elements(op.input(0))
    return None if size is None else _not_below_zero(3 * size - 1)


# --- matrices


@float_ops("MatMul")
def matrix_product(op: OpShapes) -> Size | None:
    return _product(op, _flag(op, "transpose_a"), _flag(op, "transpose_b"))


@float_ops("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def batched_matrix_product(op: OpShapes) -> Size | None:
    return _product(op, _flag(op, "adj_x"), _flag(op, "adj_y"))


def _product(op: OpShapes, left_turned: bool, right_turned: bool) -> Size | None:  # noqa: FBT001 (two alike)
    summed = _dimension(op.input(0), -2 if left_turned else -1)
    if summed is None:
        summed = _dimension(op.input(1), -1 if right_turned else -2)
    return _times(2, summed, elements(op.output(0)))


# --- convolutions


@float_ops("Conv2D")
def convolution(op: OpShapes) -> Size | None:
    # the third dimension of a filter holds the channels of one group only
    return _sliding_filter(op, 3)


@float_ops("Conv3D")
def convolution_of_volumes(op: OpShapes) -> Size | None:
    return _sliding_filter(op, 4)


@float_ops("DepthwiseConv2dNative", "Dilation2D")
def filter_by_channel(op: OpShapes) -> Size | None:
    return _sliding_filter(op, 2)


def _sliding_filter(op: OpShapes, summed: int) -> Size | None:
    """A result sums over the first `summed` dimensions of the filter."""
    kernel = op.input(1)
    return _times(
        2, elements(op.output(0)), *(_dimension(kernel, index) for index in range(summed))
    )


@float_ops("Conv2DBackpropInput")
def convolution_input_gradient(op: OpShapes) -> Size | None:
    return _convolution_gradient(op, image=op.output(0), kernel=op.input(1))


@float_ops("Conv2DBackpropFilter")
def convolution_filter_gradient(op: OpShapes) -> Size | None:
    return _convolution_gradient(op, image=op.input(0), kernel=op.output(0))


def _convolution_gradient(op: OpShapes, *, image: Open, kernel: Open) -> Size | None:
    """As many as the convolution takes, from the image it read instead of what it made."""
    layout, strides = _text(op, "data_format") or "NHWC", _numbers(op, "strides")
    if layout not in ("NHWC", "NCHW") or len(strides) != len(layout):
        return None
    shared = _times(
        _dimension(image, layout.index("C")),
        strides[layout.index("H")],
        strides[layout.index("W")],
    )
    work = _times(2, elements(image), elements(kernel))
    if work is None or shared is None:
        return None
    return divided(work, shared) if shared else 0


# --- pools


@float_ops("AvgPool", "MaxPool")
def pool(op: OpShapes) -> Size | None:
    return _times(_window(op), elements(op.output(0)))


@float_ops("AvgPoolGrad")
def average_pool_gradient(op: OpShapes) -> Size | None:
    # every element of a window: scaled, then added
    return _times(2, _window(op), elements(op.input(1)))


@float_ops("MaxPoolGrad")
def maximum_pool_gradient(op: OpShapes) -> Size | None:
    # finds the maximum again, then passes one value on
    window = _window(op)
    return None if window is None else _times(window + 1, elements(op.input(1)))


def _window(op: OpShapes) -> Size | None:
    sizes = _numbers(op, "ksize")
    return prod(sizes) if sizes else None


# --- what the rules are written with


def _not_below_zero(size: Size) -> Size:
    return max(0, size) if isinstance(size, int) else size


def _flag(op: OpShapes, name: str) -> bool:
    value = op.attributes.get(name)
    return value is not None and bool(value.b)


def _text(op: OpShapes, name: str) -> str:
    value = op.attributes.get(name)
    return "" if value is None else bytes(value.s).decode(errors="replace")


def _numbers(op: OpShapes, name: str) -> list[int]:
    value = op.attributes.get(name)
    return [] if value is None else [int(number) for number in value.list.i]
