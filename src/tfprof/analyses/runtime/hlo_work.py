"""FLOPs and bytes of XLA's instructions, from the shapes in their program."""

from __future__ import annotations

from collections.abc import Mapping
from math import isqrt, prod

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.hlo_programs import Program
from tfprof.wire.schema import Proto

# bytes of XLA's element types, by their numbers; those of 4 bits and fewer take a byte here
_SIZES = {
    1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 2, 8: 4, 9: 8, 10: 2, 11: 4, 12: 8, 15: 8, 16: 2, 18: 16,
    19: 1, 20: 1, 21: 1, 22: 1, 23: 1, 24: 1, 25: 1, 28: 1, 29: 1, 32: 1, 33: 1,
}  # fmt: skip
# an operation for each element that comes out
_ELEMENTWISE = frozenset((
    "abs", "add", "and", "atan2", "cbrt", "ceil", "clamp", "compare", "cosine", "divide", "erf",
    "exponential", "exponential-minus-one", "floor", "is-finite", "log", "log-plus-one", "logistic",
    "maximum", "minimum", "multiply", "negate", "not", "or", "popcnt", "power", "remainder",
    "round-nearest-afz", "round-nearest-even", "rsqrt", "select", "sign", "sine", "sqrt",
    "subtract", "tan", "tanh", "xor",
))  # fmt: skip
# for each element that goes in
_OVER_INPUT = frozenset(("reduce", "all-reduce", "reduce-scatter"))
_CALLS = frozenset(("fusion", "call", "map"))
# what runs instructions that are events of their own
_AROUND = frozenset(("while", "conditional", "async-start", "async-done"))
_PRODUCTS = ("__cublas$gemm", "__cublas$lt$matmul", "__triton_gemm", "__onednn$matmul")
_MATRIX = 2


@frozen_dataclass
class HloWork:
    flops: int
    bytes: int


def works_of(program: Program) -> Mapping[str, HloWork | None]:
    """Of one execution of each instruction; None where nobody knows what it computes."""
    computations = {one.id: one for one in program.module.computations}
    found: dict[str, HloWork | None] = {}
    for computation in computations.values():
        made = {one.id: one for one in computation.instructions}
        for one in computation.instructions:
            flops = _flops(one, made, computations)
            found[one.name] = None if flops is None else HloWork(flops, _moved(one, made))
    return found


def _flops(
    first: Proto, around: Mapping[int, Proto], computations: Mapping[int, Proto]
) -> int | None:
    """With the instructions that were fused into it."""
    total = 0
    waiting = [(first, around)]
    seen: set[int] = set()
    while waiting:
        one, made = waiting.pop()
        if one.opcode not in _CALLS:
            own = _own_flops(one, made)
            if own is None:
                return None
            total += own
            continue
        for number in one.called_computation_ids:
            if number in computations and number not in seen:
                seen.add(number)
                inner = computations[number]
                inside = {part.id: part for part in inner.instructions}
                waiting += [(part, inside) for part in inner.instructions]
    return total


def _own_flops(one: Proto, made: Mapping[int, Proto]) -> int | None:
    opcode = one.opcode
    if opcode in _ELEMENTWISE:
        return _elements(one.shape)
    operands = [made[number].shape for number in one.operand_ids if number in made]
    if opcode in _OVER_INPUT:
        return _elements(operands[0]) if operands else 0
    if opcode == "dot" and operands:
        sizes = list(operands[0].dimensions)
        axes = one.dot_dimension_numbers.lhs_contracting_dimensions
        inner: int = prod(sizes[axis] for axis in axes if axis < len(sizes))
        return 2 * _elements(one.shape) * inner
    if opcode == "convolution" and len(operands) >= _MATRIX:
        kernel = list(operands[1].dimensions)
        axis = one.convolution_dimension_numbers.kernel_input_feature_dimension
        window: int = prod(side.size for side in one.window.dimensions)
        features: int = kernel[axis] if axis < len(kernel) else 1
        return 2 * _elements(one.shape) * window * features
    if opcode == "custom-call":
        return _of_library(one, operands)
    return 0


def _of_library(one: Proto, operands: list[Proto]) -> int | None:
    """A product of two matrices has the FLOPs that the sizes of all three tell."""
    result = one.shape.tuple_shapes[0] if one.shape.tuple_shapes else one.shape
    is_product = one.custom_call_target.startswith(_PRODUCTS)
    if not is_product or len(operands) < _MATRIX or len(result.dimensions) != _MATRIX:
        return None
    sizes = (*map(_elements, operands[:_MATRIX]), _elements(result))
    return 2 * isqrt(prod(sizes))


def _moved(one: Proto, made: Mapping[int, Proto]) -> int:
    """What goes in and what comes out; inside a fusion nothing is written."""
    if one.opcode in _AROUND:
        return 0
    read = sum(_bytes(made[number].shape) for number in one.operand_ids if number in made)
    return read + _bytes(one.shape)


def _elements(shape: Proto) -> int:
    return prod(max(0, size) for size in shape.dimensions)


def _bytes(shape: Proto) -> int:
    whole, waiting = 0, [shape]
    while waiting:
        one = waiting.pop()
        if one.tuple_shapes:
            waiting += one.tuple_shapes
        else:
            whole += _elements(one) * _SIZES.get(one.element_type, 0)
    return whole
