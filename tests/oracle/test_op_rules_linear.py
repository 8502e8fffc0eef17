"""Matrix products, Einsum and decompositions against TensorFlow."""

from random import Random

import pytest
import tensorflow as tf
from op_oracle import Batch, Given, Node, check, run_on_ones, scratch_of

SEEDS = range(10)


def flipped(shape, turned):
    return [*shape[:-2], shape[-1], shape[-2]] if turned else shape


def operands(random, stack_left, stack_right):
    """Two shapes that fit, and whether each is turned."""
    rows, summed, columns = (random.randint(1, 6) for _ in range(3))
    left, right = random.random() < 0.5, random.random() < 0.5
    one = Given(*flipped([*stack_left, rows, summed], left))
    other = Given(*flipped([*stack_right, summed, columns], right))
    return one, other, left, right


def counts_products(node):
    """A product of ones with ones sums up to the number of products."""
    checked = check(node)
    assert checked.counted("macs") == int(run_on_ones(checked.operation)[0].sum())


@pytest.mark.parametrize("seed", SEEDS)
def test_matrices(seed):
    random = Random(seed)  # noqa: S311
    one, other, left, right = operands(random, [], [])
    counts_products(Node("MatMul", one, other, transpose_a=left, transpose_b=right))
    counts_products(Node("SparseMatMul", one, other, transpose_a=left, transpose_b=right))


@pytest.mark.parametrize("left", [False, True])
@pytest.mark.parametrize("right", [False, True])
def test_batch_in_a_matrix(left, right):
    shape = flipped([Batch(5), 7], left)
    other = flipped([7, 3], right)
    node = Node("MatMul", Given(*shape), Given(*other), transpose_a=left, transpose_b=right)
    counts_products(node)
    # the gradient of the weights sums over the batch
    gradient = Node("MatMul", Given(Batch(5), 7), Given(Batch(5), 3), transpose_a=True)
    counts_products(gradient)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("op", ["BatchMatMul", "BatchMatMulV2", "BatchMatMulV3"])
def test_stacks_of_matrices(seed, op):
    random = Random(seed)  # noqa: S311
    stack = [Batch(3), *(random.randint(2, 4) for _ in range(random.randint(0, 2)))]
    other = list(stack)
    if op != "BatchMatMul":
        # a size of 1 stretches, and so does what is not there
        other = [1 if random.random() < 0.3 else size for size in stack][random.randint(0, 1) :]
    one, two, left, right = operands(random, stack, other)
    more = {"Tout": tf.float32} if op.endswith("V3") else {}
    counts_products(Node(op, one, two, adj_x=left, adj_y=right, **more))


def test_type_of_the_result_may_differ():
    node = Node(
        "BatchMatMulV3", Given(2, 3, 4, dtype="int8"), Given(2, 4, 5, dtype="int8"), Tout=tf.int32
    )
    check(node)


@pytest.mark.parametrize("op", ["_FusedMatMul", "_MklNativeFusedMatMul"])
def test_fused(op):
    checked = check(
        Node(op, Given(Batch(4), 6), Given(6, 5), [Given(5)], fused_ops=["BiasAdd", "Tanh"])
    )
    assert checked.counted("macs") == 4 * 6 * 5
    assert checked.counted("work") == 4 * 5 * (1 + 4)


def test_fused_stack():
    checked = check(
        Node(
            "_MklFusedBatchMatMulV2", Given(Batch(2), 3, 4, 6), Given(Batch(2), 3, 6, 5),
            [Given(1)], fused_ops=["Mul"],
        )
    )  # fmt: skip
    assert checked.counted("macs") == 2 * 3 * 4 * 6 * 5
    assert checked.counted("work") == 2 * 3 * 4 * 5


# --- Einsum

SIZES = {"a": Batch(3), "b": 2, "c": 4, "d": 5, "e": 6, "h": 2}
EQUATIONS = [
    "ab,bc->ac", "abc,cd->abd", "abcd,aecd->aceb", "acbe,aecd->abcd", "aecd,abcd->acbe", "ab,ab->",
    "ab,ab->ab", "a,b->ab", "abc,ce->abe", "ab,cd->abcd", "abc,bd->acd", "aab,b->a", "abc,bcd->ad",
]  # fmt: skip


@pytest.mark.parametrize("equation", EQUATIONS)
def test_einsum(equation):
    parts = equation.partition("->")[0].split(",")
    given = [Given(*(SIZES[label] for label in part)) for part in parts]
    counts_products(Node("Einsum", given, equation=equation))


ORDERED = [
    "abc,acd->abd", "abc,cda->abd", "aecd,abcd->acbe", "acbe,aecd->abcd", "abc,cde->abde",
    "abcd,cde->abe", "abe,cde->abcd", "abcd,abe->cde", "abde,cde->abc", "cb,ab->ac", "ab,bc->ca",
    "bac,bcd->abd", "abc,bd->dac",
]  # fmt: skip


@pytest.mark.parametrize("equation", ORDERED)
def test_scratch_of_einsum(equation):
    """Labels of this order are copied, as a run shows."""
    parts = equation.partition("->")[0].split(",")
    given = [Given(*(SIZES[label] for label in part)) for part in parts]
    checked = check(Node("Einsum", given, equation=equation))
    assert checked.counted("scratch") == scratch_of(checked.operation)


