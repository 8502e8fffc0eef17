"""What the gradient of each op reads and makes, as TensorFlow's own gradients do."""

from __future__ import annotations

from tfprof.model.dims import elements
from tfprof.ops.attributes import flag, text
from tfprof.ops.gradients import Backward, Gradients, gradient, is_float, stopped
from tfprof.ops.rule import BOOL, INT32, Tensor

_SCALAR = Tensor(())
_SIZES = Tensor((), INT32)  # a shape vector: a few bytes, known when it is asked for

# --- passed on


@gradient("Identity ReadVariableOp Snapshot PreventGradient CheckNumerics CheckNumericsV2"
          " PlaceholderWithDefault Print GuaranteeConst DeepCopy Switch RefSwitch Enter RefEnter"
          " Exit NextIteration")  # fmt: skip
def _passed(back: Backward) -> Gradients:
    return {0: back.dy}


CUSTOM = "_gradient_op_type"


@gradient("IdentityN")
def _each_passed(back: Backward) -> Gradients:
    """Also what marks a gradient of one's own: the results of a function, then its arguments."""
    results = {place for place, one in enumerate(back.given) if one is not None}
    if CUSTOM not in back.call.attributes:
        return {place: back.given[place] or back.dy for place in results}
    return {place: _sigmoid_product(back, back.x(place)) for place in back.wanted - results}


def _sigmoid_product(back: Backward, x: Tensor) -> Tensor:
    """Of x * sigmoid(x), the one that Keras brings a gradient for: it keeps x, not the sigmoid."""
    scaled = back.op("Mul", x, _SCALAR, shape=x.shape, waits=False)
    sigmoid = back.each("Sigmoid", back.each("Mul", x, _SCALAR))
    rest = back.each("Mul", scaled, back.each("Sub", _SCALAR, sigmoid))
    slope = back.each("Mul", sigmoid, back.each("AddV2", _SCALAR, rest))
    return back.each("Mul", back.dy, slope)


gradient("StopGradient ZerosLike OnesLike Shape ShapeN Size Rank ArgMax ArgMin Floor Ceil Round"
         " Rint Less LessEqual Greater GreaterEqual Equal NotEqual")(stopped)  # fmt: skip


@gradient("Merge RefMerge")
def _merged(back: Backward) -> Gradients:
    """To the branch that was taken."""
    taken = next(place for place, one in enumerate(back.call.inputs) if not one.dead)
    return {taken: back.dy}


@gradient("Reshape Squeeze ExpandDims")
def _reshaped(back: Backward) -> Gradients:
    return {0: back.op("Reshape", back.dy, shape=back.x().shape)}


@gradient("Cast")
def _cast(back: Backward) -> Gradients:
    if not is_float(back.x()):
        return {}
    return {0: back.op("Cast", back.dy, shape=back.x().shape, dtype=back.x().dtype)}


# --- two inputs


@gradient("Add AddV2")
def _sum(back: Backward) -> Gradients:
    return {place: back.like(back.dy, place) for place in sorted(back.wanted)}


@gradient("AddN AccumulateNV2")
def _sum_of_many(back: Backward) -> Gradients:
    return dict.fromkeys(sorted(back.wanted), back.dy)


@gradient("Sub")
def _difference(back: Backward) -> Gradients:
    found: dict[int, Tensor] = {}
    if 0 in back.wanted:
        found[0] = back.like(back.dy, 0)
    if 1 in back.wanted:
        found[1] = back.like(back.each("Neg", back.dy), 1)
    return found


@gradient("Mul")
def _product(back: Backward) -> Gradients:
    """Either factor is read only for the gradient of the other."""
    products = {
        place: back.each("Mul", back.dy, back.x(1 - place)) for place in sorted(back.wanted)
    }
    return {place: back.like(one, place) for place, one in products.items()}


@gradient("RealDiv Div DivNoNan")
def _quotient(back: Backward) -> Gradients:
    op, x, y = back.call.op, back.x(0), back.x(1)
    found: dict[int, Tensor] = {}
    if 0 in back.wanted:
        found[0] = back.like(back.each(op, back.dy, y), 0)
    if 1 in back.wanted:
        ratio = back.each(op, back.each(op, back.each("Neg", x), y), y)
        found[1] = back.like(back.each("Mul", back.dy, ratio), 1)
    return found


@gradient("SquaredDifference")
def _squared_difference(back: Backward) -> Gradients:
    doubled = back.each("Mul", back.dy, _SCALAR)
    apart = back.op("Sub", back.x(0), back.x(1), doubled, shape=back.y.shape)
    one = back.each("Mul", doubled, apart)
    found = {0: back.like(one, 0)} if 0 in back.wanted else {}
    if 1 in back.wanted:
        found[1] = back.like(back.each("Neg", one), 1)
    return found


