"""Shapes as values: the same whole numbers as TensorFlow's, also with the batch as a symbol."""

import numpy as np
import pytest
import tensorflow as tf
from array_oracle import BATCH, check, follow, seeded

from tfprof.model.dims import symbol
from tfprof.ops.rule import INT32, Call, Tensor, rules

RAW = tf.raw_ops
B = symbol("B")


def ints(*entries):
    return tf.constant(entries, tf.int32)


def last(known):
    return list(known.values())[-1]


def test_shape_size_and_rank_hold_the_symbol():
    known = check(
        lambda x: [RAW.Shape(input=x), RAW.Shape(input=x, out_type=tf.int64), RAW.Size(input=x),
                   RAW.Rank(input=x)],
        (("B", 4, 5), "float32"),
    )  # fmt: skip
    assert [one.value for one in known.values()][1:] == [(B, 4, 5), (B, 4, 5), (B * 20,), (3,)]
    assert [one.shape for one in known.values()][1:] == [(3,), (3,), (), ()]


def test_shape_n():
    known = check(lambda x, y: RAW.ShapeN(input=[x, y]), (("B", 2), "float32"), (("B",), "float32"))
    assert last(known).value == (B,)


def test_absent_attributes_are_the_usual_ones():
    (found,) = rules()["Shape"].infer(Call("s", "Shape", [Tensor((2, B))]))
    assert found == Tensor((2,), INT32, (2, B))


def test_a_shape_of_unknown_rank():
    (found,) = rules()["Shape"].infer(Call("s", "Shape", [Tensor()]))
    assert found == Tensor((None,), INT32)
    (size,) = rules()["Size"].infer(Call("s", "Size", [Tensor((None, 2))]))
    assert size == Tensor((), INT32)


@pytest.mark.parametrize("seed", range(40))
def test_ranges(seed):
    pick = seeded(seed)
    step = pick.choice([-3, -2, -1, 1, 2, 3])
    start = pick.randint(-5, 5)
    limit = start + pick.randint(0, 12) * (1 if step > 0 else -1)
    known = check(lambda: RAW.Range(start=start, limit=limit, delta=step))
    assert last(known).value == tuple(range(start, limit, step))


def test_a_range_up_to_the_batch():
    known = check(
        lambda x: [
            RAW.Range(start=0, limit=RAW.Shape(input=x)[0], delta=1),
            RAW.Range(start=0, limit=RAW.Size(input=x), delta=RAW.Shape(input=x)[0]),
        ],
        (("B", 4), "float32"),
    )
    assert known["Range:0"].shape == (B,)
    assert known["Range_1:0"].value == (0, B, B * 2, B * 3)


