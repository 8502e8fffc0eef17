"""Images, as batch, height, width, channels: read, resized, cropped, turned and coloured."""

from __future__ import annotations

from tfprof.model.dims import Open, Shape, Size, elements
from tfprof.ops.rule import FLOAT, INT32, Call, Count, Family, Infer, Outputs, Tensor
from tfprof.ops.shape_tools import (
    dimension,
    fixed,
    known_rank,
    like,
    per_element,
    per_input,
    shape_in,
    times,
)
from tfprof.wire import dtypes

rule = Family("images")

UINT8, STRING = dtypes.ENUM_VALUES["DT_UINT8"], dtypes.STRING

# --- another size


def _two(call: Call, index: int) -> Shape:
    """Height and width, which an input holds."""
    return known_rank(shape_in(call, index), 2)


def _resized(size: int = 1) -> Infer:
    def shapes(call: Call) -> Outputs:
        image = known_rank(call.input(0), 4)
        return [(image[0], *_two(call, size), image[3])]

    return shapes


def _image_again(call: Call) -> Outputs:
    """Shaped like the image, whose batch and channels are those of the gradient."""
    made, image = known_rank(call.input(0), 4), known_rank(call.input(1), 4)
    batch = made[0] if image[0] is None else image[0]
    channels = made[3] if image[3] is None else image[3]
    return [(batch, image[1], image[2], channels)]


def _both(factor: int, more: int) -> Count:
    """So many operations for each element read, so many for each one made."""

    def work(call: Call) -> Size | None:
        read, made = elements(call.input(0)), elements(call.output(0))
        return None if read is None or made is None else read * factor + made * more

    return work


# three linear interpolations: difference, product, sum
_BILINEAR = 9
# four cubic interpolations and one of them: four products and three sums each
_BICUBIC = 35

rule("ResizeBilinear", _resized(), dtype=FLOAT, work=per_element(_BILINEAR))
rule("ResizeBicubic", _resized(), dtype=FLOAT, work=per_element(_BICUBIC))
# every pixel is added to what it becomes a part of, which is scaled once
rule("ResizeArea", _resized(), dtype=FLOAT, work=_both(1, 1))
rule("ResizeNearestNeighbor", _resized())
rule("ScaleAndTranslate", _resized(), dtype=FLOAT, work=per_element(_BILINEAR))
# four weights, and an addition to each of the four pixels
rule("ResizeBilinearGrad", _image_again, work=per_input(12))
# sixteen products and additions
rule("ResizeBicubicGrad", _image_again, work=per_input(32))
rule("ResizeNearestNeighborGrad", _resized(), work=per_input())
rule("ScaleAndTranslateGrad", _image_again, work=per_input(12))

# --- parts of images


def _crops(call: Call) -> Outputs:
    boxes = dimension(call.input(1), 0)
    if boxes is None:
        boxes = dimension(call.input(2), 0)
    return [(boxes, *_two(call, 3), dimension(call.input(0), 3))]


def _image_by_value(call: Call) -> Outputs:
    return [known_rank(shape_in(call, 3), 4)]


def _glimpse(call: Call) -> Outputs:
    image = known_rank(call.input(0), 4)
    batch = dimension(call.input(2), 0) if image[0] is None else image[0]
    return [(batch, *_two(call, 1), image[3])]


rule("CropAndResize", _crops, dtype=FLOAT, work=per_element(_BILINEAR))
rule("CropAndResizeGradImage", _image_by_value, work=per_input(12))
# the slopes of the interpolation in both directions, summed by box
rule("CropAndResizeGradBoxes", like(2), dtype=FLOAT, work=per_input(14))
rule("ExtractGlimpse ExtractGlimpseV2", _glimpse, dtype=FLOAT)

# --- turned and coloured


def _projected(call: Call) -> Outputs:
    image = known_rank(call.input(0), 4)
    return [(image[0], *_two(call, 2), image[3])]