@gradient("Maximum Minimum")
def _extreme(back: Backward) -> Gradients:
    which = back.op("GreaterEqual", back.x(0), back.x(1), shape=back.y.shape, dtype=BOOL)
    return {
        place: back.like(back.op("SelectV2", which, back.dy, _SCALAR, shape=back.dy.shape), place)
        for place in sorted(back.wanted)
    }


@gradient("Pow")
def _power(back: Backward) -> Gradients:
    found: dict[int, Tensor] = {}
    if 0 in back.wanted:
        less = back.each("Pow", back.x(0), back.each("Sub", back.x(1), _SCALAR))
        found[0] = back.like(back.each("Mul", back.each("Mul", back.dy, back.x(1)), less), 0)
    if 1 in back.wanted:
        log = back.each("Log", back.x(0))
        found[1] = back.like(back.each("Mul", back.each("Mul", back.dy, back.y), log), 1)
    return found


@gradient("Select SelectV2")
def _selected(back: Backward) -> Gradients:
    found: dict[int, Tensor] = {}
    for place in sorted(back.wanted & {1, 2}):
        pair = (back.dy, _SCALAR) if place == 1 else (_SCALAR, back.dy)
        one = back.op("SelectV2", back.x(0), *pair, shape=back.dy.shape)
        found[place] = back.like(one, place)
    return found


# --- activations and other functions of an element


@gradient("Relu Relu6 Elu Selu")
def _from_output(back: Backward) -> Gradients:
    return {0: back.op(f"{back.call.op}Grad", back.dy, back.y, shape=back.dy.shape)}


@gradient("LeakyRelu Softplus Softsign")
def _from_input(back: Backward) -> Gradients:
    return {0: back.op(f"{back.call.op}Grad", back.dy, back.x(), shape=back.dy.shape)}


@gradient("Sigmoid Tanh Sqrt Rsqrt Reciprocal Inv")
def _from_output_first(back: Backward) -> Gradients:
    return {0: back.op(f"{back.call.op}Grad", back.y, back.dy, shape=back.dy.shape)}


@gradient("Exp")
def _exponential(back: Backward) -> Gradients:
    return {0: back.each("Mul", back.dy, back.y)}


@gradient("Neg")
def _negative(back: Backward) -> Gradients:
    return {0: back.each("Neg", back.dy)}


@gradient("Square")
def _square(back: Backward) -> Gradients:
    return {0: back.each("Mul", back.dy, back.each("Mul", back.x(), _SCALAR))}


# what is computed of the input before the gradient is multiplied with it
_FACTORS = {
    "Abs": ("Sign",), "Log": ("Reciprocal",), "Log1p": ("AddV2", "Reciprocal"), "Sin": ("Cos",),
    "Cos": ("Sin", "Neg"), "Expm1": ("Exp",), "Atan": ("Square", "AddV2", "Reciprocal"),
    "Erf": ("Square", "Neg", "Exp", "Mul"), "Erfc": ("Square", "Neg", "Exp", "Mul"),
    "Tan": ("Cos", "Reciprocal", "Square"), "Sinh": ("Cosh",), "Cosh": ("Sinh",),
    "Asin": ("Square", "Sub", "Sqrt", "Reciprocal"), "Atanh": ("Square", "Sub", "Reciprocal"),
    "Acos": ("Square", "Sub", "Sqrt", "Reciprocal", "Neg"),
}  # fmt: skip


@gradient(" ".join(_FACTORS))
def _from_factor(back: Backward) -> Gradients:
    factor = back.x()
    for op in _FACTORS[back.call.op]:
        factor = (
            back.each(op, factor, _SCALAR)
            if op in ("AddV2", "Mul", "Sub")
            else back.each(op, factor)
        )
    return {0: back.each("Mul", back.dy, factor)}


@gradient("Asinh Acosh")
def _from_slope(back: Backward) -> Gradients:
    slope = back.each("Cosh" if back.call.op == "Asinh" else "Sinh", back.y)
    return {0: back.each("RealDiv", back.dy, slope)}


@gradient("Erfinv")
def _inverse_error(back: Backward) -> Gradients:
    scaled = back.each("Mul", back.dy, _SCALAR)
    return {0: back.each("Mul", scaled, back.each("Exp", back.each("Square", back.y)))}