def _gradient_axes(one, other):
    return check(
        lambda: RAW.BroadcastGradientArgs(s0=tf.constant(one, tf.int32),
                                          s1=tf.constant(other, tf.int32))
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_broadcast_gradient_axes(seed):
    pick = seeded(seed)
    whole = [pick.choice([1, 2, 3, 7]) for _ in range(pick.randint(0, 4))]
    one, other = (
        [pick.choice([size, 1]) for size in whole][pick.randint(0, len(whole)) :] for _ in range(2)
    )
    known = _gradient_axes(one, other)
    assert all(tensor.value is not None for tensor in known.values())


@pytest.mark.parametrize(
    ("one", "other", "axes"),
    [
        ((B, 4), (4,), ((), (0,))),
        ((B, 4), (B, 1), ((), (1,))),
        ((B, 1, 5), (4, 1), ((1,), (0, 2))),
        ((B, 4), (B, 4), ((), ())),
        ((B, B * 2), (B * 2,), ((), (0,))),
        ((B, 4), (), ((), (0, 1))),
        ((None, 4), (1, 4), ((), (0,))),
        # either may be stretched
        ((B, 4), (7, 4), (None, None)),
        ((None, 4), (None, 4), (None, None)),
    ],
)
def test_broadcast_gradient_axes_of_symbols(one, other, axes):
    inputs = [Tensor((len(one),), INT32, one), Tensor((len(other),), INT32, other)]
    rule = rules()["BroadcastGradientArgs"]
    assert tuple(found.value for found in rule.infer(Call("r", rule.ops[0], inputs))) == axes
    assert rule.outputs == ("r0", "r1")


def test_broadcast_gradient_axes_followed_by_the_sum():
    def build(x, y):
        total = RAW.AddV2(x=x, y=y)
        shape_x, shape_y = RAW.Shape(input=x), RAW.Shape(input=y)
        over_x, over_y = RAW.BroadcastGradientArgs(s0=shape_x, s1=shape_y)
        RAW.Reshape(tensor=RAW.Sum(input=total, axis=over_x), shape=shape_x)
        RAW.Reshape(tensor=RAW.Sum(input=total, axis=over_y), shape=shape_y)

    known = check(build, (("B", 1, 4), "float32"), ((5, 4), "float32"))
    assert known["Sum:0"].shape == (B, 4)
    assert known["Sum_1:0"].shape == (5, 4)
    assert known["Reshape:0"].shape == (B, 1, 4)


@pytest.mark.parametrize("seed", range(20))
def test_broadcast_args(seed):
    pick = seeded(seed)
    whole = [pick.choice([1, 2, 3]) for _ in range(pick.randint(0, 4))]
    one, other = (
        [pick.choice([size, 1]) for size in whole][pick.randint(0, len(whole)) :] for _ in range(2)
    )
    known = check(
        lambda: RAW.BroadcastArgs(s0=tf.constant(one, tf.int32), s1=tf.constant(other, tf.int32))
    )
    assert last(known).value == np.broadcast_shapes(tuple(one), tuple(other))


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -3])
def test_offsets_of_a_concatenation(axis):
    def build(*parts):
        RAW.ConcatOffset(concat_dim=axis, shape=RAW.ShapeN(input=list(parts)))

    shapes = [["B", 4, 5] for _ in range(3)]
    if axis % 3:
        for at, shape in enumerate(shapes):
            shape[axis] = at + 2
    known = check(build, *((shape, "float32") for shape in shapes))
    expected = B * 2 if axis % 3 == 0 else 5
    assert known["ConcatOffset:2"].value[axis] == expected


@pytest.mark.parametrize("seed", range(10))
def test_inverted_permutations(seed):
    order = list(range(seed % 5 + 1))
    seeded(seed).shuffle(order)
    known = check(lambda: RAW.InvertPermutation(x=ints(*order)))
    assert last(known).value == tuple(np.argsort(order))


def test_stitched_shapes_as_in_the_gradient_of_a_sum():
    def build(x):
        shape = RAW.Shape(input=x)
        axes = ints(1, 2)
        RAW.DynamicStitch(
            indices=[RAW.Range(start=0, limit=RAW.Rank(input=x), delta=1), axes],
            data=[shape, RAW.Fill(dims=RAW.Shape(input=axes), value=1)],
        )

    known = check(build, (("B", 4, 5, 6), "float32"))
    assert last(known).value == (B, 1, 1, 6)


@pytest.mark.parametrize("seed", range(20))
def test_stitched_rows(seed):
    pick = seeded(seed)
    order = list(range(pick.randint(1, 6)))
    pick.shuffle(order)
    cut = pick.randint(0, len(order))
    rest = pick.choice([(), (2,), (2, 3)])
    indices = [order[:cut], pick.choice([order[cut:], [order[cut:]]])]

    def build(x):
        data = [
            tf.constant(pick.randint(0, 9), tf.int32, (*np.shape(place), *rest))
            for place in indices
        ]
        places = [tf.constant(place, tf.int32, np.shape(place)) for place in indices]
        RAW.DynamicStitch(indices=places, data=data)
        RAW.ParallelDynamicStitch(indices=places, data=data)
        RAW.DynamicStitch(indices=[0], data=[x])

    known = check(build, (("B", 3), "float32"))
    assert known["DynamicStitch:0"].value is not None
    assert known["DynamicStitch_1:0"].shape == (1, B, 3)


def test_the_last_of_two_rows_at_one_place_wins():
    known = check(
        lambda: RAW.DynamicStitch(indices=[ints(0, 1), ints(1)], data=[ints(5, 6), ints(7)])
    )
    assert last(known).value == (5, 7)