REST = [
    ("...ab,...bc->...ac", [3, 1], [5]), ("...ab,bc->...ac", [2, 3], []),
    ("a...,a...->...", [4], [2, 1]), ("ab...,bc->ac...", [2], []), ("...,...->...", [3, 1], [4]),
    ("...a,...a->...", [], [3]),
]  # fmt: skip


@pytest.mark.parametrize(("equation", "left", "right"), REST)
def test_einsum_with_an_ellipsis(equation, left, right):
    def shape(part, rest):
        before, dots, after = part.partition("...")
        return [*(SIZES[x] for x in before), *(rest if dots else []), *(SIZES[x] for x in after)]

    parts = equation.partition("->")[0].split(",")
    given = [Given(*shape(part, rest)) for part, rest in zip(parts, (left, right), strict=True)]
    counts_products(Node("Einsum", given, equation=equation))


@pytest.mark.parametrize("seed", SEEDS)
def test_einsum_at_random(seed):
    random = Random(seed)  # noqa: S311
    labels = "abcde"
    one = random.sample(labels, random.randint(1, 4))
    other = random.sample(labels, random.randint(1, 4))
    result = [label for label in labels if label in one + other and random.random() < 0.6]
    random.shuffle(result)
    equation = f"{''.join(one)},{''.join(other)}->{''.join(result)}"
    given = [Given(*(SIZES[label] for label in part)) for part in (one, other)]
    counts_products(Node("Einsum", given, equation=equation))


@pytest.mark.parametrize(
    ("equation", "work"), [("abc->cab", 0), ("abc->ab", 18), ("aab->ab", 0), ("a...->...a", 0)]
)
def test_einsum_of_one(equation, work):
    shape = [3, 3, 4] if equation.startswith("aa") else [Batch(3), 2, 4]
    checked = check(Node("Einsum", [Given(*shape)], equation=equation))
    assert checked.counted("macs") == 0
    assert checked.counted("work") == work


def dot_numbers(*lists):
    """A DotDimensionNumbers, its lists packed."""
    return b"".join(
        bytes([field << 3 | 2, len(axes), *axes]) for field, axes in enumerate(lists, 1) if axes
    )


@pytest.mark.parametrize(
    ("one", "other", "lists", "made", "macs"),
    [
        ([Batch(3), 4, 5], [Batch(3), 5, 6], ([2], [1], [0], [0]), (3, 4, 6), 3 * 4 * 5 * 6),
        ([Batch(3), 4], [5, 4], ([1], [1], [], []), (3, 5), 3 * 4 * 5),
        ([4, Batch(3), 2], [2, 4, 7], ([0, 2], [1, 0], [], []), (3, 7), 4 * 3 * 2 * 7),
    ],
)
def test_dot(one, other, lists, made, macs):
    numbers = dot_numbers(*lists)
    for op, more in (("XlaDot", {}), ("XlaDotV2", {"preferred_element_type": tf.float32})):
        node = Node(
            op, Given(*one), Given(*other), dimension_numbers=numbers, precision_config=b"", **more
        )
        checked = check(node)
        assert checked.call.outputs[0].shape == made
        assert checked.counted("macs") == macs


# --- decompositions

SQUARE, TALL, WIDE = (Batch(3), 4, 4), (Batch(3), 6, 4), (Batch(3), 4, 6)


@pytest.mark.parametrize(
    "op",
    [
        "Cholesky", "MatrixInverse", "MatrixLogarithm", "MatrixSquareRoot", "MatrixDeterminant",
        "LogMatrixDeterminant", "SelfAdjointEigV2", "Lu", "Qr", "Svd",
    ],
)  # fmt: skip
def test_one_square_matrix(op):
    dtype = "complex64" if op == "MatrixLogarithm" else "float32"
    checked = check(Node(op, Given(*SQUARE, dtype=dtype)))
    assert checked.counted("work") > 0


def test_eigenvalues():
    check(Node("Eig", Given(*SQUARE), Tout=tf.complex64))
    checked = check(Node("SelfAdjointEigV2", Given(*SQUARE), compute_v=False))
    assert checked.call.outputs[1].shape == (0,)


@pytest.mark.parametrize("shape", [TALL, WIDE])
@pytest.mark.parametrize("full", [False, True])
def test_decompositions(shape, full):
    check(Node("Qr", Given(*shape), full_matrices=full))
    check(Node("Svd", Given(*shape), full_matrices=full))
    checked = check(Node("Svd", Given(*shape), compute_uv=False))
    assert checked.call.outputs[0].shape == (3, 4)


def test_equations():
    right = Given(Batch(3), 4, 2)
    check(Node("MatrixSolve", Given(*SQUARE), right))
    check(Node("MatrixTriangularSolve", Given(*SQUARE), right))
    check(Node("MatrixTriangularSolve", Given(4, 4), right))
    check(Node("MatrixSolveLs", Given(*WIDE), right, Given(value=0.0, dtype="float64")))
    check(Node("CholeskyGrad", Given(*SQUARE), Given(*SQUARE)))
    check(Node("BandedTriangularSolve", Given(Batch(3), 2, 5), Given(Batch(3), 5, 2)))
    check(Node("TridiagonalSolve", Given(Batch(3), 3, 5), Given(Batch(3), 5, 2)))
    third = Given(Batch(3), 1, 5)
    check(Node("TridiagonalMatMul", third, third, third, Given(Batch(3), 5, 2)))
