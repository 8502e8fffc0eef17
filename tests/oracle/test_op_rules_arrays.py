"""Ops that move elements about: shapes and entries as in TensorFlow, also with a symbol inside."""

import numpy as np
import pytest
import tensorflow as tf
from array_oracle import check, seeded

from tfprof.model.dims import symbol
from tfprof.ops.rule import INT32, Call, Tensor, rules

RAW = tf.raw_ops
B, S = symbol("B"), symbol("S")


def ints(*entries):
    return tf.constant(entries, tf.int32)


def last(known):
    return list(known.values())[-1]


def numbers(shape, seed=0):
    """A constant of different whole numbers, so that one at a wrong place is seen."""
    size = int(np.prod(shape))
    return tf.constant(np.arange(size).reshape(shape) + 10 * seed, tf.int32)


def known_outputs(known, op):
    found = [tensor for name, tensor in known.items() if name.startswith(op)]
    assert found
    return found


def applied(op, *inputs):
    """The rule on tensors given by shape, or by shape and value."""
    tensors = [one if isinstance(one, Tensor) else Tensor(one) for one in inputs]
    return rules()[op].infer(Call("it", op, tensors))


def vector(*entries):
    return Tensor((len(entries),), INT32, entries)


# --- reshape


@pytest.mark.parametrize(
    ("shape", "asked", "found"),
    [
        (("B", 4, 6), [-1, 24], (B, 24)),
        (("B", 4, 6), [-1], (B * 24,)),
        (("B", 4, 6), [-1, 2, 12], (B, 2, 12)),
        (("B", 4, 6), [-1, 3], (B * 8, 3)),
        ((4, 6), [2, -1], (2, 12)),
        ((1,), [], ()),
        ((), [1, -1], (1, 1)),
        ((0, 3), [3, -1], (3, 0)),
        (("B", 4), [4, -1, 1], (4, B, 1)),
    ],
)
def test_reshape(shape, asked, found):
    known = check(
        lambda x: RAW.Reshape(tensor=x, shape=tf.constant(asked, tf.int32)), (shape, "float32")
    )
    assert last(known).shape == found


def test_reshape_by_a_computed_shape():
    def build(x):
        shape = RAW.Shape(input=x)
        rows = RAW.StridedSlice(input=shape, begin=[0], end=[1], strides=[1], shrink_axis_mask=1)
        RAW.Reshape(tensor=x, shape=RAW.Pack(values=[rows, 4, -1]))
        RAW.Reshape(tensor=x, shape=RAW.Pack(values=[RAW.Mul(x=rows, y=8), -1]))
        RAW.Reshape(tensor=shape, shape=[3, 1])

    known = check(build, (("B", 8, 6), "float32"))
    found = known_outputs(known, "Reshape")
    shapes = [one.shape for one in found if one.dtype == 1]
    assert shapes == [(B, 4, 12), (B * 8, 6)]
    assert found[-1].value == (B, 8, 6)