def test_fill():
    def build(x):
        shape = RAW.Shape(input=x)
        RAW.Fill(dims=shape, value=1.0)
        RAW.Fill(dims=ints(2, 2), value=shape[0])
        RAW.Fill(dims=ints(1), value=4)
        RAW.Fill(dims=tf.constant([], tf.int32), value=4)
        RAW.Fill(dims=ints(64, 64), value=4)

    known = check(build, (("B", 4), "float32"))
    assert known["Fill:0"].shape == (B, 4)
    assert known["Fill_1:0"].value == (B,) * 4
    assert (known["Fill_2:0"].shape, known["Fill_3:0"].shape) == ((1,), ())
    assert known["Fill_3:0"].value == (4,)
    assert known["Fill_4:0"].value is None


def test_variable_shape():
    def build():
        handle = RAW.VarHandleOp(dtype=tf.float32, shape=(4, 5))
        RAW.VariableShape(input=handle)
        RAW.ResourceGather(resource=handle, indices=ints(1, 2, 0), dtype=tf.float32)
        RAW.ResourceGather(resource=handle, indices=0, dtype=tf.float32)
        RAW.ResourceGather(
            resource=handle, indices=tf.zeros((4, 2), tf.int32), dtype=tf.float32, batch_dims=1
        )
        RAW.ResourceGatherNd(resource=handle, indices=[[1, 2], [0, 0]], dtype=tf.float32)

    known = check(build)
    assert known["VariableShape:0"].value == (4, 5)
    assert known["ResourceGather:0"].shape == (3, 5)


def test_ensured_shapes():
    known = check(
        lambda x: RAW.EnsureShape(input=x, shape=[None, 4]), (("B", None), "float32"), run=False
    )
    assert last(known).shape == (B, 4)


@pytest.mark.parametrize("layouts", [("NHWC", "NCHW"), ("NCHW", "NHWC"), ("NHWC", "HWNC")])
def test_shapes_in_another_layout(layouts):
    source, target = layouts
    kinds = {"src_format": source, "dst_format": target}

    def build(x):
        RAW.DataFormatVecPermute(x=RAW.Shape(input=x), **kinds)
        RAW.DataFormatVecPermute(x=ints(7, 8), **kinds)
        RAW.DataFormatVecPermute(x=tf.reshape(tf.range(8), (4, 2)), **kinds)
        RAW.DataFormatDimMap(x=ints(0, 1, -1, 3), **kinds)
        RAW.DataFormatDimMap(x=2, **kinds)

    known = check(build, (("B", 4, 5, 6), "float32"))
    shape = dict(zip(source, (B, 4, 5, 6), strict=True))
    assert known["DataFormatVecPermute:0"].value == tuple(shape[letter] for letter in target)
    found = [one for name, one in known.items() if name.startswith("DataFormat")]
    assert all(one.value is not None for one in found)


GRADIENTS = {
    "stretched": lambda x: tf.ones((1, 6)) * x + tf.ones((5, 1, 1)) * x,
    "a reshape": lambda x: tf.reshape(x, [-1, 2, 3]) * 2.0,
    "a flat one": lambda x: tf.reshape(x, [tf.shape(x)[0] * 6]) / 3.0,
    "a sum": lambda x: tf.reduce_sum(x, 1, keepdims=True) - x,
    "a sum of all": tf.reduce_sum,
    "a mean": lambda x: tf.reduce_mean(x, [1]),
    "a mean of the batch": lambda x: tf.reduce_mean(x, 0),
    "a product": lambda x: tf.reduce_prod(x, 1),
    "a maximum": lambda x: tf.reduce_max(x, -1),
    "a concatenation": lambda x: tf.concat([x, x * 2.0, tf.ones_like(x)], 1),
    "batches joined": lambda x: tf.concat([x, x * 2.0], 0),
    "a stack": lambda x: tf.stack([x, x * 2.0], 1),
    "parts": lambda x: tf.add(*tf.split(x, 2, 1)),
    "uneven parts": lambda x: tf.split(x, [2, 4], 1)[1],
    "rows": lambda x: tf.unstack(x, axis=1)[2],
    "a slice": lambda x: x[:, 1:-1:2],
    "one of the batch": lambda x: x[0] * 2.0,
    "a slice by size": lambda x: tf.slice(x, [0, 2], [-1, 3]),
    "a gather": lambda x: tf.gather(x, [0, 2, 1], axis=1),
    "a gather along the batch": lambda x: tf.gather(x, tf.range(tf.shape(x)[0]), batch_dims=0)[1:],
    "a pad": lambda x: tf.pad(x, [[0, 0], [1, 2]]),
    "a tile": lambda x: tf.tile(x, [1, 3]),
    "a transpose": lambda x: tf.transpose(x, [1, 0]),
    "a broadcast": lambda x: tf.broadcast_to(x, [4, tf.shape(x)[0], 6]),
    "an expansion": lambda x: tf.squeeze(x[:, None] * tf.ones((1, 3, 1))[:, :1], 1),
    "segments": lambda x: tf.math.unsorted_segment_sum(x, tf.range(tf.shape(x)[0]), 4),
    "a running sum": lambda x: tf.cumsum(x, 1),
    "a norm": tf.nn.l2_loss,
}


