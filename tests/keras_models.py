"""A Keras model for every layer class: what it is called with, and how it is configured."""

import keras

L = keras.layers
ops = keras.ops


def one_layer(layer, shape, dtype="float32"):
    x = keras.Input(shape, dtype=dtype)
    return keras.Model(x, layer(x))


# layer by layer: what it is called with, and how it is configured
LAYERS = {
    "Dense": ((5,), lambda: L.Dense(7)),
    "Dense, no bias, open": ((None, 5), lambda: L.Dense(7, use_bias=False, activation="relu")),
    "Dense, frozen": ((5,), lambda: L.Dense(7, trainable=False)),
    "EinsumDense": ((4, 6), lambda: L.EinsumDense("abc,cd->abd", (None, 9), bias_axes="d")),
    "EinsumDense, dots": ((None, 6), lambda: L.EinsumDense("...x,xy->...y", 9, bias_axes="y")),
    "EinsumDense, heads": (
        (4, 6),
        lambda: L.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="de"),
    ),
    "EinsumDense, inner bias": (
        (4, 6),
        lambda: L.EinsumDense("abc,cde->abde", (None, 2, 3), bias_axes="d"),
    ),
    "EinsumDense, right dots": ((4, 6), lambda: L.EinsumDense("ab...,bc->ac...", 9)),
    "Embedding": ((None,), lambda: L.Embedding(11, 6), "int32"),
    "ReversibleEmbedding": (
        (None,),
        lambda: L.ReversibleEmbedding(11, 6, tie_weights=False),
        "int32",
    ),
    "Conv1D": ((20, 3), lambda: L.Conv1D(5, 3)),
    "Conv1D, causal": ((20, 3), lambda: L.Conv1D(5, 3, padding="causal", strides=2)),
    "Conv1D, open": ((None, 3), lambda: L.Conv1D(5, 3, padding="same")),
    "Conv2D": ((9, 11, 4), lambda: L.Conv2D(5, (3, 2), strides=2)),
    "Conv2D, same": ((9, 11, 4), lambda: L.Conv2D(5, 3, strides=2, padding="same")),
    "Conv2D, dilated": ((9, 11, 4), lambda: L.Conv2D(5, 3, dilation_rate=2, use_bias=False)),
    "Conv2D, groups": ((9, 11, 4), lambda: L.Conv2D(6, 3, groups=2)),
    "Conv2D, open": ((None, None, 4), lambda: L.Conv2D(6, 3, strides=2)),
    "Conv2D, dilated, same": (
        (None, None, 4),
        lambda: L.Conv2D(5, 3, dilation_rate=(2, 3), padding="same"),
    ),
    "Conv1D, dilated": ((20, 3), lambda: L.Conv1D(5, 3, dilation_rate=2, padding="causal")),
    "DepthwiseConv2D, dilated": ((9, 11, 4), lambda: L.DepthwiseConv2D(3, dilation_rate=2)),
    "SeparableConv2D, dilated": ((9, 11, 4), lambda: L.SeparableConv2D(5, 3, dilation_rate=2)),
    "Conv3D": ((5, 6, 7, 2), lambda: L.Conv3D(3, 2, strides=(1, 2, 3))),
    "DepthwiseConv1D": ((20, 3), lambda: L.DepthwiseConv1D(3, depth_multiplier=2)),
    "DepthwiseConv2D": ((9, 11, 4), lambda: L.DepthwiseConv2D(3, strides=2, padding="same")),
    "SeparableConv1D": ((20, 3), lambda: L.SeparableConv1D(5, 3)),
    "SeparableConv2D": ((9, 11, 4), lambda: L.SeparableConv2D(5, 3, depth_multiplier=2)),
    "Conv1DTranspose": ((20, 3), lambda: L.Conv1DTranspose(5, 3, strides=2)),
    "Conv2DTranspose": ((9, 11, 4), lambda: L.Conv2DTranspose(5, 3, strides=2)),
    "Conv2DTranspose, same": (
        (9, 11, 4),
        lambda: L.Conv2DTranspose(5, 3, strides=2, padding="same", use_bias=False),
    ),
    "Conv2DTranspose, output padding": (
        (9, 11, 4),
        lambda: L.Conv2DTranspose(5, 3, strides=3, padding="same", output_padding=1),
    ),
    "Conv3DTranspose": ((3, 4, 5, 2), lambda: L.Conv3DTranspose(3, 2, strides=3)),
    "MaxPooling1D": ((20, 3), lambda: L.MaxPooling1D(3)),
    "MaxPooling2D": ((9, 11, 4), lambda: L.MaxPooling2D(3, 2, padding="same")),
    "MaxPooling2D, open": ((None, None, 4), L.MaxPooling2D),
    "MaxPooling3D": ((5, 6, 7, 2), L.MaxPooling3D),
    "AveragePooling1D": ((20, 3), lambda: L.AveragePooling1D(3)),
    "AveragePooling2D": ((9, 11, 4), lambda: L.AveragePooling2D((3, 2))),
    "AveragePooling3D": ((5, 6, 7, 2), lambda: L.AveragePooling3D(2)),
    "GlobalMaxPooling1D": ((20, 3), L.GlobalMaxPooling1D),
    "GlobalMaxPooling2D": ((9, 11, 4), lambda: L.GlobalMaxPooling2D(keepdims=True)),
    "GlobalMaxPooling3D": ((5, 6, 7, 2), L.GlobalMaxPooling3D),
    "GlobalAveragePooling1D": ((None, 3), L.GlobalAveragePooling1D),
    "GlobalAveragePooling2D": (
        (4, 9, 11),
        lambda: L.GlobalAveragePooling2D(data_format="channels_first"),
    ),
    "GlobalAveragePooling3D": ((5, 6, 7, 2), L.GlobalAveragePooling3D),
    "AdaptiveAveragePooling2D": ((9, 11, 4), lambda: L.AdaptiveAveragePooling2D(3)),
    "AdaptiveMaxPooling1D": ((20, 3), lambda: L.AdaptiveMaxPooling1D(4)),
    "BatchNormalization": ((9, 11, 4), L.BatchNormalization),
    "BatchNormalization, axis": ((9, 11, 4), lambda: L.BatchNormalization(axis=1, scale=False)),
    "BatchNormalization, frozen": ((5,), lambda: L.BatchNormalization(trainable=False)),
    "BatchNormalization, renorm": ((5,), lambda: L.BatchNormalization(renorm=True)),
    "LayerNormalization": ((None, 5), L.LayerNormalization),
    "LayerNormalization, axes": ((4, 5), lambda: L.LayerNormalization(axis=[1, 2], center=False)),
    "GroupNormalization": ((9, 4), lambda: L.GroupNormalization(2)),
    "RMSNormalization": ((9, 4), L.RMSNormalization),
    "UnitNormalization": ((9, 4), L.UnitNormalization),
    "SpectralNormalization": ((9, 9, 4), lambda: L.SpectralNormalization(L.Conv2D(5, 3))),
    "Activation": ((9,), lambda: L.Activation("gelu")),
    "ReLU": ((9,), lambda: L.ReLU(6)),
    "LeakyReLU": ((9,), L.LeakyReLU),
    "PReLU": ((9, 4), L.PReLU),
    "PReLU, shared": ((9, 8, 4), lambda: L.PReLU(shared_axes=[1, 2])),
    "ELU": ((9,), L.ELU),
    "Softmax": ((9,), L.Softmax),
    "Dropout": ((9,), lambda: L.Dropout(0.3)),
    "SpatialDropout1D": ((9, 4), lambda: L.SpatialDropout1D(0.3)),
    "SpatialDropout2D": ((9, 9, 4), lambda: L.SpatialDropout2D(0.3)),
    "SpatialDropout3D": ((9, 9, 9, 4), lambda: L.SpatialDropout3D(0.3)),
    "AlphaDropout": ((9,), lambda: L.AlphaDropout(0.3)),
    "GaussianDropout": ((9,), lambda: L.GaussianDropout(0.3)),
    "GaussianNoise": ((9,), lambda: L.GaussianNoise(0.3)),
    "ActivityRegularization": ((9,), lambda: L.ActivityRegularization(0.3)),
    "Flatten": ((9, 4), L.Flatten),
    "Flatten, open": ((None, 4), L.Flatten),
    "Reshape": ((9, 4), lambda: L.Reshape((6, 6))),
    "Reshape, rest": ((9, 4), lambda: L.Reshape((3, -1, 2))),
    "Reshape, open": ((None, 4), lambda: L.Reshape((-1, 2, 2))),
    "Permute": ((9, 4, 2), lambda: L.Permute((3, 1, 2))),
    "RepeatVector": ((9,), lambda: L.RepeatVector(3)),
    "Cropping1D": ((9, 4), lambda: L.Cropping1D((2, 1))),
    "Cropping2D": ((9, 9, 4), lambda: L.Cropping2D(((2, 1), (0, 3)))),
    "Cropping3D": ((9, 9, 9, 4), lambda: L.Cropping3D(1)),
    "ZeroPadding1D": ((9, 4), lambda: L.ZeroPadding1D(2)),
    "ZeroPadding2D": ((9, 9, 4), lambda: L.ZeroPadding2D((2, 1))),
    "ZeroPadding3D": ((9, 9, 9, 4), lambda: L.ZeroPadding3D(((1, 0), (2, 3), (0, 4)))),
    "UpSampling1D": ((9, 4), lambda: L.UpSampling1D(3)),
    "UpSampling2D": ((9, 9, 4), lambda: L.UpSampling2D((2, 3), interpolation="bilinear")),
    "UpSampling3D": ((9, 9, 9, 4), L.UpSampling3D),
    "Resizing": ((9, 9, 4), lambda: L.Resizing(5, 6)),
    "CenterCrop": ((9, 9, 4), lambda: L.CenterCrop(5, 6)),
    "Rescaling": ((9, 9, 4), lambda: L.Rescaling(0.5, 1)),
    "RandomFlip": ((9, 9, 4), L.RandomFlip),
    "Normalization": ((9, 4), L.Normalization),
    "Normalization, given": ((9, 4), lambda: L.Normalization(mean=1.0, variance=2.0)),
    "Normalization, one": ((9, 4), lambda: L.Normalization(axis=None)),
    "CategoryEncoding": ((9,), lambda: L.CategoryEncoding(6, output_mode="one_hot"), "int32"),
    "CategoryEncoding, many": ((9,), lambda: L.CategoryEncoding(6), "int32"),
    "Discretization": ((9,), lambda: L.Discretization([0.0, 1.0], output_mode="one_hot")),
    "Hashing": ((9,), lambda: L.Hashing(6), "int32"),
    "Masking": ((9, 4), L.Masking),
    "Identity": ((9, 4), L.Identity),
    "LSTM": ((10, 5), lambda: L.LSTM(4)),
    "LSTM, states": ((10, 5), lambda: L.LSTM(4, return_sequences=True, return_state=True)),
    "LSTM, no bias": ((None, 5), lambda: L.LSTM(4, use_bias=False)),
    "GRU": ((None, 5), lambda: L.GRU(4, return_sequences=True)),
    "GRU, reset before": ((10, 5), lambda: L.GRU(4, reset_after=False, return_state=True)),
    "SimpleRNN": ((10, 5), lambda: L.SimpleRNN(4)),
    "RNN": ((10, 5), lambda: L.RNN(L.LSTMCell(4), return_sequences=True)),
    "RNN, stacked": ((10, 5), lambda: L.RNN([L.LSTMCell(4), L.GRUCell(3)])),
    "ConvLSTM1D": ((6, 9, 2), lambda: L.ConvLSTM1D(3, 2)),
    "ConvLSTM2D": ((6, 9, 9, 2), lambda: L.ConvLSTM2D(3, 3, return_sequences=True)),
    "ConvLSTM2D, same": (
        (6, 9, 9, 2),
        lambda: L.ConvLSTM2D(3, 3, padding="same", strides=2, return_state=True),
    ),
    "ConvLSTM3D": ((6, 5, 5, 5, 2), lambda: L.ConvLSTM3D(3, 2)),
    "Bidirectional": ((10, 5), lambda: L.Bidirectional(L.LSTM(4))),
    "Bidirectional, sum": (
        (None, 5),
        lambda: L.Bidirectional(L.GRU(4, return_sequences=True), merge_mode="sum"),
    ),
    "Bidirectional, states": ((10, 5), lambda: L.Bidirectional(L.LSTM(4, return_state=True))),
    "Bidirectional, apart": ((10, 5), lambda: L.Bidirectional(L.LSTM(4), merge_mode=None)),
    "Bidirectional, two": (
        (10, 5),
        lambda: L.Bidirectional(
            L.LSTM(4, return_sequences=True),
            backward_layer=L.LSTM(4, return_sequences=True, go_backwards=True, use_bias=False),
        ),
    ),
    "TimeDistributed": ((6, 9, 9, 2), lambda: L.TimeDistributed(L.Conv2D(3, 3))),
    "TimeDistributed, frozen": ((6, 9), lambda: L.TimeDistributed(L.Dense(3, trainable=False))),
    "TimeDistributed, model": (
        (6, 9),
        lambda: L.TimeDistributed(
            keras.Sequential([keras.Input((9,)), L.Dense(3), L.BatchNormalization()])
        ),
    ),
}  # fmt: skip