def test_reshape_into_parts_that_only_even_batches_have():
    known = check(lambda x: RAW.Reshape(tensor=x, shape=[2, -1]), (("B",), "float32"), batch=4)
    assert last(known).shape == (2, B // 2)


def test_one_unknown_entry_of_a_shape_is_solved():
    assert applied("Reshape", (B, 8), vector(None, 4))[0].shape == (B * 2, 4)
    assert applied("Reshape", (B, 8), vector(None, -1))[0].shape == (None, None)
    assert applied("Reshape", None, vector(-1, 4))[0].shape == (None, 4)
    assert applied("Reshape", (B, 8), (3,))[0].shape == (None,) * 3
    assert applied("Reshape", (B, 8), (None,))[0].shape is None


@pytest.mark.parametrize("axes", [[], [1], [-1], [1, 3], [-3, -1]])
def test_squeeze(axes):
    known = check(lambda x: RAW.Squeeze(input=x, axis=axes), (("B", 1, 4, 1), "float32"))
    assert last(known).shape[0] == B
    values = check(lambda: RAW.Squeeze(input=numbers((1, 2, 1)), axis=[0]))
    assert last(values).value == (0, 1)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_expand_dims(axis):
    known = check(lambda x: RAW.ExpandDims(input=x, axis=axis), (("B", 4), "float32"))
    assert last(known).shape[axis] == 1
    values = check(lambda: RAW.ExpandDims(input=7, axis=0))
    assert last(values) == Tensor((1,), INT32, (7,))


def test_bitcast():
    def build(x, y):
        RAW.Bitcast(input=x, type=tf.uint8)
        RAW.Bitcast(input=x, type=tf.int32)
        RAW.Bitcast(input=y, type=tf.float32)

    check(build, (("B", 3), "float32"), (("B", 4), "uint8"))


# --- order


@pytest.mark.parametrize("seed", range(20))
def test_transpose(seed):
    pick = seeded(seed)
    rank = pick.randint(0, 4)
    order = list(range(rank))
    pick.shuffle(order)
    shape = [pick.randint(1, 4) for _ in range(rank)]

    def build(x):
        perm = tf.constant(order, tf.int32)
        RAW.Transpose(x=x, perm=perm)
        RAW.ConjugateTranspose(x=x, perm=perm)
        RAW.Transpose(x=numbers(shape), perm=perm)

    known = check(build, ((["B", *shape] if rank == 0 else ["B", *shape[1:]])[:rank], "float32"))
    assert last(known).value is not None


def test_transpose_by_an_unknown_order():
    known = check(
        lambda x, perm: RAW.Transpose(x=x, perm=perm), (("B", 4), "float32"), ((2,), "int32"),
        feed=[np.zeros((3, 4)), [1, 0]],
    )  # fmt: skip
    assert last(known).shape == (None, None)


@pytest.mark.parametrize("axes", [[], [0], [-1], [0, 1]])
def test_reverse(axes):
    def build(x):
        RAW.ReverseV2(tensor=x, axis=tf.constant(axes, tf.int32))
        RAW.ReverseV2(tensor=numbers((2, 3)), axis=tf.constant(axes, tf.int32))
        RAW.Reverse(tensor=x, dims=[True, False])
        RAW.ReverseSequence(input=x, seq_lengths=[1, 2, 0], seq_dim=1)
        RAW.Roll(input=x, shift=1, axis=0)

    known = check(build, (("B", 4), "float32"))
    assert known_outputs(known, "ReverseV2")[-1].value is not None


# --- join


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_concatenation(axis):
    sizes = [["B", 3, 2] for _ in range(3)]
    for at, shape in enumerate(sizes):
        if axis % 3:
            shape[axis] = at + 1

    def build(*parts):
        RAW.ConcatV2(values=parts, axis=axis)
        RAW.Concat(concat_dim=axis, values=parts)
        plain = [[3 if size == "B" else size for size in shape] for shape in sizes]
        entries = [numbers(shape, at) for at, shape in enumerate(plain)]
        RAW.ConcatV2(values=entries, axis=axis)
        RAW.Concat(concat_dim=axis, values=entries)

    known = check(build, *((shape, "float32") for shape in sizes))
    if axis % 3 == 0:
        assert known["ConcatV2:0"].shape == (B * 3, 3, 2)
    assert known["ConcatV2_1:0"].value is not None
    assert known["Concat_1:0"].value is not None


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_pack_and_unpack(axis):
    def build(x):
        RAW.Pack(values=[x, x], axis=axis)
        whole = RAW.Pack(values=[numbers((2, 3)), numbers((2, 3), 1)], axis=axis)
        RAW.Unpack(value=whole, num=whole.shape[axis], axis=axis)

    known = check(build, (("B", 3), "float32"))
    assert known["Pack:0"].shape[axis] == 2
    assert known["Pack_1:0"].value is not None
    assert all(one.value is not None for one in known_outputs(known, "Unpack"))


def test_a_shape_taken_apart_and_put_together():
    def build(x):
        rows, height, width = RAW.Unpack(value=RAW.Shape(input=x), num=3)
        RAW.Pack(values=[width, rows, RAW.Mul(x=height, y=rows)])

    known = check(build, (("B", 4, 5), "float32"))
    assert last(known) == Tensor((3,), INT32, (5, B, B * 4))
    assert known["Unpack:0"].shape == ()


def test_what_is_not_known_of_a_part_is_open_in_the_whole():
    def build(x, y):
        RAW.Pack(values=[RAW.Shape(input=x)[0], y])
        RAW.ConcatV2(values=[RAW.Shape(input=x), RAW.ExpandDims(input=y, axis=0)], axis=0)

    known = check(build, (("B", 4), "float32"), ((), "int32"))
    assert known["Pack:0"].value == (B, None)
    assert last(known).value == (B, 4, None)


# --- split


@pytest.mark.parametrize(("axis", "count"), [(0, 3), (1, 2), (-1, 3), (2, 1)])
def test_split(axis, count):
    def build(x):
        RAW.Split(axis=axis, value=x, num_split=count)
        RAW.Split(axis=axis, value=numbers((6, 4, 6)), num_split=count)

    known = check(build, (("B", 4, 6), "float32"), batch=6)
    assert known["Split_1:0"].value is not None
    if axis:
        assert known["Split:0"].shape[0] == B


@pytest.mark.parametrize("sizes", [[1, 2, 3], [2, -1, 1], [6], [-1], [0, 6]])
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_split_by_sizes(axis, sizes):
    def build(x):
        RAW.SplitV(value=x, size_splits=ints(*sizes), axis=axis, num_split=len(sizes))
        RAW.SplitV(value=numbers((6, 6)), size_splits=ints(*sizes), axis=axis, num_split=len(sizes))

    check(build, ((6, 6) if axis == 0 else ("B", 6), "float32"))


def test_split_of_a_symbol_leaves_the_rest():
    found = rules()["SplitV"].infer(
        Call("s", "SplitV", [Tensor((B, S)), vector(2, -1), Tensor((), INT32, (1,))],
             lambda: {"num_split": tf.compat.v1.AttrValue(i=2)})
    )  # fmt: skip
    assert [one.shape for one in found] == [(B, 2), (B, S - 2)]


# --- slice


@pytest.mark.parametrize("seed", range(20))
def test_slice(seed):
    pick = seeded(seed)
    shape = [pick.randint(1, 5) for _ in range(pick.randint(1, 3))]
    begin = [pick.randint(0, size) for size in shape]
    size = [pick.choice([-1, pick.randint(0, s - b)]) for s, b in zip(shape, begin, strict=True)]

    def build(x):
        RAW.Slice(input=x, begin=begin, size=size)
        RAW.Slice(input=numbers(shape), begin=begin, size=size)
        RAW.Slice(input=x, begin=[0] * len(shape), size=RAW.Shape(input=x))

    known = check(build, (["B", *shape[1:]], "float32"), batch=shape[0])
    assert known["Slice_1:0"].value is not None
    assert last(known).shape == (B, *shape[1:])


def test_slice_from_an_unknown_place():
    known = check(
        lambda x, begin: RAW.Slice(input=x, begin=begin, size=[2, -1]),
        (("B", 4), "float32"), ((2,), "int32"),
    )  # fmt: skip
    assert last(known).shape == (2, None)


def _random_spec(pick, shape, *, with_symbol):
    """A strided slice with every kind of mask."""
    rank = len(shape)
    spec = {"begin": [], "end": [], "strides": []}
    masks = dict.fromkeys(["begin", "end", "ellipsis", "new_axis", "shrink_axis"], 0)
    axis, at, dotted = 0, 0, False
    while axis < rank and pick.random() < 0.9:
        kind = pick.choice(["range"] * 4 + ["shrink", "new", "dots"])
        if kind == "dots" and (dotted or pick.random() < 0.5):
            continue
        bit = 1 << at
        size = shape[axis]
        stride = pick.choice([-3, -2, -1, 1, 1, 1, 2, 3])
        begin, end = pick.randint(-size - 2, size + 2), pick.randint(-size - 2, size + 2)
        if kind == "dots":
            masks["ellipsis"] |= bit
            dotted = True
            axis += pick.randint(0, rank - axis)
        elif kind == "new":
            masks["new_axis"] |= bit
        else:
            if kind == "shrink":
                masks["shrink_axis"] |= bit
                begin, stride = pick.randint(-size, size - 1), 1
                end = begin + 1
            elif with_symbol and axis == 0:
                begin, end, stride = _inside(pick, size, stride)
            if kind == "range" and pick.random() < 0.3:
                masks["begin"] |= bit
            if kind == "range" and pick.random() < 0.3:
                masks["end"] |= bit
            axis += 1
        for name, entry in zip(spec, (begin, end, stride), strict=True):
            spec[name].append(entry)
        at += 1
    if dotted:  # the dots stand for what the rest leaves: at least nothing
        used = at - masks["ellipsis"].bit_count() - masks["new_axis"].bit_count()
        if used > rank:
            return None
    return {
        **{name: tf.constant(entries, tf.int32) for name, entries in spec.items()},
        **{f"{name}_mask": mask for name, mask in masks.items()},
    }


def _inside(pick, size, stride):
    """Bounds within a dimension that a symbol stands for: no others can be known."""
    low, high = sorted(pick.choices(range(size), k=2))
    if stride > 0:
        return pick.choice([low, low - size]), pick.choice([high, high - size]), stride
    return pick.choice([high, high - size]), pick.choice([low, low - size]), stride


@pytest.mark.parametrize("seed", range(150))
def test_strided_slices(seed):
    pick = seeded(seed)
    shape = [pick.randint(1, 5) for _ in range(pick.randint(1, 4))]

    def build(x):
        for _ in range(4):
            spec = _random_spec(pick, shape, with_symbol=False)
            if spec is None:
                continue
            try:
                RAW.StridedSlice(input=x, **spec)
            except ValueError:
                continue  # an index out of bounds
            RAW.StridedSlice(input=numbers(shape), **spec)

    known = check(build, (shape, "float32"))
    for name, tensor in known.items():
        if name.startswith("StridedSlice") and tensor.dtype == INT32:
            assert tensor.value is not None


def _sliced(shape, first, beyond, strides=None, **masks):
    """A strided slice of a tensor of this shape; entries of the bounds may be symbols."""
    steps = strides or [1] * len(first)
    inputs = [Tensor(shape), vector(*first), vector(*beyond), vector(*steps)]
    attributes = {f"{n}_mask": tf.compat.v1.AttrValue(i=mask) for n, mask in masks.items()}
    (found,) = rules()["StridedSlice"].infer(Call("s", "StridedSlice", inputs, lambda: attributes))
    return found.shape


def test_strided_slices_of_symbols():
    assert _sliced((B, 4), [1], [0], end=1) == (B - 1, 4)
    assert _sliced((B, 4), [0], [-1], begin=1) == (B - 1, 4)
    assert _sliced((B, 4), [-1], [0], end=1) == (1, 4)
    assert _sliced((B, 4), [0], [0], [-1], begin=1, end=1) == (B, 4)
    assert _sliced((B, 4), [0], [0], [2], begin=1, end=1) == ((B + 1) // 2, 4)
    assert _sliced((B * 2, 4), [0], [0], [2], begin=1, end=1) == (B, 4)
    assert _sliced((B, S), [0, 0], [B, S - 1]) == (B, S - 1)
    assert _sliced((512, 64), [0], [S]) == (S, 64)
    assert _sliced((B, S + 4), [0, 2], [B, S + 2]) == (B, S)
    assert _sliced((B, S), [0, -2], [0, 0], begin=1, end=3) == (B, 2)
    assert _sliced((B, S, 4), [S - 1], [0], shrink_axis=1) == (S, 4)


def test_strided_slices_of_which_little_is_known():
    assert _sliced((None, 4), [1], [0], end=1) == (None, 4)
    assert _sliced((None, 4), [0], [0], begin=1, end=1) == (None, 4)
    assert _sliced((6, 4), [None], [5]) == (None, 4)
    assert _sliced((6, 4), [None], [None], shrink_axis=1) == (4,)
    assert _sliced(None, [1], [2]) is None
    found = applied("StridedSlice", (6, 4), (1,), (1,), (1,))
    assert found[0].shape == (None, 4)
    assert applied("StridedSlice", (6, 4), (None,), (None,), (None,))[0].shape is None


@pytest.mark.parametrize("seed", range(80))
def test_strided_slices_along_the_batch(seed):
    pick = seeded(1000 + seed)
    shape = [5, *(pick.randint(1, 5) for _ in range(pick.randint(0, 3)))]

    def build(x):
        spec = _random_spec(pick, shape, with_symbol=True)
        if spec is not None:
            try:
                RAW.StridedSlice(input=x, **spec)
            except ValueError:
                return

    check(build, (["B", *shape[1:]], "float32"), batch=5)


def test_strided_slice_gradient_and_update():
    def build(x, y):
        shape = RAW.Shape(input=x)
        bounds = {"begin": [0, 1], "end": [0, 3], "strides": [1, 1], "begin_mask": 1, "end_mask": 1}
        RAW.StridedSliceGrad(shape=shape, dy=y, **bounds)
        RAW.TensorStridedSliceUpdate(input=x, value=y, **bounds)

    known = check(build, (("B", 4), "float32"), (("B", 2), "float32"))
    assert known["StridedSliceGrad:0"].shape == (B, 4)


def test_bounds_computed_from_a_shape():
    def build(x, y):
        cut = RAW.Shape(input=y)[1]
        start = RAW.FloorDiv(x=RAW.Sub(x=RAW.Shape(input=x)[1], y=cut), y=2)
        RAW.StridedSlice(
            input=x, begin=RAW.Pack(values=[0, start]),
            end=RAW.Pack(values=[0, RAW.AddV2(x=start, y=cut)]), strides=[1, 1],
            begin_mask=1, end_mask=1,
        )  # fmt: skip

    known = check(build, (("B", 9, 2), "float32"), (("B", 4), "float32"))
    assert last(known).shape == (B, 4, 2)


# --- gather


@pytest.mark.parametrize("seed", range(30))
def test_gather(seed):
    pick = seeded(seed)
    params = [pick.randint(2, 4) for _ in range(pick.randint(1, 3))]
    axis = pick.randint(0, len(params) - 1)
    batch = pick.randint(0, axis)
    indices = params[:batch] + [pick.randint(1, 3) for _ in range(pick.randint(0, 2))]
    signed = pick.choice([axis, axis - len(params)])

    def build(x, at):
        RAW.GatherV2(params=x, indices=at, axis=signed, batch_dims=batch)
        RAW.Gather(params=x, indices=at)
        RAW.GatherV2(params=numbers(params), indices=at, axis=signed, batch_dims=batch)
        places = tf.constant(np.ones(indices, int) % 2, tf.int32)
        RAW.GatherV2(params=numbers(params), indices=places, axis=signed)
        RAW.Gather(params=numbers(params), indices=places)

    opened = ["B", *params[1:]] if params[0] == 3 and not batch else params
    known = check(build, (opened, "float32"), (indices, "int32"))
    assert known["GatherV2_2:0"].value is not None
    assert known["Gather_1:0"].value is not None


def test_axes_gathered_out_of_a_shape():
    def build(x):
        shape = RAW.Shape(input=x)
        RAW.GatherV2(params=shape, indices=[2, 0], axis=0)
        RAW.GatherV2(params=shape, indices=0, axis=0)

    known = check(build, (("B", 4, 5), "float32"))
    assert known["GatherV2:0"].value == (5, B)
    assert known["GatherV2_1:0"] == Tensor((), INT32, (B,))


@pytest.mark.parametrize("depth", [0, 1, 2])
def test_gather_nd(depth):
    known = check(
        lambda x, at: RAW.GatherNd(params=x, indices=at),
        ((3, 4, 5), "float32"), (("B", 2, depth), "int32"),
    )  # fmt: skip
    assert last(known).shape == (B, 2, *(3, 4, 5)[depth:])


# --- grow and shrink


@pytest.mark.parametrize("seed", range(10))
def test_pad(seed):
    pick = seeded(seed)
    pads = [[pick.randint(0, 1), pick.randint(0, 2)] for _ in range(3)]

    def build(x):
        RAW.Pad(input=x, paddings=pads)
        RAW.PadV2(input=x, paddings=pads, constant_values=1.0)
        for mode in ("REFLECT", "SYMMETRIC"):
            padded = RAW.MirrorPad(input=x, paddings=pads, mode=mode)
            RAW.MirrorPadGrad(input=padded, paddings=pads, mode=mode)

    known = check(build, (("B", 4, 5), "float32"))
    assert last(known).shape == (B, 4, 5)


def test_pad_by_an_unknown_amount():
    known = check(
        lambda x, pads: RAW.Pad(input=x, paddings=pads), (("B", 4), "float32"), ((2, 2), "int32")
    )
    assert last(known).shape == (None, None)


@pytest.mark.parametrize("factors", [[1, 1], [2, 3], [0, 1], [1, 4]])
def test_tile(factors):
    def build(x):
        RAW.Tile(input=x, multiples=factors)
        RAW.Tile(input=numbers((2, 3)), multiples=factors)
        RAW.Tile(input=[[7]], multiples=RAW.Shape(input=x))

    known = check(build, (("B", 3), "float32"))
    assert known["Tile_1:0"].value is not None
    assert last(known).shape == (B, 3)


@pytest.mark.parametrize("shape", [(1, 3), (3,), (1,), (), (2, 3), (2, 1)])
def test_broadcast_to(shape):
    def build(x):
        RAW.BroadcastTo(input=numbers(shape), shape=[2, 3])
        RAW.BroadcastTo(input=numbers(shape), shape=[4, 2, 3])
        RAW.BroadcastTo(input=x, shape=RAW.Pack(values=[2, RAW.Shape(input=x)[0], 5]))

    known = check(build, (("B", 1), "float32"))
    assert known["BroadcastTo:0"].value is not None
    assert known["BroadcastTo_1:0"].value is not None
    assert last(known).shape == (2, B, 5)


@pytest.mark.parametrize("axis", [-1, 0, 1, 2])
def test_one_hot(axis):
    known = check(
        lambda at: RAW.OneHot(indices=at, depth=7, on_value=1.0, off_value=0.0, axis=axis),
        (("B", 4), "int32"),
    )
    assert last(known).shape[axis] == 7
    assert rules()["OneHot"].infer(Call("o", "OneHot", [Tensor((B,)), vector(5)]))[0].shape[1] == 5


def test_dynamic_partition():
    known = check(
        lambda x, which: RAW.DynamicPartition(data=x, partitions=which, num_partitions=2),
        (("B", 4, 5), "float32"), (("B", 4), "int32"),
    )  # fmt: skip
    assert last(known).shape == (None, 5)


# --- blocks


@pytest.mark.parametrize("layout", ["NHWC", "NCHW", "NCHW_VECT_C"])
def test_space_and_depth(layout):
    shape = {"NHWC": ("B", 4, 6, 8), "NCHW": ("B", 8, 4, 6), "NCHW_VECT_C": ("B", 2, 4, 6, 4)}
    kind = "qint8" if layout == "NCHW_VECT_C" else "float32"

    def build(x):
        deep = RAW.SpaceToDepth(input=x, block_size=2, data_format=layout)
        RAW.DepthToSpace(input=deep, block_size=2, data_format=layout)

    # no kernel on CPUs but for the first
    known = check(build, (shape[layout], kind), run=layout == "NHWC")
    assert last(known).shape == tuple(B if size == "B" else size for size in shape[layout])


def test_space_and_batch():
    def build(x):
        pads = [[0, 2], [1, 1]]
        for many in (
            RAW.SpaceToBatchND(input=x, block_shape=[2, 2], paddings=pads),
            RAW.SpaceToBatch(input=x, block_size=2, paddings=pads),
        ):
            RAW.BatchToSpaceND(input=many, block_shape=[2, 2], crops=pads)
            RAW.BatchToSpace(input=many, block_size=2, crops=pads)
        RAW.SpaceToBatchND(input=x, block_shape=[3], paddings=[[1, 1]])

    known = check(build, (("B", 4, 6, 3), "float32"))
    assert known["SpaceToBatchND:0"].shape == (B * 4, 3, 4, 3)
    assert known["BatchToSpaceND:0"].shape == (B, 4, 6, 3)


@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@pytest.mark.parametrize("rate", [1, 2])
def test_patches(padding, rate):
    def build(x, y):
        RAW.ExtractImagePatches(
            images=x, ksizes=[1, 3, 2, 1], strides=[1, 2, 1, 1], rates=[1, rate, 1, 1],
            padding=padding,
        )  # fmt: skip
        RAW.ExtractVolumePatches(
            input=y, ksizes=[1, 2, 3, 2, 1], strides=[1, 2, 1, 1, 1], padding=padding
        )

    known = check(build, (("B", 9, 8, 3), "float32"), (("B", 5, 6, 7, 2), "float32"))
    assert last(known).shape[0] == B


# --- diagonals


def test_diagonals():
    def build(x, y, line):
        RAW.MatrixBandPart(input=x, num_lower=1, num_upper=-1)
        RAW.MatrixDiag(diagonal=x)
        RAW.MatrixDiagPart(input=x)
        RAW.MatrixSetDiag(input=y, diagonal=line)
        RAW.Diag(diagonal=x)
        RAW.DiagPart(input=tf.zeros((2, 3, 2, 3)))

    known = check(build, (("B", 4, 6), "float32"), (("B", 4, 4), "float32"), (("B", 4), "float32"))
    assert known["MatrixDiag:0"].shape == (B, 4, 6, 6)
    assert known["MatrixDiagPart:0"].shape == (B, 4)


@pytest.mark.parametrize("which", [[0], [1], [-2], [-1, 1], [0, 2], [-2, -1], [1, 1]])
def test_many_diagonals(which):
    def build(x):
        k = ints(*which) if len(which) > 1 else tf.constant(which[0])
        part = RAW.MatrixDiagPartV3(input=x, k=k, padding_value=0.0)
        RAW.MatrixDiagPartV2(input=x, k=k, padding_value=0.0)
        for rows, columns in ((-1, -1), (9, -1), (-1, 9)):
            if rows == columns == -1 or which == [0]:
                for op in (RAW.MatrixDiagV2, RAW.MatrixDiagV3):
                    op(diagonal=part, k=k, num_rows=rows, num_cols=columns, padding_value=0.0)
        RAW.MatrixSetDiagV3(input=x, diagonal=part, k=k)
        RAW.MatrixSetDiagV2(input=x, diagonal=part, k=k)

    known = check(build, (("B", 4, 6), "float32"))
    assert last(known).shape == (B, 4, 6)


def test_the_diagonal_of_a_symbolic_square():
    assert applied("MatrixDiagPart", (B, S, S))[0].shape == (B, S)
    found = applied("MatrixDiagPartV3", (B, S, S), Tensor((), INT32, (1,)), ())
    assert found[0].shape == (B, S - 1)


# --- sort, search, scatter


def test_sorting_and_searching():
    def build(x, y):
        RAW.TopKV2(input=x, k=2)
        RAW.NthElement(input=x, n=1)
        RAW.InTopKV2(predictions=x, targets=y, k=2)
        RAW.LowerBound(sorted_inputs=x, values=x)
        RAW.UpperBound(sorted_inputs=x, values=x, out_type=tf.int64)
        RAW.Bucketize(input=x, boundaries=[1.0, 2.0])

    known = check(build, (("B", 4), "float32"), (("B",), "int32"))
    assert known["TopKV2:1"] == Tensor((B, 2), INT32)


def test_scatter():
    def build(x, at, new):
        RAW.ScatterNd(indices=at, updates=new, shape=RAW.Shape(input=x))
        for op in ("Update", "Add", "Sub", "Max", "Min"):
            getattr(RAW, f"TensorScatter{op}")(tensor=x, indices=at, updates=new)
        RAW.InplaceUpdate(x=x, i=[0, 1], v=new)
        RAW.InplaceAdd(x=x, i=[0, 1], v=new)
        RAW.ScatterNdNonAliasingAdd(input=x, indices=at, updates=new)
        RAW.SparseToDense(
            sparse_indices=[[0, 1]], output_shape=RAW.Shape(input=x), sparse_values=[1.0],
            default_value=0.0,
        )  # fmt: skip

    known = check(
        build, (("B", 4), "float32"), ((2, 1), "int32"), ((2, 4), "float32"),
    )  # fmt: skip
    assert known["ScatterNd:0"].shape == last(known).shape == (B, 4)


# --- along an axis


@pytest.mark.parametrize("exclusive", [False, True])
@pytest.mark.parametrize("reverse", [False, True])
def test_cumulative(exclusive, reverse):
    how = {"exclusive": exclusive, "reverse": reverse}

    def build(x):
        for op in (RAW.Cumsum, RAW.Cumprod):
            op(x=x, axis=1, **how)
            op(x=RAW.Shape(input=x), axis=0, **how)
        RAW.CumulativeLogsumexp(x=x, axis=1, **how)
        RAW.LinSpace(start=0.0, stop=1.0, num=RAW.Shape(input=x)[0])

    known = check(build, (("B", 4, 5), "float32"))
    assert known["Cumsum_1:0"].value is not None
    assert known["Cumprod_1:0"].value is not None
    assert last(known).shape == (B,)


def test_segments():
    def build(x, ids, many):
        for op in ("Sum", "Mean", "Max", "Min", "Prod"):
            getattr(RAW, f"Segment{op}")(data=x, segment_ids=ids)
        for op in ("Sum", "Max", "Min", "Prod"):
            getattr(RAW, f"UnsortedSegment{op}")(data=x, segment_ids=many, num_segments=6)
            getattr(RAW, f"UnsortedSegment{op}")(data=x, segment_ids=ids, num_segments=6)
        for op in ("Sum", "Mean", "SqrtN"):
            rows = {"indices": [0, 1], "segment_ids": [0, 1]}
            getattr(RAW, f"SparseSegment{op}")(data=x, **rows)
            named = getattr(RAW, f"SparseSegment{op}WithNumSegments")
            named(data=x, num_segments=6, **rows)
            gradient = getattr(RAW, f"SparseSegment{op}Grad")
            gradient(grad=x, output_dim0=5, **rows)

    known = check(
        build, (("B", 4, 5), "float32"), (("B",), "int32"), (("B", 4), "int32"),
        feed=[np.zeros((3, 4, 5)), [0, 0, 1], np.zeros((3, 4))],
    )  # fmt: skip
    assert known["UnsortedSegmentSum:0"].shape == (6, 5)
    assert known["UnsortedSegmentSum_1:0"].shape == (6, 4, 5)
    assert known["SegmentSum:0"].shape == (None, 4, 5)


@pytest.mark.parametrize("turned", [(False, False), (True, False), (False, True), (True, True)])
def test_sparse_product(turned):
    left, right = turned

    def build(x):
        RAW.SparseTensorDenseMatMul(
            a_indices=tf.constant([[0, 0], [1, 2]], tf.int64), a_values=[1.0, 2.0],
            a_shape=tf.constant([5, 4] if left else [4, 5], tf.int64), b=x, adjoint_a=left,
            adjoint_b=right,
        )  # fmt: skip

    known = check(build, (("B", 5) if right else (5, "B"), "float32"))
    assert last(known).shape == (4, B)


def test_sparse_entries():
    def build(x):
        indices = tf.constant([[0, 0], [2, 1]], tf.int64)
        entries, shape = tf.constant([1.0, 2.0]), tf.constant([3, 4], tf.int64)
        RAW.SparseReorder(input_indices=indices, input_values=entries, input_shape=shape)
        RAW.SparseReshape(
            input_indices=indices, input_shape=shape, new_shape=tf.constant([3, 2, 2], tf.int64)
        )
        RAW.SparseFillEmptyRows(
            indices=indices, values=entries, dense_shape=shape, default_value=0.0
        )
        RAW.SparseTensorDenseAdd(a_indices=indices, a_values=entries, a_shape=shape, b=x)

    known = check(build, (("B", 4), "float32"))
    assert known["SparseFillEmptyRows:2"].shape == (3,)
    assert last(known).shape == (B, 4)


# --- tables and text


def test_text():
    def build(x):
        RAW.StringJoin(inputs=[x, "a"])
        RAW.StringJoin(inputs=["b", "a"])
        RAW.StringLower(input=x)
        RAW.StringUpper(input=x)
        RAW.StringStrip(input=x)
        RAW.StringLength(input=x)
        RAW.StringToHashBucketFast(input=x, num_buckets=5)
        RAW.StaticRegexReplace(input=x, pattern="a", rewrite="b")
        RAW.StaticRegexFullMatch(input=x, pattern="a")
        RAW.AsString(input=RAW.StringLength(input=x))
        RAW.StringToNumber(string_tensor=RAW.AsString(input=RAW.StringLength(input=x)))
        RAW.Substr(input=x, pos=0, len=1)
        RAW.ReduceJoin(inputs=x, reduction_indices=[1])
        RAW.UnravelIndex(indices=[3, 4], dims=[2, 3])
        RAW.UnravelIndex(indices=3, dims=[2, 3])

    known = check(build, (("B", 2), "string"))
    assert known["StringJoin:0"].shape == (B, 2)
    assert known["ReduceJoin:0"].shape == (B,)


def test_tables():
    table = Tensor((), 20)
    keys = Tensor((B, 4), INT32)
    attributes = {"Tin": tf.compat.v1.AttrValue(type=3), "Tout": tf.compat.v1.AttrValue(type=9)}
    call = Call("t", "LookupTableFindV2", [table, keys, Tensor((), 9)], lambda: attributes)
    assert rules()["LookupTableFindV2"].infer(call) == [Tensor((B, 4), 9)]


# --- memory and work


@pytest.mark.parametrize("op", ["Reshape", "Squeeze", "ExpandDims", "Bitcast", "EnsureShape"])
def test_what_shares_the_buffer_of_its_input(op):
    assert rules()[op].alias == 0


@pytest.mark.parametrize("op", ["Transpose", "ConcatV2", "Pack", "GatherV2", "OneHot"])
def test_what_writes_a_buffer_of_its_own(op):
    rule = rules()[op]
    assert rule.alias is None
    assert rule.reuse == ()
    assert rule.work is None


@pytest.mark.parametrize(
    ("op", "inputs", "work"),
    [
        ("UnsortedSegmentSum", [(B, 4), (B,), Tensor((), INT32, (3,))], B * 4),
        ("SparseSegmentSum", [(9, 4), (B,), (B,)], B * 4),
        ("TensorScatterAdd", [(9, 4), (B, 1), (B, 4)], B * 4),
        ("Cumsum", [(B, 4), ()], B * 4),
    ],
)
def test_work(op, inputs, work):
    tensors = [one if isinstance(one, Tensor) else Tensor(one) for one in inputs]
    call = Call("w", op, tensors)
    call.outputs = rules()[op].infer(call)
    assert rules()[op].work(call) == work


@pytest.mark.parametrize("op", sorted(
    op for op, rule in rules().items()
    if rule.family in {"arrays", "random", "reductions", "shapes as values"}
))  # fmt: skip
def test_a_damaged_graph_is_unknown_rather_than_an_error(op):
    for tensor in (Tensor(), Tensor((), INT32, (9,)), vector(7, None), Tensor((None, B))):
        for count in range(6):
            rules()[op].infer(Call("d", op, [tensor] * count))