@pytest.mark.parametrize("forward", GRADIENTS.values(), ids=GRADIENTS.keys())
def test_backward_passes_are_known_all_through(forward):
    def build(x):
        y = forward(x)
        (gradient,) = tf.gradients(y * y, x)
        if isinstance(gradient, tf.IndexedSlices):
            gradient = tf.math.unsorted_segment_sum(
                gradient.values, gradient.indices, gradient.dense_shape[0]
            )
        tf.identity(gradient, name="found")

    known = check(build, (("B", 6), "float32"), declared=False)
    assert known["found:0"].shape == (B, 6)
    for name, tensor in known.items():
        assert tensor.shape is not None, name
        assert None not in tensor.shape, name


def test_what_depends_on_the_data_is_open():
    def build(x, y):
        RAW.Unique(x=x)
        RAW.UniqueV2(x=y, axis=[1])
        RAW.UniqueWithCounts(x=x)
        RAW.UniqueWithCountsV2(x=y, axis=[0])
        RAW.ListDiff(x=x, y=x)
        RAW.Where(condition=y)
        RAW.Bincount(arr=x, size=5, weights=tf.constant([], tf.float32))
        RAW.DenseBincount(input=x, size=5, weights=tf.constant([], tf.float32))
        RAW.DenseBincount(input=y, size=5, weights=tf.constant([], tf.float32))

    known = check(build, (("B",), "int32"), (("B", 3), "int32"))
    assert known["Unique:0"].shape == (None,)
    assert known["Unique:1"].shape == (B,)
    assert known["UniqueV2:0"].shape == (B, None)
    assert known["Where:0"].shape == (None, 2)
    assert known["DenseBincount:0"].shape == (5,)
    assert known["DenseBincount_1:0"].shape == (B, 5)


@pytest.mark.parametrize("seed", range(10))
def test_lists_of_known_numbers(seed):
    pick = seeded(seed)
    entries = [pick.randint(0, 4) for _ in range(6)]

    def build():
        RAW.Unique(x=ints(*entries))
        RAW.UniqueWithCounts(x=ints(*entries))
        RAW.ListDiff(x=ints(*entries), y=ints(pick.randint(0, 4), pick.randint(0, 4)))
        RAW.Where(condition=ints(*entries))

    known = check(build)
    assert all(tensor.value is not None for tensor in known.values())


# --- reductions

REDUCTIONS = ("Sum", "Prod", "Max", "Min", "Mean", "EuclideanNorm")


@pytest.mark.parametrize("seed", range(30))
def test_reduced_shapes(seed):
    pick = seeded(seed)
    rank = pick.randint(0, 4)
    shape = ["B" if pick.random() < 0.3 else pick.randint(1, 4) for _ in range(rank)]
    over = [axis - rank * pick.randint(0, 1) for axis in range(rank) if pick.random() < 0.5]

    def build(x, y):
        for keep in (False, True):
            for op in REDUCTIONS:
                getattr(RAW, op)(input=x, axis=tf.constant(over, tf.int32), keep_dims=keep)
            for op in (RAW.All, RAW.Any):
                op(input=y, axis=tf.constant(over, tf.int32), keep_dims=keep)
        if rank:
            axis = pick.randint(-rank, rank - 1)
            RAW.ArgMax(input=x, dimension=axis)
            RAW.ArgMin(input=x, dimension=axis, output_type=tf.int32)
            RAW.Sum(input=x, axis=axis)
        RAW.L2Loss(t=x)

    known = check(build, (shape, "float32"), (shape, "bool"))
    assert all(tensor.shape is not None for tensor in known.values())