ACTIVATIONS = (
    "relu", "relu6", "elu", "selu", "celu", "leaky_relu", "softplus", "softsign", "sigmoid",
    "tanh", "softmax", "log_softmax", "exponential", "log_sigmoid", "mish", "tanh_shrink",
    "hard_tanh", "hard_sigmoid", "hard_silu", "silu", "gelu", "glu", "squareplus", "hard_shrink",
    "soft_shrink", "sparse_plus", "sparse_sigmoid",
)  # fmt: skip
LAYERS |= {
    f"Activation, {name}": ((8,), lambda name=name: L.Activation(name)) for name in ACTIVATIONS
}

# in a prediction these pass images on as they are
AUGMENTATIONS = {
    "RandomBrightness": lambda: L.RandomBrightness(0.2),
    "RandomColorDegeneration": lambda: L.RandomColorDegeneration(0.2),
    "RandomColorJitter": lambda: L.RandomColorJitter(hue_factor=0.2),
    "RandomContrast": lambda: L.RandomContrast(0.2),
    "RandomElasticTransform": L.RandomElasticTransform,
    "RandomErasing": L.RandomErasing,
    "RandomGaussianBlur": L.RandomGaussianBlur,
    "RandomGrayscale": L.RandomGrayscale,
    "RandomHue": lambda: L.RandomHue(0.2),
    "RandomInvert": L.RandomInvert,
    "RandomPerspective": L.RandomPerspective,
    "RandomPosterization": lambda: L.RandomPosterization(4),
    "RandomRotation": lambda: L.RandomRotation(0.2),
    "RandomSaturation": lambda: L.RandomSaturation(0.2),
    "RandomSharpness": lambda: L.RandomSharpness(0.2),
    "RandomShear": lambda: L.RandomShear(0.2, 0.2),
    "RandomTranslation": lambda: L.RandomTranslation(0.2, 0.2),
    "RandomZoom": lambda: L.RandomZoom(0.2),
    "MixUp": L.MixUp,
    "CutMix": L.CutMix,
    "RandAugment": L.RandAugment,
    "AugMix": L.AugMix,
}
LAYERS |= {name: ((9, 9, 3), make) for name, make in AUGMENTATIONS.items()}
FIRST = {"data_format": "channels_first"}
LAYERS |= {
    "MaxPooling2D, channels first": ((4, 9, 11), lambda: L.MaxPooling2D(2, **FIRST)),
    "AveragePooling1D, channels first": ((3, 20), lambda: L.AveragePooling1D(3, **FIRST)),
    "AdaptiveAveragePooling1D": ((20, 3), lambda: L.AdaptiveAveragePooling1D(6)),
    "AdaptiveAveragePooling3D": ((5, 6, 7, 2), lambda: L.AdaptiveAveragePooling3D(2)),
    "AdaptiveMaxPooling2D": ((4, 9, 11), lambda: L.AdaptiveMaxPooling2D(3, **FIRST)),
    "AdaptiveMaxPooling3D": ((5, 6, 7, 2), lambda: L.AdaptiveMaxPooling3D(2)),
    "Flatten, channels first": ((4, 9, 11), lambda: L.Flatten(**FIRST)),
    "Flatten, whole numbers": ((9, 4), L.Flatten, "int32"),
    "Cropping2D, open": ((None, None, 4), lambda: L.Cropping2D(2)),
    "ZeroPadding2D, channels first": ((4, 9, 9), lambda: L.ZeroPadding2D(1, **FIRST)),
    "UpSampling2D, nearest": ((None, None, 4), L.UpSampling2D),
    "UpSampling2D, channels first": ((4, 9, 9), lambda: L.UpSampling2D(**FIRST)),
    "UpSampling3D, channels first": ((2, 4, 5, 6), lambda: L.UpSampling3D(**FIRST)),
    "UpSampling2D, half": (
        (9, 9, 4),
        lambda: L.UpSampling2D(interpolation="bilinear", dtype="mixed_float16"),
    ),
    "Rescaling, whole numbers": ((9, 9, 4), lambda: L.Rescaling(0.5), "uint8"),
    "Resizing, whole numbers": ((9, 9, 4), lambda: L.Resizing(5, 6), "uint8"),
    "Resizing, channels first": ((4, 9, 9), lambda: L.Resizing(5, 6, **FIRST)),
    "Resizing, nearest": ((9, 9, 4), lambda: L.Resizing(5, 6, "nearest")),
    "Resizing, bicubic": ((9, 9, 4), lambda: L.Resizing(5, 6, "bicubic")),
    "Resizing, area": ((9, 9, 4), lambda: L.Resizing(5, 6, "area")),
    "Resizing, lanczos": ((9, 9, 4), lambda: L.Resizing(5, 6, "lanczos3")),
    "Resizing, smooth": ((9, 9, 4), lambda: L.Resizing(5, 6, antialias=True)),
    "Resizing, cropped": ((9, 9, 4), lambda: L.Resizing(5, 6, crop_to_aspect_ratio=True)),
    "CenterCrop, too small": ((9, 9, 4), lambda: L.CenterCrop(12, 11)),
    "CenterCrop, open": ((None, None, 4), lambda: L.CenterCrop(6, 7)),
    "RandomCrop": ((9, 9, 4), lambda: L.RandomCrop(5, 6)),
    "CategoryEncoding, counted": ((9,), lambda: L.CategoryEncoding(6, "count"), "int32"),
    "Discretization, bins": ((9,), lambda: L.Discretization([0.0, 1.0])),
    "Discretization, many": ((9,), lambda: L.Discretization([0.0], output_mode="multi_hot")),
    "Hashing, one": ((1,), lambda: L.Hashing(6, output_mode="one_hot", salt=3), "int32"),
    "Hashing, many": ((9,), lambda: L.Hashing(6, output_mode="multi_hot"), "int32"),
    "Hashing, masked": ((9,), lambda: L.Hashing(6, mask_value=0), "int32"),
    "IntegerLookup": ((9,), lambda: L.IntegerLookup(vocabulary=[1, 2]), "int64"),
    "IntegerLookup, unknown": (
        (9,),
        lambda: L.IntegerLookup(vocabulary=[1, 2], num_oov_indices=3, mask_token=0),
        "int64",
    ),
    "IntegerLookup, many": (
        (9,),
        lambda: L.IntegerLookup(vocabulary=[1, 2], output_mode="multi_hot"),
        "int64",
    ),
}