# where a pixel comes from takes 10 operations, what it is as much as an interpolation
rule(
    "ImageProjectiveTransformV2 ImageProjectiveTransformV3", _projected, dtype="dtype",
    work=per_element(10 + _BILINEAR),
)  # fmt: skip
# a mean, a difference, a product and a sum
rule("AdjustContrastv2", like(), work=per_input(4), reuse=(0,))
rule("AdjustContrast", like(), dtype=FLOAT, work=per_input(6))
# the formulas take about 24 operations for a pixel of three
rule("RGBToHSV HSVToRGB", like(), work=per_input(8))
# there and back again
rule("AdjustHue AdjustSaturation", like(), work=per_input(17), reuse=(0,))
rule("DrawBoundingBoxes DrawBoundingBoxesV2", like())

# --- files: only a run knows how large an image is


def _decoded(call: Call) -> Shape:
    channels = call.integer("channels")
    return (None, None, channels or None)


def _image_in(call: Call) -> Outputs:
    return [Tensor(_decoded(call), call.dtype("dtype") or UINT8)]


def _any_image_in(call: Call) -> Outputs:
    """An animation has a dimension more, unless only its first picture is asked for."""
    still = "expand_animations" in call.attributes and not call.flag("expand_animations")
    return [Tensor(_decoded(call) if still else None, call.dtype("dtype") or UINT8)]


def _crop_in(call: Call) -> Outputs:
    """The window says where it starts and how large it is."""
    _, _, *sizes = known_rank(shape_in(call, 1), 4)
    return [(*sizes, call.integer("channels") or None)]


rule("DecodeJpeg DecodeBmp DecodePng", _image_in)
rule("DecodeAndCropJpeg", _crop_in, dtype=UINT8)
rule("DecodeImage", _any_image_in)
rule("DecodeGif", fixed((None, None, None, 3)), dtype=UINT8)
rule("EncodeJpeg", fixed(()), dtype=STRING)
rule("EncodeJpegVariableQuality", fixed(()), dtype=STRING)
rule("EncodePng", lambda call: [_head(call.input(0))], dtype=STRING)
rule("ExtractJpegShape", lambda call: [Tensor((3,), call.dtype("output_type") or INT32)])


def _head(shape: Open) -> Open:
    return None if shape is None else shape[:-3]


# --- boxes that overlap too much

rule(
    "NonMaxSuppression NonMaxSuppressionV2 NonMaxSuppressionV3 NonMaxSuppressionWithOverlaps",
    fixed((None,)), dtype=INT32,
)  # fmt: skip


def _kept(call: Call) -> Shape:
    return (call.scalar(2) if call.flag("pad_to_max_output_size") else None,)


rule(
    "NonMaxSuppressionV4", lambda call: [_kept(call), ()], dtype=INT32,
    outputs=("selected_indices", "valid_outputs"),
)  # fmt: skip
rule(
    "NonMaxSuppressionV5", lambda call: [_kept(call), _kept(call), ()],
    dtype=(INT32, "T", INT32), outputs=("selected_indices", "selected_scores", "valid_outputs"),
)  # fmt: skip


def _kept_of_each(call: Call) -> Outputs:
    """`max_total_size` of each image, or as many as the classes may have together."""
    batch = dimension(call.input(0), 0)
    total = call.scalar(3)
    if call.flag("pad_per_class"):
        together = times(call.scalar(2), dimension(call.input(1), 2))
        plain = isinstance(total, int) and isinstance(together, int)
        total = min(total, together) if plain else None  # type: ignore[type-var]
    return [(batch, total, 4), (batch, total), (batch, total), (batch,)]


rule(
    "CombinedNonMaxSuppression", _kept_of_each, dtype=(FLOAT, FLOAT, FLOAT, INT32),
    outputs=("nmsed_boxes", "nmsed_scores", "nmsed_classes", "valid_detections"),
)  # fmt: skip
rule(
    "SampleDistortedBoundingBox SampleDistortedBoundingBoxV2 StatelessSampleDistortedBoundingBox",
    fixed((3,), (3,), (1, 1, 4)), dtype=("T", "T", FLOAT), outputs=("begin", "size", "bboxes"),
)  # fmt: skip