@pytest.mark.parametrize("seed", range(30))
def test_reduced_values(seed):
    pick = seeded(seed)
    shape = [pick.randint(0, 3) for _ in range(pick.randint(0, 3))]
    over = [axis for axis in range(len(shape)) if pick.random() < 0.5]
    entries = np.array([pick.randint(-3, 9) for _ in range(int(np.prod(shape)))]).reshape(shape)
    empty = entries.size == 0

    def build():
        for keep in (False, True):
            axes = tf.constant(over, tf.int32)
            for op in REDUCTIONS[:2] if empty else REDUCTIONS[:4]:
                getattr(RAW, op)(input=tf.constant(entries, tf.int32), axis=axes, keep_dims=keep)
            for op in (RAW.All, RAW.Any):
                op(input=tf.constant(entries > 2, tf.bool), axis=axes, keep_dims=keep)

    known = check(build)
    assert all(tensor.value is not None for tensor in known.values())


def test_reduced_values_with_a_symbol():
    def build(x):
        shape = RAW.Shape(input=x)
        for op in REDUCTIONS[:4]:
            getattr(RAW, op)(input=shape, axis=ints(0))

    # which of B and 5 is larger cannot be said
    known = check(build, (("B", 1, 5), "float32"), open_ended=["Max"])
    found = [known[f"{op}:0"].value for op in REDUCTIONS[:4]]
    assert found == [(B + 6,), (B * 5,), (None,), (1,)]


def test_unknown_axes_keep_the_rank_at_most():
    known = check(
        lambda x, axes: [RAW.Sum(input=x, axis=axes, keep_dims=True), RAW.Sum(input=x, axis=axes)],
        (("B", 4), "float32"), ((1,), "int32"),
    )  # fmt: skip
    assert known["Sum:0"].shape == (None, None)
    assert known["Sum_1:0"].shape is None


@pytest.mark.parametrize(
    ("op", "inputs", "work"),
    [
        ("Sum", [(B, 4), (1,)], B * 4),
        ("Mean", [(B, 4), (0, 1)], B * 4),
        ("EuclideanNorm", [(B, 4), (1,)], B * 8),
        ("Sum", [(B, 4), ()], 0),
        ("ArgMax", [(B, 4), (1,)], B * 3),
        ("L2Loss", [(B, 4)], B * 12 - 1),
        ("Sum", [(None, 4), (1,)], None),
    ],
)
def test_work_of_reductions(op, inputs, work):
    shape, *axes = inputs
    tensors = [Tensor(shape, 1), *(Tensor((len(one),), INT32, one) for one in axes)]
    call = Call("r", op, tensors)
    call.outputs = rules()[op].infer(call)
    assert rules()[op].work(call) == work


# --- random numbers