PAIRS = {
    "Add": L.Add,
    "Subtract": L.Subtract,
    "Multiply": L.Multiply,
    "Average": L.Average,
    "Maximum": L.Maximum,
    "Minimum": L.Minimum,
    "Concatenate": L.Concatenate,
    "Concatenate, axis": lambda: L.Concatenate(axis=1),
    "Dot": lambda: L.Dot(axes=2),
    "Dot, normalised": lambda: L.Dot(axes=(1, 1), normalize=True),
    "Attention": lambda: L.Attention(use_scale=True),
    "Attention, concat": lambda: L.Attention(score_mode="concat"),
    "AdditiveAttention": L.AdditiveAttention,
}

# layers are made anew with each model: a shared one would keep its weights
ATTENTION = {
    "plain": lambda x, y: L.MultiHeadAttention(2, 3)(x, value=y),
    "key": lambda x, y: L.MultiHeadAttention(2, 3, value_dim=5)(x, y, y),
    "by name": lambda x, y: L.MultiHeadAttention(2, 3)(query=x, value=y),
    "output": lambda x, y: L.MultiHeadAttention(2, 3, output_shape=(7,), use_bias=False)(
        x, value=y
    ),
    "scores": lambda x, y: L.MultiHeadAttention(2, 3)(x, y, return_attention_scores=True),
    "gate": lambda x, y: L.MultiHeadAttention(2, 3, use_gate=True)(x, value=y),
    "grouped": lambda x, y: L.GroupQueryAttention(3, 4, 2)(x, value=y),
    "grouped scores": lambda x, y: L.GroupQueryAttention(3, 4, 2, use_gate=True)(
        x, y, return_attention_scores=True
    ),
}