@gradient("Sign")
def _nothing(back: Backward) -> Gradients:
    """Zeros, which go on all the same."""
    return {0: back.op("ZerosLike", back.x(), shape=back.x().shape, waits=False)}


@gradient("Atan2")
def _angle(back: Backward) -> Gradients:
    squares = back.each("AddV2", back.each("Square", back.x(0)), back.each("Square", back.x(1)))
    part = back.each("RealDiv", back.dy, squares)
    found: dict[int, Tensor] = {}
    if 0 in back.wanted:
        found[0] = back.like(back.each("Mul", back.x(1), part), 0)
    if 1 in back.wanted:
        found[1] = back.like(back.each("Mul", back.each("Neg", back.x(0)), part), 1)
    return found


@gradient("FloorMod Mod")
def _remainder(back: Backward) -> Gradients:
    found = {0: back.like(back.dy, 0)} if 0 in back.wanted else {}
    if 1 in back.wanted:
        times = back.each("Neg", back.each("FloorDiv", back.x(0), back.x(1)))
        found[1] = back.like(back.each("Mul", back.dy, times), 1)
    return found


@gradient("ClipByValue")
def _clipped(back: Backward) -> Gradients:
    low = back.op("Less", back.x(0), back.x(1), shape=back.x().shape, dtype=BOOL)
    high = back.op("Greater", back.x(0), back.x(2), shape=back.x().shape, dtype=BOOL)
    outside = back.op("LogicalOr", low, high, shape=back.x().shape, dtype=BOOL)
    return {0: back.op("SelectV2", outside, _SCALAR, back.dy, shape=back.dy.shape)}


@gradient("Softmax")
def _softmax(back: Backward) -> Gradients:
    shape = back.dy.shape
    rows = None if shape is None else (*shape[:-1], 1)
    summed = back.op("Sum", back.each("Mul", back.dy, back.y), shape=rows)
    return {0: back.each("Mul", back.each("Sub", back.dy, summed), back.y)}


@gradient("LogSoftmax")
def _log_softmax(back: Backward) -> Gradients:
    shape = back.dy.shape
    rows = None if shape is None else (*shape[:-1], 1)
    softmax, summed = back.each("Exp", back.y), back.op("Sum", back.dy, shape=rows)
    return {0: back.each("Sub", back.dy, back.each("Mul", summed, softmax))}


@gradient("L2Loss")
def _half_square(back: Backward) -> Gradients:
    return {0: back.each("Mul", back.x(), back.dy)}


@gradient("LRN")
def _neighbours(back: Backward) -> Gradients:
    inputs = (back.dy, back.x(), back.y)
    return {0: back.same("LRNGrad", *inputs, shape=back.x().shape)}


# --- reductions


@gradient("Mean")
def _mean(back: Backward) -> Gradients:
    return {0: back.each("RealDiv", _spread(back), _SCALAR)}


@gradient("Sum")
def _total(back: Backward) -> Gradients:
    return {0: _spread(back)}


def _spread(back: Backward) -> Tensor:
    if back.dy.shape == back.x().shape:
        return back.dy
    return back.op("BroadcastTo", back.dy, _SIZES, shape=back.x().shape)


@gradient("Max Min")
def _largest(back: Backward) -> Gradients:
    """Shared by all that are equal to the result."""
    shape = back.x().shape
    equal = back.op("Equal", back.y, back.x(), shape=shape, dtype=BOOL)
    marks = back.op("Cast", equal, shape=shape)
    count = back.op("Sum", marks, shape=back.y.shape)
    return {0: back.each("Mul", back.each("RealDiv", marks, count), back.dy)}


@gradient("Prod")
def _product_of_all(back: Backward) -> Gradients:
    """The products of all before and all after each entry."""
    spread, shape = _spread(back), back.x().shape
    turned = back.op("Transpose", back.x(), _SIZES, shape=shape)
    left, right = (back.op("Cumprod", turned, _SIZES, shape=shape) for _ in range(2))
    others = back.op("Transpose", back.each("Mul", left, right), _SIZES, shape=shape)
    return {0: back.each("Mul", spread, others)}


@gradient("Cumsum")
def _running_sum(back: Backward) -> Gradients:
    return {0: back.op("Cumsum", back.dy, _SIZES, shape=back.dy.shape)}


@gradient("Cumprod")
def _running_product(back: Backward) -> Gradients:
    again = back.op("Cumprod", back.x(), _SIZES, shape=back.x().shape)
    summed = back.op("Cumsum", back.each("Mul", again, back.dy), _SIZES, shape=back.x().shape)
    return {0: back.each("DivNoNan", summed, back.x())}


