"""Preprocessing of images: scaled, resized, cropped, and changed at random while a model trains."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.keras_layers.convolutions import Grid, grid
from tfprof.keras_layers.dropping import advanced
from tfprof.keras_layers.layer import SCALAR, Layer, number, numbers, shape_of
from tfprof.keras_layers.products import dot
from tfprof.keras_layers.rule import Made, layer
from tfprof.keras_layers.shaping import cut, resized
from tfprof.model.dims import Size
from tfprof.ops.rule import FLOAT, INT32, Tensor


def as_data(call: Layer) -> Tensor:
    """These layers take whole numbers too, as numbers of the type that they compute in."""
    x = call.x
    return x if x.dtype == call.dtype else call.op("Cast", x, dtype=call.dtype)


@layer("Rescaling")
def _rescale(call: Layer) -> Made:
    return call.each("AddV2", call.each("Mul", as_data(call), SCALAR), SCALAR)


# --- another size


def _images(call: Layer) -> Grid:
    """One image, or a batch of them."""
    return grid(call, 2, leading=1 if len(call.shape) == 4 else 0)


def _wanted(call: Layer) -> tuple[int, int]:
    return call.integer("height"), call.integer("width")


@layer("Resizing")
def _resize(call: Layer) -> Made:
    at, wanted = _images(call), _wanted(call)
    x = _turned(call, as_data(call), at, back=False)
    if call.flag("crop_to_aspect_ratio"):
        _computed(call, "Mul RealDiv Minimum Maximum Sub RealDiv AddV2", 2)
        x = _cropped(call, x, at.space, wanted)
    elif call.flag("pad_to_aspect_ratio"):
        _computed(call, "Mul RealDiv Maximum Sub RealDiv Greater", 2)
        x = _padded(call, x, at.space, wanted)
    return _turned(call, _scaled(call, x, wanted), at, back=True)


def _turned(call: Layer, x: Tensor, at: Grid, *, back: bool) -> Tensor:
    """Channels are brought to the end, and back to where they were."""
    if not at.first:
        return x
    first = len(at.leading)
    order = (first + 2, first, first + 1) if back else (first + 1, first + 2, first)
    return call.transposed(x, *range(first), *order)


def _computed(call: Layer, ops: str, times: int) -> None:
    """Bounds that are not known before it runs: single numbers."""
    for op in ops.split() * times:
        call.each(op, SCALAR, SCALAR, dtype=INT32)


def _scaled(call: Layer, x: Tensor, wanted: Sequence[Size]) -> Tensor:
    is_one = len(shape_of(x)) == 3
    image = call.op("ExpandDims", x, number(0)) if is_one else x
    method, smooth = call.text("interpolation", "bilinear"), call.flag("antialias")
    made = resized(call, image, wanted, method, smooth=smooth)
    return call.op("Squeeze", made, squeeze_dims=[0]) if is_one else made


def _shares(space: Sequence[Size], wanted: Sequence[int]) -> list[tuple[int, int]] | None:
    """Height and width, with what each would be in the wanted proportion; None where open."""
    high, wide = space
    if not isinstance(high, int) or not isinstance(wide, int):
        return None
    return [(high, wide * wanted[0] // wanted[1]), (wide, high * wanted[1] // wanted[0])]


def _cropped(call: Layer, x: Tensor, space: Sequence[Size], wanted: Sequence[int]) -> Tensor:
    """The middle, in the proportion of what is wanted; of open sizes nobody knows how much."""
    shares = _shares(space, wanted)
    if shares is None:
        return x
    return _middle(call, x, [max(min(size, share), 1) for size, share in shares])


def _middle(call: Layer, x: Tensor, sizes: Sequence[Size]) -> Tensor:
    *front, high, wide, channels = shape_of(x)
    rest = [(high - sizes[0]) // 2, (wide - sizes[1]) // 2]
    return cut(call, x, [*[0] * len(front), *rest, 0], [*front, *sizes, channels])


def _padded(call: Layer, x: Tensor, space: Sequence[Size], wanted: Sequence[int]) -> Tensor:
    """With bars on both sides, along the dimension that is too short."""
    for offset, (size, share) in enumerate(_shares(space, wanted) or []):
        shape = list(shape_of(x))
        axis = len(shape) - 3 + offset
        shape[axis] = (max(size, share) - size) // 2
        if not shape[axis]:
            continue
        sizes = numbers(*shape)
        bars = [call.op("Fill", sizes, SCALAR, shape=shape, dtype=x.dtype) for _ in range(2)]
        before, after = (call.each("Mul", bar, SCALAR) for bar in bars)
        x = call.op("ConcatV2", before, x, after, number(axis))
    return x


@layer("CenterCrop")
def _center(call: Layer) -> Made:
    """An image that is too small is resized."""
    at, wanted = _images(call), _wanted(call)
    x = as_data(call)
    known = [size for size in at.space if isinstance(size, int)]
    _computed(call, "Sub FloorDiv AddV2", 2 - len(known))
    if any(
        isinstance(size, int) and size < want for size, want in zip(at.space, wanted, strict=True)
    ):
        x = _cropped(call, _turned(call, x, at, back=False), at.space, wanted)
        return _turned(call, _scaled(call, x, wanted), at, back=True)
    starts = [(size - want) // 2 for size, want in zip(at.space, wanted, strict=True)]
    zeros = [0] * len(at.leading)
    begins = [*zeros, 0, *starts] if at.first else [*zeros, *starts, 0]
    return cut(call, x, begins, at.shaped(wanted, at.channels))


@layer("RandomCrop")
def _random_crop(call: Layer) -> Made:
    at, wanted = _images(call), _wanted(call)
    x, shape = as_data(call), at.shaped(wanted, at.channels)
    made = cut(call, x, [0] * len(shape), shape)
    if not call.training:
        return made
    # where it starts is random: that the rest is large enough shows when it runs
    return _turned(call, _scaled(call, _turned(call, made, at, back=False), wanted), at, back=True)


# --- augmentation: in a prediction an image passes as it is

# what is done to each pixel in training, `@` with what it was; numbers of whole images are left out
_SHIFTED = "ImageProjectiveTransformV3"
_BOUNDED = "Minimum Maximum"
_SPREAD = "Sub RealDiv Mul AddV2"
_IN_TRAINING = {
    "RandomBrightness": f"AddV2 {_BOUNDED}",
    "RandomColorDegeneration": f"gray Sub@ Mul AddV2@ {_BOUNDED}",
    "RandomContrast": f"mean Sub Mul AddV2 {_BOUNDED}",
    "RandomErasing": f"Mul AddV2 Mul {_BOUNDED} SelectV2@ SelectV2@",
    "RandomGrayscale": "gray SelectV2@",
    "RandomHue": f"{_SPREAD} RGBToHSV HSVToRGB {_SPREAD} {_BOUNDED}",
    "RandomInvert": "Sub SelectV2@",
    "RandomPerspective": f"{_SHIFTED} SelectV2@",
    "RandomPosterization": "Mul RealDiv",
    "RandomRotation": _SHIFTED,
    "RandomSaturation": "RGBToHSV Mul HSVToRGB",
    "RandomSharpness": f"blur Sub@ Mul AddV2@ {_BOUNDED}",
    "RandomShear": _SHIFTED,
    "RandomTranslation": _SHIFTED,
    "RandomZoom": _SHIFTED,
    "MixUp": "Mul GatherV2@ Mul AddV2@",
    "CutMix": "GatherV2 SelectV2@",
}
# how often some of them draw a number that a prediction does not need
_DRAWN_ANYWAY = {
    "RandomColorDegeneration": 1, "RandomGrayscale": 1, "RandomHue": 2, "RandomPosterization": 1,
    "RandomSaturation": 1, "RandomSharpness": 1, "MixUp": 2,
}  # fmt: skip


@layer(" ".join(_IN_TRAINING))
def _augment(call: Layer) -> Made:
    x = as_data(call)
    if call.training:
        return _changed(call, x, _IN_TRAINING[call.class_name])
    for _ in range(_DRAWN_ANYWAY.get(call.class_name, 0)):
        advanced(call)
    return x


@layer("RandomFlip")
def _flip(call: Layer) -> Made:
    mode = call.text("mode", "horizontal_and_vertical")
    ways = ("horizontal" in mode) + ("vertical" in mode)
    x = as_data(call)
    return _changed(call, x, "ReverseV2 SelectV2@ " * ways) if call.training else x


@layer("RandomColorJitter")
def _jitter(call: Layer) -> Made:
    """Each of some others, if there is a factor for it."""
    x = as_data(call)
    if not call.training:
        return x
    for kind in ("Brightness", "Contrast", "Saturation", "Hue"):
        if call.config.get(f"{kind.lower()}_factor"):
            x = _changed(call, x, _IN_TRAINING[f"Random{kind}"])
    return x


@layer("RandomElasticTransform RandomGaussianBlur RandAugment AugMix")
def _chosen(call: Layer) -> Made:
    """How much is done to an image in training is drawn as well."""
    if call.training:
        call.unknown(f"how much {call.class_name} does in training is random")
    return as_data(call)


def _changed(call: Layer, x: Tensor, ops: str) -> Tensor:
    first, shape = x, shape_of(x)
    for step in ops.split():
        op = step.removesuffix("@")
        if op == "gray":
            x = dot(call, x, Tensor((shape[-1], 1), FLOAT))
        elif op == "blur":
            kernel = Tensor((3, 3, shape[-1], 1), x.dtype)
            x = call.op(
                "DepthwiseConv2dNative", x, kernel,
                strides=[1] * 4, padding="SAME", data_format="NHWC",
            )  # fmt: skip
        elif op == "mean":
            call.op("Mean", x, numbers(len(shape) - 3, len(shape) - 2))
        else:
            other = first if step != op else SCALAR
            inputs = (SCALAR, x, other) if op == "SelectV2" else (x, other)
            x = call.op(op, *inputs, shape=shape, dtype=first.dtype)
    return x
