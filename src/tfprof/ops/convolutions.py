"""Convolutions, their gradients and what is fused with them.

A filter has its spatial dimensions first, then the channels it sums over, then those it makes.
"""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.model.dims import Open, Shape, Size, divided, elements, packed, product
from tfprof.ops.linear import fused_work
from tfprof.ops.rule import Call, Count, Family, Infer, Outputs, flops
from tfprof.ops.shape_tools import (
    dimension,
    known_rank,
    like,
    merged,
    shape_in,
    slid,
    spatial,
    times,
)

rule = Family("convolutions")

# --- what a node says about its window


def layout(call: Call) -> str:
    """One letter for each dimension of the image: N, C, and others that a window slides over."""
    if call.op == "Conv":
        return _any_layout(call)
    stated = call.text("data_format") or ("NDHWC" if "3D" in call.op else "NHWC")
    if sorted(stated) not in (sorted("NHWC"), sorted("NDHWC")):
        raise ValueError(f"a layout without a rule: {stated}")
    return stated


def _any_layout(call: Call) -> str:
    """`Conv` takes images of any rank, with several dimensions for the batch if need be."""
    image = call.input(0)
    if image is None:
        raise ValueError("not even the rank is known")
    batch = call.integer("batch_dims", 1)
    inner = "X" * (len(image) - batch - 1)
    first = call.text("data_format") == "CHANNELS_FIRST"
    return "N" * batch + ("C" + inner if first else inner + "C")


def spread(window: Size | None, dilation: int) -> Size | None:
    return None if window is None else (window - 1) * dilation + 1


def _slid_over(call: Call, image: Shape, windows: Shape, dilations: str = "dilations") -> Shape:
    """The image where windows slid over it; its channels are still its own."""
    places = layout(call)
    # lists of an attribute know one dimension of the batch
    skipped = len(places) - len(windows) - 2
    strides, rates = call.integers("strides"), call.integers(dilations)
    padding, borders = call.text("padding"), call.integers("explicit_paddings")
    sizes = list(image)
    for axis, window in zip(spatial(places), windows, strict=True):
        at = axis - skipped
        size = sizes[axis]
        if padding == "EXPLICIT" and size is not None:
            size = size + sum(borders[2 * at : 2 * at + 2])
        wide = spread(window, rates[at] if rates else 1)
        sizes[axis] = slid(size, wide, strides[at] if strides else 1, padding)
    return tuple(sizes)


def _with_channels(call: Call, image: Shape, channels: Size | None) -> Shape:
    place = layout(call).index("C")
    return (*image[:place], channels, *image[place + 1 :])


def _kernel(call: Call, index: int = 1) -> Shape:
    """The filter, in the order that every rule here expects."""
    rank = sum(letter != "N" for letter in layout(call)) + 1
    kernel = known_rank(call.input(index), rank)
    stated = call.text("filter_format")
    if stated == "OIHW":
        return (*kernel[2:], kernel[1], kernel[0])
    if stated == "OHWI":
        return (*kernel[1:], kernel[0])
    return kernel


# --- forward


def _padded(call: Call, image: Shape, index: int) -> Shape:
    """With the borders that an input lists, before and after by dimension."""
    borders = call.numbers(index)
    if borders is None:
        return tuple(
            size if letter in "NC" else None
            for size, letter in zip(image, layout(call), strict=True)
        )
    return tuple(
        None if size is None else size + before + after
        for size, before, after in zip(image, borders[::2], borders[1::2], strict=True)
    )


def _convolved(kernel: int = 1, *, borders: int | None = None, resized: int | None = None) -> Infer:
    """`kernel`, `borders` and `resized`: the inputs that hold the filter and what comes first."""

    def shapes(call: Call) -> Outputs:
        image = known_rank(call.input(0), len(layout(call)))
        if resized is not None:
            image = (image[0], *(shape_in(call, resized) or (None, None)), image[3])
        if borders is not None:
            image = _padded(call, image, borders % call.input_count)
        weights = _kernel(call, kernel)
        return [_with_channels(call, _slid_over(call, image, weights[:-2]), weights[-1])]

    return shapes