OPERATIONS = {
    "x + y": lambda x: x + x * 2.0,
    "1 - x": lambda x: 1.0 - x,
    "x / y ** 2": lambda x: x / (x**2),
    "x[:, 0]": lambda x: x[:, 0],
    "x[..., 1:3]": lambda x: x[..., 1:3],
    "x[:, None, ::2]": lambda x: x[:, None, ::2],
    "x[:, 1:-1]": lambda x: x[:, 1:-1],
    "reshape": lambda x: ops.reshape(x, (-1, 2, 2, 6)),
    "transpose": lambda x: ops.transpose(x, (0, 2, 1)),
    "swapaxes": lambda x: ops.swapaxes(x, 1, 2),
    "moveaxis": lambda x: ops.moveaxis(x, 1, -1),
    "concatenate": lambda x: ops.concatenate([x, x], axis=1),
    "stack": lambda x: ops.stack([x, x], axis=1),
    "split": lambda x: ops.split(x, 2, axis=-1),
    "split at": lambda x: ops.split(x, [1, 3], axis=1),
    "unstack": lambda x: ops.unstack(x, axis=1),
    "expand": lambda x: ops.squeeze(ops.expand_dims(x, 1), 1),
    "mean": lambda x: ops.mean(x, axis=1),
    "max": lambda x: ops.max(x, axis=(1, 2), keepdims=True),
    "var": lambda x: ops.var(x, axis=-1),
    "argmax": lambda x: ops.argmax(x, axis=-1),
    "matmul": lambda x: ops.matmul(x, ops.transpose(x, (0, 2, 1))),
    "einsum": lambda x: ops.einsum("bij,bkj->bik", x, x),
    "softmax": ops.softmax,
    "relu": lambda x: ops.relu(ops.exp(x)),
    "leaky": lambda x: ops.leaky_relu(ops.log_softmax(x)),
    "cast": lambda x: ops.cast(x, "int32"),
    "where": lambda x: ops.where(x > 0, x, 0.0),
    "clip": lambda x: ops.clip(x, 0, 1),
    "pad": lambda x: ops.pad(x, [[0, 0], [1, 2], [0, 0]]),
    "repeat": lambda x: ops.repeat(x, 3, axis=1),
    "tile": lambda x: ops.tile(x, (1, 2, 1)),
    "take": lambda x: ops.take(x, [0, 1, 1], axis=1),
    "one hot": lambda x: ops.one_hot(ops.cast(x, "int32"), 5),
    "broadcast": lambda x: ops.broadcast_to(ops.expand_dims(x, -1), (3, 4, 6, 5)),
    "logical": lambda x: ops.logical_and(x > 0, ops.logical_not(x > 1)),
}