def test_random_shapes():
    def build(x):
        shape = RAW.Shape(input=x)
        seed, key, counter = ints(1, 2), tf.constant([1], tf.uint64), tf.constant([1, 2], tf.uint64)
        RAW.RandomUniform(shape=shape, dtype=tf.float32)
        RAW.RandomStandardNormal(shape=shape, dtype=tf.float32)
        RAW.TruncatedNormal(shape=shape, dtype=tf.float64)
        RAW.RandomUniformInt(shape=shape, minval=0, maxval=5)
        RAW.ParameterizedTruncatedNormal(
            shape=shape, means=0.0, stdevs=1.0, minvals=-1.0, maxvals=1.0
        )
        RAW.RandomGamma(shape=shape, alpha=[1.0, 2.0])
        RAW.RandomPoissonV2(shape=shape, rate=[1.0, 2.0])
        RAW.StatelessRandomUniform(shape=shape, seed=seed)
        RAW.StatelessRandomNormal(shape=shape, seed=seed)
        RAW.StatelessTruncatedNormal(shape=shape, seed=seed)
        RAW.StatelessRandomUniformInt(shape=shape, seed=seed, minval=0, maxval=5)
        RAW.StatelessRandomUniformFullInt(shape=shape, seed=seed)
        for op in (
            RAW.StatelessRandomUniformV2, RAW.StatelessRandomNormalV2,
            RAW.StatelessTruncatedNormalV2, RAW.StatelessRandomUniformFullIntV2,
        ):  # fmt: skip
            op(shape=shape, key=key, counter=counter, alg=1)
        RAW.StatelessRandomUniformIntV2(
            shape=shape, key=key, counter=counter, alg=1, minval=0, maxval=5
        )
        RAW.StatelessRandomGammaV2(shape=shape, seed=seed, alpha=1.0)
        RAW.StatelessRandomPoisson(shape=shape, seed=seed, lam=1.0, dtype=tf.float32)
        RAW.StatelessRandomBinomial(shape=shape, seed=seed, counts=1.0, probs=0.5)
        RAW.Multinomial(logits=x, num_samples=7)
        RAW.StatelessMultinomial(logits=x, num_samples=7, seed=seed)
        RAW.StatelessRandomGetKeyCounter(seed=seed)
        RAW.StatelessRandomGetKeyCounterAlg(seed=seed)
        RAW.StatelessRandomGetAlg()
        RAW.RandomShuffle(value=x)
        RAW.StatelessShuffle(value=x, key=key, counter=counter, alg=1)
        RAW.NonDeterministicInts(shape=shape)
        RAW.LogUniformCandidateSampler(
            true_classes=tf.zeros((4, 2), tf.int64), num_true=2, num_sampled=3, unique=True,
            range_max=9,
        )  # fmt: skip

    known = check(build, (("B", 4), "float32"))
    assert known["StatelessRandomUniformV2:0"].shape == (B, 4)
    assert known["RandomGamma:0"].shape == (B, 4, 2)
    assert known["Multinomial:0"].shape == (B, 7)


def test_random_numbers_of_a_generator():
    def build(x):
        state = RAW.VarHandleOp(dtype=tf.int64, shape=(3,))
        shape = RAW.Shape(input=x, out_type=tf.int64)
        RAW.StatefulUniform(resource=state, algorithm=1, shape=shape)
        RAW.StatefulStandardNormalV2(resource=state, algorithm=1, shape=shape)
        RAW.StatefulTruncatedNormal(resource=state, algorithm=1, shape=shape)
        RAW.StatefulUniformInt(
            resource=state, algorithm=1, shape=shape, minval=tf.constant(0, tf.int64),
            maxval=tf.constant(9, tf.int64),
        )  # fmt: skip
        RAW.StatefulUniformFullInt(resource=state, algorithm=1, shape=shape)
        RAW.RngReadAndSkip(resource=state, alg=1, delta=tf.constant(1, tf.uint64))

    known = check(build, (("B", 4), "float32"))
    assert known["StatefulUniform:0"].shape == (B, 4)


def test_outputs_are_named_as_tensorflow_names_them():
    from tensorflow.python.framework import op_def_registry

    families = {"arrays", "random", "reductions", "shapes as values"}
    ours = [(op, rule) for op, rule in rules().items() if rule.family in families]
    assert len(ours) > 200
    for op, rule in ours:
        definition = op_def_registry.get(op)
        assert definition is not None, op
        names = tuple(argument.name for argument in definition.output_arg)
        assert rule.outputs == (names if len(names) > 1 else ()), op


def test_the_oracle_notices_a_wrong_rule(monkeypatch):
    def wrong(_):
        return [Tensor((2,), INT32, (BATCH, 5))]

    rule = rules()["Shape"]
    with monkeypatch.context() as patch:
        patch.setattr("array_oracle.rules", lambda: {"Shape": _With(rule, wrong)})
        with pytest.raises(AssertionError):
            check(lambda x: RAW.Shape(input=x), (("B", 4), "float32"))
    assert follow(tf.Graph(), {}) == {}


class _With:
    def __init__(self, rule, infer):
        self.rule, self.infer = rule, infer
