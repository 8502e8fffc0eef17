"""The ops that Keras runs on TensorFlow for each layer class, as its graphs have them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tfprof.analyses.keras_layers.activations import activation_name
from tfprof.analyses.keras_layers.convolutions import rank_of
from tfprof.analyses.keras_layers.rule import Call as LayerCall
from tfprof.analyses.memory.keras_writer import SCALAR, Layer, Made, write, written_as
from tfprof.model.dims import Open, Shape, Size, product
from tfprof.ops.attributes import integers, text
from tfprof.ops.gradient_rules import CUSTOM
from tfprof.ops.gradients import UNLISTED, Backward, Gradients, gradient
from tfprof.ops.rule import BOOL, INT32, Tensor
from tfprof.wire.schema import Proto

_SIZES = Tensor((), INT32)

# --- activations

_FUNCTIONS = {
    "relu": ("Relu",), "relu6": ("Relu6",), "elu": ("Elu",), "selu": ("Selu",),
    "leaky_relu": ("LeakyRelu",), "softplus": ("Softplus",), "softsign": ("Softsign",),
    "sigmoid": ("Sigmoid",), "tanh": ("Tanh",), "softmax": ("Softmax",),
    "log_softmax": ("LogSoftmax",), "exponential": ("Exp",),
    "hard_sigmoid": ("AddV2", "Relu6", "RealDiv"),
}  # fmt: skip
_WITH_SCALAR = frozenset({"AddV2", "Mul", "RealDiv"})


def _activated(layer: Layer, x: Tensor, function: object) -> Tensor:
    """With the function of a config; of one that is not known, a single op."""
    name = activation_name(function)
    if name == "linear":
        return x
    if name in ("silu", "swish"):
        return _silu(layer, x)
    if name in ("hard_silu", "hard_swish"):
        return layer.each("Mul", x, _chain(layer, x, _FUNCTIONS["hard_sigmoid"]))
    if name == "gelu":
        half = layer.each("Mul", SCALAR, x)
        return layer.each("Mul", half, _chain(layer, x, ("Neg", "Mul", "Erfc")))
    return _chain(layer, x, _FUNCTIONS.get(name, (f"keras.{name}",)))


def _chain(layer: Layer, x: Tensor, ops: Sequence[str]) -> Tensor:
    for op in ops:
        x = layer.each(op, x, SCALAR) if op in _WITH_SCALAR else layer.each(op, x)
    return x


def _silu(layer: Layer, x: Tensor) -> Tensor:
    """Keras brings a gradient of its own for it."""
    made = layer.each("Mul", x, _chain(layer, x, ("Mul", "Sigmoid")))
    outputs = [Tensor(made.shape, made.dtype), Tensor(x.shape, x.dtype)]
    return layer.ops("IdentityN", made, x, outputs=outputs, **{CUSTOM: text("silu")})[0]


@written_as("Activation")
def _activation(layer: Layer) -> Made:
    return _activated(layer, layer.x, layer.call.config.get("activation"))


@written_as("ReLU")
def _relu(layer: Layer) -> Made:
    limit = layer.call.config.get("max_value")
    if limit is None:
        return layer.each(
            "LeakyRelu" if layer.call.config.get("negative_slope") else "Relu", layer.x
        )
    if limit == _SIX:
        return layer.each("Relu6", layer.x)
    return layer.each("Minimum", layer.each("Relu", layer.x), SCALAR)


_SIX = 6


@written_as("LeakyReLU ELU Softmax")
def _fixed_activation(layer: Layer) -> Made:
    names = {"LeakyReLU": "LeakyRelu", "ELU": "Elu", "Softmax": "Softmax"}
    return layer.each(names[layer.call.class_name], layer.x)


@written_as("PReLU")
def _prelu(layer: Layer) -> Made:
    negative = layer.each("Relu", layer.each("Neg", layer.x))
    alpha = layer.each("Neg", layer.weight("alpha"))
    return layer.each("AddV2", layer.each("Relu", layer.x), layer.each("Mul", alpha, negative))


# --- convolutions


def _finished(layer: Layer, x: Tensor) -> Tensor:
    """With bias and activation."""
    if layer.has("bias"):
        x = layer.op("BiasAdd", x, layer.weight("bias"), shape=x.shape)
    return _activated(layer, x, layer.call.config.get("activation"))


def _plane(shape: Shape) -> Shape:
    """A row as a plane that is one high: convolutions of one dimension are those of two."""
    return (shape[0], 1, *shape[1:])


def _windows(layer: Layer, name: str = "strides") -> dict[str, Proto]:
    """What a convolution or a pool states, for at least two dimensions."""
    rank = rank_of(layer.call)
    first = layer.call.channels_first
    strides = _per_dimension(layer, name, rank)
    rates = _per_dimension(layer, "dilation_rate", rank)
    letters = "DHW"[-max(rank, 2) :]
    same = layer.call.text("padding", "valid").lower() in ("same", "causal")
    return {
        "strides": integers([1, 1, *strides] if first else [1, *strides, 1]),
        "dilations": integers([1, 1, *rates] if first else [1, *rates, 1]),
        "padding": text("SAME" if same else "VALID"),
        "data_format": text(f"NC{letters}" if first else f"N{letters}C"),
    }


def _per_dimension(layer: Layer, name: str, rank: int, absent: int = 1) -> list[int]:
    found = layer.call.integers(name, rank, absent)
    return [1, *found] if rank == 1 else found


def _flat(layer: Layer, op: str, image: Tensor, kernel: str, out: Shape) -> Tensor:
    """A convolution with a kernel, over rows or over planes and volumes."""
    attributes = _windows(layer)
    shape = layer.variables[kernel].shape
    if rank_of(layer.call) > 1:
        return layer.op(op, image, layer.weight(kernel), shape=out, **attributes)
    wide = layer.op("ExpandDims", image, shape=_plane(image.shape or ()))
    weights = layer.weight(kernel, (1, *shape))
    made = layer.op(op, wide, weights, shape=_plane(out), **attributes)
    return layer.op("Squeeze", made, shape=out)


@written_as("Conv1D Conv2D Conv3D Convolution1D Convolution2D Convolution3D")
def _convolution(layer: Layer) -> Made:
    image = layer.x
    if layer.call.text("padding").lower() == "causal" and image.shape is not None:
        more = (layer.call.integers("kernel_size", 1)[0] - 1) * layer.call.integers(
            "dilation_rate", 1
        )[0]
        size: Size = image.shape[1] or 0
        image = layer.op("Pad", image, _SIZES, shape=(image.shape[0], size + more, image.shape[2]))
    op = "Conv3D" if rank_of(layer.call) == _VOLUME else "Conv2D"
    return _finished(layer, _flat(layer, op, image, "kernel", layer.shape or ()))


_VOLUME = 3


@written_as("DepthwiseConv1D DepthwiseConv2D")
def _depthwise(layer: Layer) -> Made:
    made = _flat(layer, "DepthwiseConv2dNative", layer.x, "kernel", layer.shape or ())
    return _finished(layer, made)


@written_as("SeparableConv1D SeparableConv2D SeparableConvolution1D SeparableConvolution2D")
def _separable(layer: Layer) -> Made:
    channels = layer.variables["pointwise_kernel"].shape[-2]
    shape = layer.shape or ()
    between = (
        (shape[0], channels, *shape[2:]) if layer.call.channels_first else (*shape[:-1], channels)
    )
    deep = _flat(layer, "DepthwiseConv2dNative", layer.x, "depthwise_kernel", between)
    layout = _windows(layer)["data_format"]
    ones = {"strides": integers([1] * 4), "padding": text("VALID"), "data_format": layout}
    kernel = layer.variables["pointwise_kernel"].shape
    if rank_of(layer.call) > 1:
        point = layer.op("Conv2D", deep, layer.weight("pointwise_kernel"), shape=shape, **ones)
        return _finished(layer, point)
    wide = layer.op("ExpandDims", deep, shape=_plane(between))
    weights = layer.weight("pointwise_kernel", (1, *kernel))
    made = layer.op("Conv2D", wide, weights, shape=_plane(shape), **ones)
    return _finished(layer, layer.op("Squeeze", made, shape=shape))


@written_as("Conv1DTranspose Conv2DTranspose Conv3DTranspose"
            " Convolution1DTranspose Convolution2DTranspose Convolution3DTranspose")  # fmt: skip
def _transposed(layer: Layer) -> Made:
    rank = rank_of(layer.call)
    op = "Conv3DBackpropInputV2" if rank == _VOLUME else "Conv2DBackpropInput"
    attributes, shape = _windows(layer), layer.shape or ()
    kernel = layer.variables["kernel"].shape
    if rank > 1:
        made = layer.op(op, _SIZES, layer.weight("kernel"), layer.x, **attributes)
        return _finished(layer, made)
    wide = layer.op("ExpandDims", layer.x, shape=_plane(layer.x.shape or ()))
    weights = layer.weight("kernel", (1, *kernel))
    made = layer.op(op, _SIZES, weights, wide, shape=_plane(shape), **attributes)
    return _finished(layer, layer.op("Squeeze", made, shape=shape))


# --- pools


@written_as("MaxPooling1D MaxPooling2D MaxPooling3D AveragePooling1D AveragePooling2D"
            " AveragePooling3D MaxPool1D MaxPool2D MaxPool3D"
            " AvgPool1D AvgPool2D AvgPool3D")  # fmt: skip
def _pool(layer: Layer) -> Made:
    rank = rank_of(layer.call)
    op = "MaxPool" if layer.call.class_name.startswith("Max") else "AvgPool"
    op = f"{op}3D" if rank == _VOLUME else op
    windows = _per_dimension(layer, "pool_size", rank, 2)
    stated = layer.call.config.get("strides") is not None
    attributes = _windows(layer, "strides" if stated else "pool_size")
    first = layer.call.channels_first
    attributes["ksize"] = integers([1, 1, *windows] if first else [1, *windows, 1])
    if rank > 1:
        return layer.op(op, layer.x, **attributes)
    wide = layer.op("ExpandDims", layer.x, shape=_plane(layer.x.shape or ()))
    made = layer.op(op, wide, shape=_plane(layer.shape or ()), **attributes)
    return layer.op("Squeeze", made)


@written_as("GlobalAveragePooling1D GlobalAveragePooling2D GlobalAveragePooling3D"
            " GlobalAvgPool1D GlobalAvgPool2D GlobalAvgPool3D")  # fmt: skip
def _mean(layer: Layer) -> Made:
    return layer.op("Mean", layer.x)


@written_as("GlobalMaxPooling1D GlobalMaxPooling2D GlobalMaxPooling3D"
            " GlobalMaxPool1D GlobalMaxPool2D GlobalMaxPool3D")  # fmt: skip
def _max(layer: Layer) -> Made:
    return layer.op("Max", layer.x)


# --- dense layers


@written_as("Dense")
def _dense(layer: Layer) -> Made:
    kernel = layer.weight("kernel")
    shape = layer.x.shape or ()
    if len(shape) <= 2:
        return _finished(layer, layer.op("MatMul", layer.x, kernel))
    rows, out = product(shape[:-1]), layer.shape or ()
    turned = layer.op("Transpose", layer.x, _SIZES, shape=shape)
    flat = layer.op("Reshape", turned, shape=(rows, shape[-1]))
    made = layer.op("MatMul", flat, kernel, shape=(rows, out[-1]))
    return _finished(layer, layer.op("Reshape", made))


@written_as("EinsumDense")
def _einsum(layer: Layer) -> Made:
    equation = text(layer.call.text("equation").replace(" ", ""))
    made = layer.op("Einsum", layer.x, layer.weight("kernel"), equation=equation)
    if layer.has("bias"):
        made = layer.each("AddV2", made, layer.weight("bias"))
    return _activated(layer, made, layer.call.config.get("activation"))


@written_as("Embedding")
def _embedding(layer: Layer) -> Made:
    return layer.op("GatherV2", layer.weight("embeddings"), layer.x, _SIZES)


# --- normalisation


@written_as("BatchNormalization")
def _batch_norm(layer: Layer) -> Made:
    """As for a prediction; a layer that trains is changed with the rest of the step."""
    shape = _by_channel(layer)
    if layer.training and not layer.call.trainable:
        scaled = layer.each("Mul", layer.x, layer.weight("moving_variance", shape))
        return layer.each("AddV2", scaled, layer.weight("moving_mean", shape))
    spread = layer.each("AddV2", layer.weight("moving_variance", shape), SCALAR)
    factor = layer.each("Rsqrt", spread)
    if layer.has("gamma"):
        factor = layer.each("Mul", factor, layer.weight("gamma", shape))
    scaled = layer.each("Mul", layer.x, factor)
    moved = layer.each("Mul", layer.weight("moving_mean", shape), factor)
    if layer.has("beta"):
        offset = layer.each("Sub", layer.weight("beta", shape), moved)
    else:
        offset = layer.each("Neg", moved)
    return layer.each("AddV2", scaled, offset)


def _by_channel(layer: Layer) -> Open:
    """A vector; before the last axis, with ones around it."""
    shape = layer.x.shape or ()
    axis = layer.call.config.get("axis", -1)
    axis = axis[0] if isinstance(axis, list) else axis
    place = axis % len(shape)
    if place == len(shape) - 1:
        return (shape[place],)
    return tuple(size if at == place else 1 for at, size in enumerate(shape))


@written_as("LayerNormalization")
def _layer_norm(layer: Layer) -> Made:
    shape = layer.x.shape or ()
    rows = (*shape[:-1], 1)
    mean = layer.op("Mean", layer.x, shape=rows)
    fixed = layer.op("StopGradient", mean, shape=rows)
    squares = layer.each("SquaredDifference", layer.x, fixed)
    factor = layer.each("Rsqrt", layer.each("AddV2", layer.op("Mean", squares, shape=rows), SCALAR))
    if layer.has("gamma"):
        factor = layer.each("Mul", factor, layer.weight("gamma"))
    offset = layer.each("Mul", layer.each("Neg", mean), factor)
    if layer.has("beta"):
        offset = layer.each("AddV2", offset, layer.weight("beta"))
    return layer.each("AddV2", layer.each("Mul", layer.x, factor), offset)


@written_as("Rescaling")
def _rescaled(layer: Layer) -> Made:
    return _chain(layer, layer.x, ("Mul", "AddV2"))


@written_as("Normalization")
def _normalised(layer: Layer) -> Made:
    return layer.each("RealDiv", layer.each("Sub", layer.x, SCALAR), SCALAR)


# --- several inputs

_MERGES = {
    "Add": "AddV2", "Average": "AddV2", "Subtract": "Sub", "Multiply": "Mul",
    "Maximum": "Maximum", "Minimum": "Minimum", "TrueDivide": "RealDiv", "Divide": "RealDiv",
}  # fmt: skip


@written_as(" ".join(_MERGES))
def _merged(layer: Layer) -> Made:
    """One after the other; an operation with a number has one tensor."""
    op = _MERGES[layer.call.class_name]
    made, *rest = layer.inputs
    for one in rest or [SCALAR]:
        made = layer.each(op, made, one)
    return layer.each("RealDiv", made, SCALAR) if layer.call.class_name == "Average" else made


@written_as("Concatenate")
def _joined(layer: Layer) -> Made:
    return layer.op("ConcatV2", *layer.inputs, _SIZES)


# --- moved about


@written_as("Flatten Reshape")
def _reshaped(layer: Layer) -> Made:
    return layer.op("Reshape", layer.x, _SIZES)


@written_as("Permute")
def _permuted(layer: Layer) -> Made:
    return layer.op("Transpose", layer.x, _SIZES)


@written_as("ZeroPadding1D ZeroPadding2D ZeroPadding3D")
def _padded(layer: Layer) -> Made:
    return layer.op("Pad", layer.x, _SIZES)


@written_as("Cropping1D Cropping2D Cropping3D GetItem")
def _cut(layer: Layer) -> Made:
    return layer.op("StridedSlice", layer.x, _SIZES, _SIZES, _SIZES)


@written_as("UpSampling1D UpSampling2D UpSampling3D")
def _upsampled(layer: Layer) -> Made:
    """Nearest neighbours are repeated along one dimension after the other."""
    if layer.call.text("interpolation", "nearest") != "nearest":
        return layer.op("ResizeBilinear", layer.x, _SIZES)
    first = layer.call.channels_first
    made = layer.x
    sizes = list(made.shape or ())
    for place, size in enumerate(layer.shape or ()):
        if size != sizes[place] and place != (1 if first else len(sizes) - 1):
            sizes[place] = size
            made = layer.op("Tile", made, _SIZES, shape=tuple(sizes))
    return made


@written_as("RepeatVector")
def _repeated(layer: Layer) -> Made:
    return layer.op("Tile", layer.x, _SIZES)


@written_as("Identity ActivityRegularization Masking InputLayer")
def _same(layer: Layer) -> Made:
    return layer.x


# --- what is random in training


@written_as("Dropout SpatialDropout1D SpatialDropout2D SpatialDropout3D")
def _dropout(layer: Layer) -> Made:
    return _dropped(layer, layer.x, layer.call.config.get("rate"), _noise_shape(layer))


def _noise_shape(layer: Layer) -> Open:
    """Whole channels go at once in some classes."""
    shape = layer.x.shape or ()
    if not layer.call.class_name.startswith("Spatial"):
        return shape
    return (shape[0], *[1] * (len(shape) - 2), shape[-1])


def _dropped(layer: Layer, x: Tensor, rate: object, noise: Open) -> Tensor:
    """Random numbers and what they keep: the mask stays for the gradient."""
    if not layer.training or not rate:
        return x
    scaled = layer.each("Mul", x, SCALAR)
    random = layer.op("StatelessRandomUniformV2", _SIZES, x, shape=noise)
    random = layer.each("AddV2", layer.each("Mul", random, SCALAR), SCALAR)
    mask = layer.op("GreaterEqual", random, SCALAR, shape=noise, dtype=BOOL)
    return layer.op("SelectV2", mask, scaled, SCALAR, shape=x.shape)


# --- attention


@written_as("MultiHeadAttention")
def _attention(layer: Layer) -> Made:
    query, value, *rest = layer.inputs
    key = rest[0] if rest and len(rest[0].shape or ()) == len(value.shape or ()) else value
    q = _projected(layer, query, "query")
    k = _projected(layer, key, "key")
    v = _projected(layer, value, "value")
    q = layer.each("Mul", q, SCALAR)
    batch, asked, heads, width = q.shape or (None,) * 4
    held, deep = (k.shape or (None,) * 4)[1], (v.shape or (None,) * 4)[3]
    keys = layer.op("Transpose", k, _SIZES, shape=(batch, heads, held, width))
    queries = layer.op("Transpose", q, _SIZES, shape=(batch, heads, width, asked))
    scores = layer.op("BatchMatMulV2", keys, queries, shape=(batch, heads, held, asked))
    scores = layer.op("Transpose", scores, _SIZES, shape=(batch, heads, asked, held))
    weights = layer.each("Softmax", scores)
    weights = _dropped(layer, weights, layer.call.config.get("dropout"), weights.shape)
    values = layer.op("Transpose", v, _SIZES, shape=(batch, heads, held, deep))
    made = layer.op("BatchMatMulV2", weights, values, shape=(batch, heads, asked, deep))
    made = layer.op("Transpose", made, _SIZES, shape=(batch, asked, heads, deep))
    flat = product((heads, deep))
    together = layer.op("Reshape", made, shape=(batch, asked, flat))
    out = (layer.shape or (None,))[-1]
    kernel = layer.weight("attention_output/kernel", (flat, out))
    result = layer.op("BatchMatMulV2", together, kernel)
    if layer.has("attention_output/bias"):
        result = layer.op("BiasAdd", result, layer.weight("attention_output/bias"))
    return [result, weights] if len(layer.made) > 1 else result


def _projected(layer: Layer, x: Tensor, name: str) -> Tensor:
    """To heads: one product, then apart."""
    features, heads, width = layer.variables[f"{name}/kernel"].shape
    front = (x.shape or ())[:-1]
    kernel = layer.weight(f"{name}/kernel", (features, heads * width))
    made = layer.op("BatchMatMulV2", x, kernel, shape=(*front, heads * width))
    made = layer.op("Reshape", made, shape=(*front, heads, width))
    if layer.has(f"{name}/bias"):
        made = layer.each("AddV2", made, layer.weight(f"{name}/bias"))
    return made


# --- loops: what each step keeps for its gradient, in units beside its input

_KEPT = {"LSTM": 7, "GRU": 6, "SimpleRNN": 2}


@written_as(" ".join(_KEPT))
def _recurrent(layer: Layer) -> Made:
    return _loop(layer, _KEPT[layer.call.class_name] * layer.call.integer("units"))


@written_as("Bidirectional")
def _both_ways(layer: Layer) -> Made:
    inner = layer.call.config["layer"]
    return _loop(layer, 2 * _KEPT[inner["class_name"]] * int(inner["config"]["units"]))


def _loop(layer: Layer, kept: int) -> Made:
    """All steps as one op; in training they keep what the gradient of each will read."""
    batch, steps, features = layer.x.shape or (None,) * 3
    weights = [layer.weight(name) for name in layer.variables]
    turned = layer.op("Transpose", layer.x, _SIZES, shape=(steps, batch, features))
    listed = layer.op("TensorListFromTensor", turned, shape=(steps, batch, features))
    outputs = list(layer.made)
    if layer.training and isinstance(features, int):
        outputs.append(Tensor((steps, batch, kept + features), layer.dtype))
    op = f"keras.{layer.call.class_name}"
    return layer.ops(op, listed, *weights, outputs=outputs)[: len(layer.made)]


@gradient(" ".join(f"keras.{name}" for name in (*_KEPT, "Bidirectional")))
def _loop_gradient(back: Backward) -> Gradients:
    """Reads what was kept, and nothing else."""
    places = sorted(back.wanted)
    outputs = [Tensor(back.x(place).shape, back.x(place).dtype) for place in places]
    given = [one for one in back.given if one is not None]
    made = back.ops(UNLISTED, *given, back.call.outputs[-1], outputs=outputs)
    return dict(zip(places, made, strict=True))


@written_as("TimeDistributed")
def _each_step(layer: Layer) -> Made:
    """The layer inside, with the steps as part of the batch."""
    inner, shape, out = layer.call.config["layer"], layer.x.shape or (), layer.shape or ()
    rows = product(shape[:2])
    x = layer.op("Reshape", layer.x, shape=(rows, *shape[2:]), dtype=layer.x.dtype)
    given, trains = layer.call, layer.call.trainable
    call = LayerCall(
        inner["class_name"], inner["config"], given.args, {}, given.engine, trainable=trains
    )
    made = Tensor((rows, *out[2:]), layer.dtype)
    result = write(replace(layer, call=call, inputs=[x], made=[made]))
    first = result if isinstance(result, Tensor) else result[0]
    return layer.op("Reshape", first)