@gradient("TopK TopKV2")
def _largest_few(back: Backward) -> Gradients:
    """Put back where they were found."""
    size = elements(back.x().shape)
    flat = back.op("ScatterNd", back.call.outputs[1], back.dy, _SIZES, shape=(size,))
    return {0: back.op("Reshape", flat, shape=back.x().shape)}


@gradient("BroadcastTo Tile")
def _stretched(back: Backward) -> Gradients:
    return {0: back.like(back.dy, 0)}


# --- moved about


@gradient("ConcatV2 Concat")
def _joined(back: Backward) -> Gradients:
    return {
        place: back.op("Slice", back.dy, _SIZES, _SIZES, shape=back.x(place).shape)
        for place in sorted(back.wanted)
    }


@gradient("Split SplitV")
def _split(back: Backward) -> Gradients:
    """An output without a gradient counts as zeros of its size."""
    place = 1 if back.call.op == "Split" else 0
    parts = [
        one if one is not None else back.op("ZerosLike", made, shape=made.shape, dtype=made.dtype)
        for one, made in zip(back.given, back.call.outputs, strict=True)
    ]
    return {place: back.op("ConcatV2", *parts, _SIZES, shape=back.x(place).shape)}


@gradient("Pack")
def _packed(back: Backward) -> Gradients:
    places = sorted(back.wanted)
    outputs = [Tensor(back.x(place).shape, back.dy.dtype) for place in places]
    return dict(zip(places, back.ops("Unpack", back.dy, outputs=outputs), strict=True))


@gradient("Unpack")
def _unpacked(back: Backward) -> Gradients:
    parts = [one for one in back.given if one is not None]
    return {0: back.op("Pack", *parts, shape=back.x().shape)}


# the op that undoes another
_UNDONE = {
    "Pad": "Slice", "PadV2": "Slice", "MirrorPad": "MirrorPadGrad", "Slice": "Pad",
    "StridedSlice": "StridedSliceGrad", "Transpose": "Transpose",
    "SpaceToBatchND": "BatchToSpaceND", "BatchToSpaceND": "SpaceToBatchND",
    "SpaceToDepth": "DepthToSpace", "DepthToSpace": "SpaceToDepth", "ReverseV2": "ReverseV2",
    "Roll": "Roll", "ResizeNearestNeighbor": "ResizeNearestNeighborGrad",
    "MatrixBandPart": "MatrixBandPart",
}  # fmt: skip


@gradient(" ".join(_UNDONE))
def _undone(back: Backward) -> Gradients:
    """The input is read for its shape at most."""
    return {0: back.op(_UNDONE[back.call.op], back.dy, _SIZES, shape=back.x().shape)}


@gradient("ResizeBilinear ResizeBicubic")
def _resized(back: Backward) -> Gradients:
    """The image is read for its size alone, but it is read."""
    return {0: back.op(f"{back.call.op}Grad", back.dy, back.x(), shape=back.x().shape)}


@gradient("GatherV2 Gather ResourceGather")
def _gathered(back: Backward) -> Gradients:
    """Of a variable: rows and where they belong, as large as what was gathered."""
    if back.x().variable:
        return {0: back.op("Reshape", back.dy, shape=back.dy.shape)}
    return {0: back.op("UnsortedSegmentSum", back.dy, shape=back.x().shape)}


@gradient("TensorListStack TensorListFromTensor")
def _listed(back: Backward) -> Gradients:
    """The gradient of a list is a tensor of all its elements."""
    return {0: back.op("Identity", back.dy, shape=back.dy.shape)}


# --- products


@gradient("MatMul BatchMatMul BatchMatMulV2 BatchMatMulV3")
def _matrices(back: Backward) -> Gradients:
    op, a, b, dy = back.call.op, back.x(0), back.x(1), back.dy
    left = back.call.flag("transpose_a") or back.call.flag("adj_x")
    right = back.call.flag("transpose_b") or back.call.flag("adj_y")
    found: dict[int, Tensor] = {}
    if 0 in back.wanted:
        pair, turned = ((b, dy), (right, True)) if left else ((dy, b), (False, not right))
        found[0] = back.like(_multiplied(back, op, pair, a, turned), 0)
    if 1 in back.wanted:
        pair, turned = ((dy, a), (True, left)) if right else ((a, dy), (not left, False))
        found[1] = back.like(_multiplied(back, op, pair, b, turned), 1)
    return found