def _convolved_by_channel(call: Call) -> Outputs:
    """Each channel by itself: it becomes as many as the filter has of them."""
    image, weights = known_rank(call.input(0), len(layout(call))), _kernel(call)
    return [_with_channels(call, _slid_over(call, image, weights[:-2]), times(*weights[-2:]))]


def _dilated(call: Call) -> Outputs:
    """A filter without output channels."""
    image, windows = known_rank(call.input(0), 4), known_rank(call.input(1), 3)
    return [_slid_over(call, image, windows[:-1], "rates")]


def _macs(kernel: int = 1) -> Count:
    """An element of the result sums over all of the filter but its last dimension."""
    return lambda call: times(elements(call.output(0)), *_kernel(call, kernel)[:-1])


def _macs_by_channel(call: Call) -> Size | None:
    return times(elements(call.output(0)), *_kernel(call)[:-2])


rule(
    "Conv2D Conv3D | Conv RiscConv _MklNativeConv2D _MklNativeConv3D", _convolved(), macs=_macs(),
    float_ops=flops,
)  # fmt: skip
rule(
    "_FusedConv2D _FusedConv3D _MklNativeFusedConv2D _MklNativeFusedConv3D",
    _convolved(), macs=_macs(), work=fused_work,
)  # fmt: skip
rule(
    "_MklNativeConv2DWithBias __MklDummyConv2DWithBias", _convolved(), macs=_macs(),
    work=lambda call: elements(call.output(0)),
)  # fmt: skip
rule(
    "_MklNativePadWithConv2D __MklDummyPadWithConv2D", _convolved(borders=-1), macs=_macs(),
)  # fmt: skip
rule("_MklNativePadWithFusedConv2D", _convolved(borders=-1), macs=_macs(), work=fused_work)
rule("FusedPadConv2D", _convolved(2, borders=1), macs=_macs(2))
rule(
    "FusedResizeAndPadConv2D", _convolved(3, borders=2, resized=1), macs=_macs(3),
    # three linear interpolations for each element of the resized image
    work=lambda call: times(
        9, dimension(call.input(0), 0), dimension(call.input(0), 3), *(shape_in(call, 1) or (None,))
    ),
)  # fmt: skip
rule(
    "DepthwiseConv2dNative | _MklNativeDepthwiseConv2dNative", _convolved_by_channel,
    macs=_macs_by_channel, float_ops=flops,
)  # fmt: skip
rule(
    "_FusedDepthwiseConv2dNative _MklNativeFusedDepthwiseConv2dNative", _convolved_by_channel,
    macs=_macs_by_channel, work=fused_work,
)  # fmt: skip


def _dilation_work(place: int) -> Count:
    """An addition and a comparison for each entry of the filter; `place` of what was made."""

    def work(call: Call) -> Size | None:
        made = call.output(0) if place < 0 else call.input(place)
        return times(2, elements(made), *known_rank(call.input(1), 3)[:-1])

    return work


rule("Dilation2D", _dilated, work=_dilation_work(-1), float_ops=flops)
rule("Dilation2DBackpropInput", like(0), work=_dilation_work(2))
rule("Dilation2DBackpropFilter", like(1), work=_dilation_work(2))

# --- gradients: each takes the products of the forward convolution


def _image_by_value(call: Call) -> Outputs:
    """The image's shape is written in an input, at times without batch and channels."""
    places = layout(call)
    made = known_rank(call.input(2), len(places))
    sizes = shape_in(call, 0)
    if sizes is not None and len(sizes) == len(places) - 2:
        image = [made[0]] * len(places)
        for axis, size in zip(spatial(places), sizes, strict=True):
            image[axis] = size
        return [_with_channels(call, tuple(image), _kernel(call)[-2])]
    batch = tuple(
        size if letter == "N" else None for size, letter in zip(made, places, strict=True)
    )
    return [merged(known_rank(sizes, len(places)), batch)]


def _filter_by_value(call: Call) -> Outputs:
    return [known_rank(shape_in(call, 1), len(layout(call)))]


