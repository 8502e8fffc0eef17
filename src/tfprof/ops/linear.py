"""Matrix products, Einsum and the decompositions of matrices."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfprof.model.budget import MOST_DIMENSIONS, OverBudget
from tfprof.model.dims import Open, Shape, Size, elements, packed
from tfprof.ops.rule import FLOAT, Call, Count, Family, Infer, Outputs, flops
from tfprof.ops.shape_tools import broadcast, dimension, known_rank, like, per_input, times
from tfprof.wire import dtypes

rule = Family("matrix products")

# --- what Grappler and oneDNN fuse with a product or a convolution

# operations for each element of the result, as in the rules of the ops themselves; GELU is a tanh
# or an error function (4), a cubic inside it (4) and the factor around it (2)
_FUSED = {
    "FusedBatchNorm": 2, "Sigmoid": 4, "Tanh": 4, "GeluApproximate": 10, "GeluExact": 10,
    "_FusedHardSwish": 4, "_MklSwish": 5, "Mish": 8, "Quantize": 2, "Dequantize": 2,
    "Requantize": 2,
}  # fmt: skip


def fused_work(call: Call) -> Size | None:
    """What was fused to the end of an op: one operation an element unless more is known of it."""
    value = call.attributes.get("fused_ops")
    names = [] if value is None else [bytes(name).decode() for name in value.list.s]
    return times(sum(_FUSED.get(name, 1) for name in names), elements(call.output(0)))


# --- products; what is summed over stands last on the left and last but one on the right


def _turned(call: Call) -> tuple[bool, bool]:
    return (
        call.flag("transpose_a") or call.flag("adj_x"),
        call.flag("transpose_b") or call.flag("adj_y"),
    )


def _outer(call: Call) -> tuple[Size | None, Size | None]:
    """Rows and columns of the result."""
    left, right = _turned(call)
    return (
        dimension(call.input(0), -1 if left else -2),
        dimension(call.input(1), -2 if right else -1),
    )


def _matrix(call: Call) -> Outputs:
    return [_outer(call)]


def _matrices(call: Call) -> Outputs:
    one, other = call.input(0), call.input(1)
    if one is None or other is None:
        return [None]
    stack = broadcast(one[:-2], other[:-2])
    return [None if stack is None else (*stack, *_outer(call))]


def _product(call: Call) -> Size | None:
    left, right = _turned(call)
    summed = dimension(call.input(0), -2 if left else -1)
    if summed is None:
        summed = dimension(call.input(1), -1 if right else -2)
    return times(summed, elements(call.output(0)))


def _widened(call: Call) -> Size | None:
    """Numbers of half the width are made float32 first, and so is their product."""
    if not call.inputs or dtypes.base(call.inputs[0].dtype) not in (dtypes.HALF, dtypes.BFLOAT16):
        return 0
    sizes = [elements(one) for one in (call.input(0), call.input(1), call.output(0))]
    known = [size for size in sizes if size is not None]
    return times(4, sum(known)) if len(known) == len(sizes) else None


rule("MatMul | _MklMatMul", _matrix, macs=_product, float_ops=flops, scratch=_widened)
rule("SparseMatMul", _matrix, dtype=FLOAT, macs=_product)
rule("_FusedMatMul _MklNativeFusedMatMul", _matrix, macs=_product, work=fused_work)
rule(
    "_MklFusedMatMul", lambda call: [_outer(call), None], outputs=("product", "mkl_product"),
    dtype=("T", 4), macs=_product, work=fused_work,
)  # fmt: skip
rule(
    "BatchMatMul BatchMatMulV2 | _MklBatchMatMul _MklBatchMatMulV2", _matrices, macs=_product,
    float_ops=flops,
)  # fmt: skip
rule("BatchMatMulV3", _matrices, dtype="Tout", macs=_product, float_ops=flops)
rule("_FusedBatchMatMulV2 _MklFusedBatchMatMulV2", _matrices, macs=_product, work=fused_work)

# --- Einsum

_REST = "..."
# a label a dimension, of two tensors and their product, with blanks between them
_LONGEST_EQUATION = 2 * 3 * MOST_DIMENSIONS


def _operands(call: Call) -> tuple[list[list[str]], list[str]]:
    """The labels of the inputs and of the output; the dimensions of an ellipsis count from it."""
    equation = call.text("equation")
    if len(equation) > _LONGEST_EQUATION:
        raise OverBudget(f"an equation of {len(equation):,} letters is not followed")
    left, arrow, right = equation.replace(" ", "").partition("->")
    if not arrow:
        raise ValueError("an equation without a result")
    return [_labels(part) for part in left.split(",")], _labels(right)


def _labels(part: str) -> list[str]:
    before, rest, after = part.partition(_REST)
    return [*before, *([_REST] if rest else []), *after]


def _sizes(call: Call, operands: Sequence[list[str]]) -> tuple[dict[str, Size | None], Open]:
    """The size of each label, and what the ellipsis stands for."""
    sizes: dict[str, Size | None] = {}
    rest: Open = ()
    for index, labels in enumerate(operands):
        shape = call.input(index)
        hidden: Open = () if _REST not in labels else None
        if shape is not None and _REST in labels:
            start = labels.index(_REST)
            length = len(shape) - len(labels) + 1
            hidden = shape[start : start + length]
            shape = shape[:start] + shape[start + length :]
        plain = [label for label in labels if label != _REST]
        for label, size in zip(plain, known_rank(shape, len(plain)), strict=True):
            sizes[label] = _surer(sizes.get(label), size)
        rest = broadcast(rest, hidden)
    return sizes, rest


def _surer(one: Size | None, other: Size | None) -> Size | None:
    """Two statements about one size: a number says more than a symbol, a symbol than nothing."""
    return other if one is None or isinstance(other, int) else one


def _einsum_shape(call: Call) -> Outputs:
    operands, result = _operands(call)
    sizes, rest = _sizes(call, operands)
    shape: Shape = ()
    for label in result:
        if label == _REST:
            if rest is None:
                return [None]
            shape += rest
        else:
            shape += (sizes[label],)
    return [shape]


def _einsum_macs(call: Call) -> Size | None:
    """Every combination of indices is one product; of a single operand nothing is multiplied."""
    operands, _ = _operands(call)
    if len(operands) < 2:
        return 0
    sizes, rest = _sizes(call, operands)
    return times(*sizes.values(), elements(rest))


def _einsum_work(call: Call) -> Size | None:
    """A single operand is summed over what the result lacks; a transpose or diagonal is free."""
    operands, result = _operands(call)
    if len(operands) > 1 or set(operands[0]) <= set(result):
        return 0
    sizes, rest = _sizes(call, operands)
    read, left = times(*sizes.values(), elements(rest)), elements(call.output(0))
    return None if read is None or left is None else read - left


# the order a CPU kernel brings the labels of an operand into; it also takes the middle two swapped
_SHARED, _OWN, _SUMMED, _ALONE = range(1, 5)
_SWAPPED = {_OWN: _SUMMED, _SUMMED: _OWN}


def _einsum_scratch(call: Call) -> Size | None:
    """Copies in the order of the kernel: of operands, and of a result that is turned afterwards."""
    operands, result = _operands(call)
    dtype = call.inputs[0].dtype
    if len(operands) < 2 or dtypes.bits(dtype) is None:
        return 0
    seen = list(dict.fromkeys(label for labels in operands for label in labels))
    kinds = {label: _kind(label, operands, result) for label in seen}
    copies: list[Size | None] = []
    made: list[str] = []
    for index, labels in enumerate(operands):
        order = sorted(labels, key=lambda label: (kinds[label], seen.index(label)))
        swapped = [_SWAPPED.get(kinds[label], kinds[label]) for label in labels]
        if swapped == sorted(swapped):
            order = labels
        if order != labels:
            copies.append(elements(call.input(index)))
        made += [label for label in order if kinds[label] <= _OWN and label not in made]
    # what both share comes first
    if sorted(made, key=lambda label: kinds[label]) != result:
        copies.append(elements(call.output(0)))
    known = [size for size in copies if size is not None]
    return packed(sum(known, 0), dtype) if len(known) == len(copies) else None


def _kind(label: str, operands: Sequence[list[str]], result: list[str]) -> int:
    if label == _REST:
        return 0
    shared = all(label in labels for labels in operands)
    if label in result:
        return _SHARED if shared else _OWN
    return _SUMMED if shared else _ALONE


rule(
    "Einsum", _einsum_shape, macs=_einsum_macs, work=_einsum_work, scratch=_einsum_scratch
)  # fmt: skip
rule("_MklEinsum XlaEinsum", _einsum_shape, macs=_einsum_macs, work=_einsum_work)

# --- XlaDot: a message in an attribute says which dimensions are summed and which go together


def _dot_axes(message: bytes) -> Mapping[int, list[int]]:
    """The lists of a DotDimensionNumbers: summed left and right 1 and 2, batch left and right 3, 4.

    Small axes only: each takes one byte, packed or not.
    """
    found: dict[int, list[int]] = {1: [], 2: [], 3: [], 4: []}
    place = 0
    while place < len(message):
        field, packed = message[place] >> 3, message[place] & 7 == 2
        length = message[place + 1] if packed else 1
        start = place + 2 if packed else place + 1
        found[field] += message[start : start + length]
        place = start + length
    return found


def _dot_parts(call: Call) -> tuple[Shape, Shape, Shape, Shape] | None:
    """What goes together, what is left on each side, and what is summed."""
    one, other = call.input(0), call.input(1)
    if one is None or other is None:
        return None
    axes = _dot_axes(bytes(call.attributes["dimension_numbers"].s))
    return (
        tuple(one[axis] for axis in axes[3]),
        tuple(size for axis, size in enumerate(one) if axis not in axes[1] + axes[3]),
        tuple(size for axis, size in enumerate(other) if axis not in axes[2] + axes[4]),
        tuple(one[axis] for axis in axes[1]),
    )


def _dot(call: Call) -> Outputs:
    parts = _dot_parts(call)
    return [None if parts is None else parts[0] + parts[1] + parts[2]]


def _dot_macs(call: Call) -> Size | None:
    parts = _dot_parts(call)
    return None if parts is None else elements(sum(parts, ()))


rule("XlaDot", _dot, macs=_dot_macs)
rule("XlaDotV2", _dot, dtype="preferred_element_type", macs=_dot_macs)

# --- decompositions and equations: cubic in the side of a matrix, with the usual leading factors


def _cubic(numerator: int, denominator: int = 1) -> Count:
    """Per element of the input once its columns, times a fraction."""

    def work(call: Call) -> Size | None:
        count = times(numerator, elements(call.input(0)), dimension(call.input(0), -1))
        return None if count is None else count // denominator

    return work


def _solved(call: Call) -> Outputs:
    """As many columns as the right side, as many rows as there are unknowns."""
    matrix, right = call.input(0), call.input(1)
    if matrix is None or right is None:
        return [None]
    stack = broadcast(matrix[:-2], right[:-2])
    return [None if stack is None else (*stack, dimension(matrix, -1), dimension(right, -1))]


def _substituted(call: Call) -> Size | None:
    """A multiplication and an addition for half of the matrix, for each entry of the result."""
    return times(dimension(call.input(0), -1), elements(call.output(0)))


def _eliminated(call: Call) -> Size | None:
    first, then = _cubic(2, 3)(call), times(2, _substituted(call))
    return None if first is None or then is None else first + then


def _without(dropped: int, count: int = 1) -> Infer:
    """The input without its last dimensions."""
    return lambda call: [_head(call.input(0), dropped)] * count


def _head(shape: Open, dropped: int) -> Open:
    return None if shape is None else shape[: len(shape) - dropped]


rule("Cholesky BatchCholesky RiscCholesky", like(), work=_cubic(1, 3))
rule("CholeskyGrad BatchCholeskyGrad", like(), work=_cubic(2))
rule("MatrixInverse BatchMatrixInverse", like(), work=_cubic(2))
# scaling and squaring, or a Schur form: some ten products
rule("MatrixExponential MatrixLogarithm MatrixSquareRoot", like(), work=_cubic(20))
rule("MatrixDeterminant BatchMatrixDeterminant", _without(2), work=_cubic(2, 3))
rule(
    "LogMatrixDeterminant", _without(2, 2), outputs=("sign", "log_abs_determinant"),
    work=_cubic(2, 3),
)  # fmt: skip
rule("MatrixSolve BatchMatrixSolve", _solved, work=_eliminated)
rule("MatrixSolveLs BatchMatrixSolveLs", _solved, work=_eliminated)
rule(
    "MatrixTriangularSolve BatchMatrixTriangularSolve RiscTriangularSolve", _solved,
    work=_substituted,
)  # fmt: skip
rule("BandedTriangularSolve", _solved, work=lambda call: times(
    2, dimension(call.input(0), -2), elements(call.output(0))
))  # fmt: skip
rule("TridiagonalSolve", like(1), work=per_input(8, 1))
rule("TridiagonalMatMul", like(3), work=per_input(5, 3))


def _eigen(call: Call) -> Outputs:
    values = _head(call.input(0), 1)
    # vectors that were not asked for are an empty output
    asked = "compute_v" not in call.attributes or call.flag("compute_v")
    return [values, call.input(0) if asked else (0,)]


rule(
    "SelfAdjointEigV2 BatchSelfAdjointEigV2", _eigen, outputs=("e", "v"), work=_cubic(9),
)  # fmt: skip
# not symmetric: some iterations more
rule("Eig", _eigen, outputs=("e", "v"), dtype="Tout", work=_cubic(25))


def _values_above_vectors(call: Call) -> Outputs:
    shape = call.input(0)
    side = dimension(shape, -1)
    if shape is None:
        return [None]
    return [(*shape[:-2], None if side is None else side + 1, side)]


rule("SelfAdjointEig BatchSelfAdjointEig", _values_above_vectors, work=_cubic(9))


def _sides(call: Call) -> tuple[Shape, Size | None, Size | None, Size | None] | None:
    """What stands before a matrix, its rows, its columns and the smaller of them."""
    shape = call.input(0)
    if shape is None or len(shape) < 2:
        return None
    rows, columns = shape[-2:]
    both = isinstance(rows, int) and isinstance(columns, int)
    fewer = rows if rows == columns else None
    return shape[:-2], rows, columns, min(rows, columns) if both else fewer  # type: ignore[type-var]


def _qr(call: Call) -> Outputs:
    sides = _sides(call)
    if sides is None:
        return [None, None]
    stack, rows, columns, fewer = sides
    if call.flag("full_matrices"):
        return [(*stack, rows, rows), (*stack, rows, columns)]
    return [(*stack, rows, fewer), (*stack, fewer, columns)]


def _svd(call: Call) -> Outputs:
    sides = _sides(call)
    if sides is None:
        return [None, None, None]
    stack, rows, columns, fewer = sides
    if "compute_uv" in call.attributes and not call.flag("compute_uv"):
        return [(*stack, fewer), (0,), (0,)]
    if call.flag("full_matrices"):
        return [(*stack, fewer), (*stack, rows, rows), (*stack, columns, columns)]
    return [(*stack, fewer), (*stack, rows, fewer), (*stack, columns, fewer)]


rule("Qr", _qr, outputs=("q", "r"), work=_cubic(4))
rule("Svd BatchSvd", _svd, outputs=("s", "u", "v"), work=_cubic(20))
rule(
    "Lu", lambda call: [call.input(0), _head(call.input(0), 1)], outputs=("lu", "p"),
    dtype=("T", "output_idx_type"), work=_cubic(2, 3),
)  # fmt: skip