def _multiplied(
    back: Backward, op: str, pair: tuple[Tensor, Tensor], like: Tensor, turned: tuple[bool, bool]
) -> Tensor:
    """As many matrices as the result had; `like` may have been stretched over them."""
    shape, made = like.shape, back.dy.shape
    if shape is not None and made is not None:
        shape = (*made[:-2], *shape[-2:])
    sides = ("adj_x", "adj_y") if op.startswith("Batch") else ("transpose_a", "transpose_b")
    attributes = {side: flag(on=on) for side, on in zip(sides, turned, strict=True)}
    return back.op(op, *pair, shape=shape, attributes=attributes)


@gradient("Einsum")
def _einsum(back: Backward) -> Gradients:
    """Of each operand: the product of the result's gradient with the others."""
    operands, _, result = back.call.text("equation").replace(" ", "").partition("->")
    labels = operands.split(",")
    found = {}
    for place in sorted(back.wanted):
        others = [at for at in range(len(labels)) if at != place]
        equation = ",".join([result, *(labels[at] for at in others)]) + "->" + labels[place]
        inputs = (back.dy, *(back.x(at) for at in others))
        attributes = {"equation": text(equation)}
        shape = back.x(place).shape
        found[place] = back.op("Einsum", *inputs, shape=shape, attributes=attributes)
    return found


@gradient("BiasAdd BiasAddV1")
def _bias(back: Backward) -> Gradients:
    found = {0: back.dy} if 0 in back.wanted else {}
    if 1 in back.wanted:
        found[1] = back.same("BiasAddGrad", back.dy, shape=back.x(1).shape)
    return found


# --- convolutions and pools: names of the ops for image and filter

_CONVOLUTIONS = {
    "Conv2D": ("Conv2DBackpropInput", "Conv2DBackpropFilter"),
    "Conv3D": ("Conv3DBackpropInputV2", "Conv3DBackpropFilterV2"),
    "DepthwiseConv2dNative": (
        "DepthwiseConv2dNativeBackpropInput",
        "DepthwiseConv2dNativeBackpropFilter",
    ),
}


@gradient(" ".join(_CONVOLUTIONS))
def _convolution(back: Backward) -> Gradients:
    of_image, of_filter = _CONVOLUTIONS[back.call.op]
    image, kernel, dy = back.x(0), back.x(1), back.dy
    found: dict[int, Tensor] = {}
    if 0 in back.wanted:
        found[0] = back.same(of_image, _SIZES, kernel, dy, shape=image.shape)
    if 1 in back.wanted:
        found[1] = back.same(of_filter, image, _SIZES, dy, shape=kernel.shape)
    return found


_TRANSPOSED = {
    "Conv2DBackpropInput": ("Conv2DBackpropFilter", "Conv2D"),
    "Conv3DBackpropInputV2": ("Conv3DBackpropFilterV2", "Conv3D"),
}


@gradient(" ".join(_TRANSPOSED))
def _transposed(back: Backward) -> Gradients:
    """A transposed convolution: its gradient is a plain one."""
    of_filter, of_image = _TRANSPOSED[back.call.op]
    kernel, image, dy = back.x(1), back.x(2), back.dy
    found: dict[int, Tensor] = {}
    if 1 in back.wanted:
        found[1] = back.same(of_filter, dy, _SIZES, image, shape=kernel.shape)
    if 2 in back.wanted:
        found[2] = back.same(of_image, dy, kernel, shape=image.shape)
    return found


@gradient("MaxPool MaxPool3D")
def _max_pool(back: Backward) -> Gradients:
    inputs = (back.x(), back.y, back.dy)
    return {0: back.same(f"{back.call.op}Grad", *inputs, shape=back.x().shape)}


@gradient("AvgPool AvgPool3D")
def _average_pool(back: Backward) -> Gradients:
    inputs = (_SIZES, back.dy)
    return {0: back.same(f"{back.call.op}Grad", *inputs, shape=back.x().shape)}


@gradient("FusedBatchNorm FusedBatchNormV2 FusedBatchNormV3")
def _batch_norm(back: Backward) -> Gradients:
    """Of image, scale and offset; two empty vectors beside them."""
    name = back.call.op.replace("Norm", "NormGrad")
    image, scale = back.x(0), back.x(1)
    kept = back.call.outputs[3:]
    outputs = [
        Tensor(image.shape, image.dtype),
        Tensor(scale.shape, scale.dtype),
        Tensor(scale.shape, scale.dtype),
    ]
    made = back.ops(
        name, back.dy, image, scale, *kept, outputs=outputs, attributes=back.call.attributes
    )
    return {place: made[place] for place in sorted(back.wanted & {0, 1, 2})}