def _gradient_macs(summed: int, *, kernel_is_output: bool = False) -> Count:
    """`summed` dimensions of the filter count back from its end: all but what was made."""

    def macs(call: Call) -> Size | None:
        kernel = call.output(0) if kernel_is_output else call.input(1)
        kernel = known_rank(kernel, len(layout(call)))
        return times(elements(call.input(2)), *kernel[:summed])

    return macs


def _original_gradient(call: Call, image: Open, kernel: Open) -> Size | None:
    """As many as the convolution takes, told by the image that it read instead of what it made."""
    places = layout(call)
    strides = [
        stride
        for stride, letter in zip(call.integers("strides"), places, strict=True)
        if letter not in "NC"
    ]
    shared = times(dimension(image, places.index("C")), *strides)
    work = times(2, elements(image), elements(kernel))
    if work is None or shared is None:
        return None
    return divided(work, shared) if shared else 0


# The CPU kernels unfold images into a matrix, as many at once as fill the cache they were compiled
# for; a small product of a batch is one thread's, so the number of threads matters for those.
_WORKING_SET, _SMALL_CACHE = 30 << 20, 256 << 10
_THREADS = 2
_MOST_UNFOLDED = 25


def _received(call: Call) -> tuple[Open, int | None]:
    """The gradient that comes in, and the bytes of one number of it.

    A graph may lie about its rank, or leave it out: then neither is known.
    """
    made = call.input(2)
    if made is None or len(made) <= max(spatial(layout(call))):
        return None, None
    size = packed(1, call.inputs[2].dtype)
    return made, size if isinstance(size, int) else None