OF_ONE = (
    "absolute", "negative", "exp", "expm1", "exp2", "log", "log10", "log1p", "log2", "sqrt",
    "square", "reciprocal", "sign", "sin", "cos", "tan", "sinh", "cosh", "arcsin", "arccos",
    "arctan", "arcsinh", "arccosh", "arctanh", "floor", "ceil", "round", "erf", "erfinv",
    "conjugate", "rsqrt", "isnan", "isinf", "isfinite", "relu6", "elu", "selu", "celu",
    "softplus", "softsign", "sigmoid", "log_sigmoid", "hard_sigmoid", "hard_silu", "hard_tanh",
    "tanh", "tanh_shrink", "silu", "gelu", "soft_shrink", "hard_shrink", "squareplus",
    "sparse_plus", "zeros_like", "ones_like", "stop_gradient", "copy", "ravel", "sum", "min",
    "prod", "amax", "amin", "average", "logsumexp", "std", "all", "any", "count_nonzero",
    "argmin", "cumsum", "cumprod", "normalize", "triu", "tril", "sort", "flip", "convert_to_tensor",
)  # fmt: skip
OF_TWO = (
    "add", "subtract", "multiply", "divide", "true_divide", "divide_no_nan", "floor_divide",
    "power", "maximum", "minimum", "mod", "arctan2", "hypot", "logaddexp", "equal", "not_equal",
    "greater", "greater_equal", "less", "less_equal", "logical_and", "logical_or", "logical_xor",
    "isclose",
)  # fmt: skip
OPERATIONS |= {name: getattr(ops, name) for name in OF_ONE}
OPERATIONS |= {name: lambda x, name=name: getattr(ops, name)(x, x) for name in OF_TWO}
OPERATIONS |= {
    "x[:, ::-1]": lambda x: x[:, ::-1],
    "whole + fraction": lambda x: ops.cast(x, "int32") * 2.5,
    "whole mean": lambda x: ops.mean(ops.cast(x, "int32"), axis=1),
    "sum of truths": lambda x: ops.sum(x > 0, axis=1),
    "gelu, exact": lambda x: ops.gelu(x, approximate=False),
    "elu, scaled": lambda x: ops.elu(x, 2.0),
    "threshold": lambda x: ops.threshold(x, 0.1, 0.2),
    "softmax, inner": lambda x: ops.softmax(x, axis=1),
    "softmax, all": lambda x: ops.softmax(x, axis=None),
    "normalize, third": lambda x: ops.normalize(x, axis=1, order=3),
    "norm": lambda x: ops.norm(x, axis=1),
    "norm, largest": lambda x: ops.norm(x, ord=float("inf"), axis=1),
    "moments": lambda x: ops.moments(x, axes=[1]),
    "argmax, kept": lambda x: ops.argmax(x, axis=1, keepdims=True),
    "cumsum, inner": lambda x: ops.cumsum(x, axis=1),
    "full": lambda x: ops.full_like(x, 3.0),
    "roll": lambda x: ops.roll(x, 2, axis=1),
    "roll, flat": lambda x: ops.roll(x, 2),
    "expand, twice": lambda x: ops.expand_dims(x, (0, -1)),
    "repeat, flat": lambda x: ops.repeat(x, 3),
    "tile, longer": lambda x: ops.tile(x, (2, 1, 1, 3)),
    "pad, mirrored": lambda x: ops.pad(x, [[0, 0], [1, 1], [0, 0]], mode="reflect"),
    "pad, value": lambda x: ops.pad(x, [[0, 0], [1, 1], [0, 0]], constant_values=3.0),
    "take, flat": lambda x: ops.take(x, [0, 1, 7]),
    "take, tensor": lambda x: ops.take(x, ops.argmax(x, axis=-1), axis=1),
    "matmul, one": lambda x: ops.matmul(x, ops.transpose(ops.sum(x, axis=0))),
    "dot": lambda x: ops.dot(ops.sum(x, axis=0), ops.transpose(ops.sum(x, axis=0))),
    "einsum, turned": lambda x: ops.einsum("bij->bji", x),
    "einsum, squares": lambda x: ops.einsum("bij,bij->b", x, x),
}