def _unfolded(
    call: Call, image: Open, kernel: Open, *, of_image: bool, cache: int = _WORKING_SET
) -> Size | None:
    made, size = _received(call)
    if made is None or image is None or kernel is None or size is None:
        return None
    pixels = product(tuple(made[axis] for axis in spatial(layout(call))))
    window, depth = product(kernel[:-1]), kernel[-1]
    unfolded = times(pixels, window)
    whole = _plain([unfolded, times(pixels, depth), times(window, depth)])
    if unfolded is None or whole is None:
        return None
    alone = of_image and (dimension(made, 0) == 1 or sum(whole) // _THREADS >= _SMALL_CACHE // size)
    images = 1 if alone else -(-(cache // size) // max(1, sum(whole)))
    return unfolded * images * size


def _plain(sizes: Sequence[Size | None]) -> list[int] | None:
    whole = [size for size in sizes if isinstance(size, int)]
    return whole if len(whole) == len(sizes) else None


def _unfolded_batch(call: Call, kernel: Open) -> Size | None:
    """The matrix of the images that are there: fewer than the kernel has room for."""
    made, size = _received(call)
    if made is None or kernel is None:
        return None
    pixels = product(tuple(made[axis] for axis in spatial(layout(call))))
    return times(size, *made[:1], pixels, product(kernel[:-1]))


def _image_scratch(call: Call) -> Size | None:
    return _unfolded(call, call.output(0), call.input(1), of_image=True)


def _filter_scratch(call: Call) -> Size | None:
    return _unfolded(call, call.input(0), call.output(0), of_image=False)


def _volume_scratch(call: Call, last_cache: int) -> Size | None:
    """A single volume is unfolded whole."""
    made, width = _received(call)
    if made is None or width is None:
        return None
    if made[0] != 1:
        return _unfolded_volumes(call, call.output(0), call.input(1), last_cache)
    pixels = (made[axis] for axis in spatial(layout(call)))
    return times(width, *pixels, *_kernel(call)[:-1])


def _volume_filter_scratch(call: Call, last_cache: int) -> Size | None:
    return _unfolded_volumes(call, call.input(0), call.output(0), last_cache)


def _unfolded_volumes(call: Call, image: Open, kernel: Open, last_cache: int) -> Size | None:
    """As many as fill a cache, unless that is far more than is read and written."""
    made, size = _received(call)
    unfolded = _unfolded(call, image, kernel, of_image=False, cache=last_cache)
    known = _plain([elements(image), elements(kernel), elements(made), unfolded])
    if known is None or size is None:
        return None
    *moved, bytes_ = known
    return bytes_ if bytes_ // size // max(1, sum(moved)) <= _MOST_UNFOLDED else 0


_ALL_BUT_MADE, _WINDOW_ONLY = -1, -2

rule(
    "Conv2DBackpropInput", _image_by_value, macs=_gradient_macs(_ALL_BUT_MADE),
    scratch=_image_scratch, scratch_used=lambda call: _unfolded_batch(call, call.input(1)),
    float_ops=lambda call: _original_gradient(call, call.output(0), call.input(1)),
)  # fmt: skip
rule(
    "Conv2DBackpropInputV2", like(0), macs=_gradient_macs(_ALL_BUT_MADE), scratch=_image_scratch,
    scratch_used=lambda call: _unfolded_batch(call, call.input(1)),
)  # fmt: skip
rule(
    "_MklNativeConv2DBackpropInput _MklNativeConv3DBackpropInputV2", _image_by_value,
    macs=_gradient_macs(_ALL_BUT_MADE),
)  # fmt: skip
rule(
    "Conv3DBackpropInputV2", _image_by_value, macs=_gradient_macs(_ALL_BUT_MADE),
    cache_scratch=_volume_scratch, scratch_used=lambda call: _unfolded_batch(call, call.input(1)),
)  # fmt: skip
rule("Conv3DBackpropInput", like(0), macs=_gradient_macs(_ALL_BUT_MADE))
rule(
    "DepthwiseConv2dNativeBackpropInput _MklNativeDepthwiseConv2dNativeBackpropInput",
    _image_by_value, macs=_gradient_macs(_WINDOW_ONLY),
)  # fmt: skip
rule(
    "Conv2DBackpropFilter", _filter_by_value, scratch=_filter_scratch,
    scratch_used=lambda call: _unfolded_batch(call, call.output(0)),
    macs=_gradient_macs(_ALL_BUT_MADE, kernel_is_output=True),
    float_ops=lambda call: _original_gradient(call, call.input(0), call.output(0)),
)  # fmt: skip
rule(
    "Conv2DBackpropFilterV2", like(1), macs=_gradient_macs(_ALL_BUT_MADE), scratch=_filter_scratch,
    scratch_used=lambda call: _unfolded_batch(call, call.output(0)),
)  # fmt: skip
rule(
    "Conv3DBackpropFilterV2", _filter_by_value, cache_scratch=_volume_filter_scratch,
    scratch_used=lambda call: _unfolded_batch(call, call.output(0)),
    macs=_gradient_macs(_ALL_BUT_MADE, kernel_is_output=True),
)  # fmt: skip
rule(
    "_MklNativeConv2DBackpropFilter _MklNativeConv3DBackpropFilterV2",
    _filter_by_value, macs=_gradient_macs(_ALL_BUT_MADE, kernel_is_output=True),
)  # fmt: skip
rule("Conv3DBackpropFilter", like(1), macs=_gradient_macs(_ALL_BUT_MADE))
rule(
    "DepthwiseConv2dNativeBackpropFilter _MklNativeDepthwiseConv2dNativeBackpropFilter",
    _filter_by_value, macs=_gradient_macs(_WINDOW_ONLY, kernel_is_output=True),
)  # fmt: skip


def _filter_and_bias(call: Call) -> Outputs:
    (kernel,) = _filter_by_value(call)
    made = known_rank(call.input(2), len(layout(call)))
    return [kernel, (made[layout(call).index("C")],)]


rule(
    "_MklNativeConv2DBackpropFilterWithBias __MklDummyConv2DBackpropFilterWithBias",
    _filter_and_bias, outputs=("output", "bias_grad"),
    macs=_gradient_macs(_ALL_BUT_MADE, kernel_is_output=True),
    # every element is added to the gradient of the bias
    work=lambda call: elements(call.input(2)),
)  # fmt: skip