# layers without weights behind one with some: what their gradients read shows in training
BEHIND_WEIGHTS = (
    "MaxPooling1D", "MaxPooling2D", "AveragePooling3D", "GlobalMaxPooling2D",
    "GlobalAveragePooling1D", "AdaptiveAveragePooling2D", "Masking", "Flatten", "Permute",
    "RepeatVector", "Cropping2D", "ZeroPadding2D", "UpSampling2D", "UpSampling3D", "Rescaling",
    "Resizing",
)  # fmt: skip


def behind_weights(layer, shape):
    x = keras.Input(shape)
    return keras.Model(x, layer(L.EinsumDense("...x,xy->...y", shape[-1])(x)))


def masked(layer):
    """Behind words of which 0 is none: Keras hands the mask on by its name."""
    x = keras.Input((None,), dtype="int32")
    return keras.Model(x, layer(L.Embedding(11, 6, mask_zero=True)(x)))


MASKED = {
    "LSTM, masked": lambda: masked(L.LSTM(4)),
    "GRU, masked, sequences": lambda: masked(L.GRU(4, return_sequences=True)),
    "SimpleRNN, masked": lambda: masked(L.SimpleRNN(4)),
    "Bidirectional, masked": lambda: masked(L.Bidirectional(L.LSTM(4, return_sequences=True))),
    "GlobalAveragePooling1D, masked": lambda: masked(L.GlobalAveragePooling1D()),
}


def hashed_pairs():
    one, other = (keras.Input((), dtype="int32") for _ in range(2))
    return keras.Model([one, other], L.HashedCrossing(7, output_mode="one_hot")((one, other)))


def encoder(length=None, layers=2, width=16, heads=2):
    """A small BERT: three inputs of one open length, post-norm blocks, a pooled first token."""
    ids = keras.Input((length,), dtype="int32", name="ids")
    kinds = keras.Input((length,), dtype="int32", name="kinds")
    mask = keras.Input((length,), dtype="bool", name="mask")
    places = keras.Input((length,), dtype="int32", name="places")
    x = L.Embedding(100, width)(ids) + L.Embedding(2, width)(kinds)
    x = L.LayerNormalization()(x + L.Embedding(50, width)(places))
    for _ in range(layers):
        y = L.MultiHeadAttention(heads, width // heads)(x, x, attention_mask=mask[:, None, :])
        x = L.LayerNormalization()(x + L.Dropout(0.1)(y))
        y = L.Dense(width)(L.Dense(4 * width, activation="gelu")(x))
        x = L.LayerNormalization()(L.Add()([x, y]))
    return keras.Model([ids, kinds, mask, places], L.Dense(width, activation="tanh")(x[:, 0]))


def every_model():
    """Makers of all of these models, by name."""

    def single(name):
        shape, layer, *dtype = LAYERS[name]
        return lambda: one_layer(layer(), shape, *dtype)

    def double(make, left, right, *, apart):
        def model():
            one, other = keras.Input(left), keras.Input(right)
            return keras.Model([one, other], make(one, other) if apart else make([one, other]))

        return model

    def applied(function):
        def model():
            x = keras.Input((4, 6))
            return keras.Model(x, function(x))

        return model

    return {
        **{name: single(name) for name in LAYERS},
        **{
            name: double(lambda both, make=make: make()(both), (6, 4), (6, 4), apart=False)
            for name, make in PAIRS.items()
        },
        **{
            f"MultiHeadAttention, {name}": double(make, (6, 4), (5, 4), apart=True)
            for name, make in ATTENTION.items()
        },
        **{f"ops, {name}": applied(make) for name, make in OPERATIONS.items()},
        **{
            f"{name}, behind weights": lambda name=name: behind_weights(
                LAYERS[name][1](), LAYERS[name][0]
            )
            for name in BEHIND_WEIGHTS
        },
        **MASKED,
        "HashedCrossing": hashed_pairs,
        "encoder": encoder,
    }
