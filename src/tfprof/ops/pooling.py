"""Pools and their gradients. A window may cover channels too, so every dimension slides."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, prod

from tfprof.model.dims import Open, Shape, Size, elements
from tfprof.ops.rule import INT64, Call, Count, Family, Infer, Outputs, Tensor, flops
from tfprof.ops.shape_tools import known_rank, like, shape_in, slid, times

rule = Family("pooling")


def _rank(call: Call) -> int:
    return 5 if "3D" in call.op else 4


def _windows(call: Call) -> tuple[list[int], list[int]] | None:
    """Window and stride by dimension: attributes, or the last two inputs of the V2 ops."""
    if "ksize" in call.attributes:
        return call.integers("ksize"), call.integers("strides")
    first = call.input_count - 2
    sizes, strides = call.numbers(first), call.numbers(first + 1)
    return None if sizes is None or strides is None else (sizes, strides)


def _pooled(call: Call) -> Shape:
    image, windows = known_rank(call.input(0), _rank(call)), _windows(call)
    if "VECT" in call.text("data_format"):
        raise ValueError("a layout without a rule")
    if windows is None:
        return (None,) * len(image)
    padding, borders = call.text("padding"), call.integers("explicit_paddings")
    sizes: list[Size | None] = []
    for axis, (size, window, stride) in enumerate(zip(image, *windows, strict=True)):
        border = sum(borders[2 * axis : 2 * axis + 2]) if padding == "EXPLICIT" else 0
        sizes.append(slid(None if size is None else size + border, window, stride, padding))
    return tuple(sizes)


def _dtype(call: Call, index: int = 0) -> int:
    """`T` has a default that graphs may leave out; the input knows."""
    return call.dtype("T") or call.inputs[index].dtype


def _pool(call: Call) -> Outputs:
    return [Tensor(_pooled(call), _dtype(call))]


def _pool_and_places(call: Call) -> Outputs:
    shape = _pooled(call)
    return [shape, Tensor(shape, call.dtype("Targmax") or INT64)]


def _pool_and_workspace(call: Call) -> Outputs:
    return [_pooled(call), None]


# --- forward


def _window(call: Call) -> int | None:
    windows = _windows(call)
    return prod(windows[0]) if windows is not None and windows[0] else None


def _comparisons(call: Call) -> Size | None:
    window = _window(call)
    return None if window is None else times(window - 1, elements(call.output(0)))


def _additions(call: Call) -> Size | None:
    """All of a window but one, and a division."""
    return times(_window(call), elements(call.output(0)))


# the original counts a maximum like a mean
rule("MaxPool | MaxPoolV2 MaxPool3D", _pool, work=_comparisons, float_ops=_additions)
rule(
    "AvgPool | AvgPool3D _MklNativeAvgPool _MklNativeAvgPool3D", _pool, work=_additions,
    float_ops=flops,
)  # fmt: skip
rule(
    "_MklNativeMaxPool _MklNativeMaxPool3D", _pool_and_workspace, dtype=("T", 4),
    outputs=("output", "workspace"), work=_comparisons,
)  # fmt: skip
rule("MaxPoolWithArgmax", _pool_and_places, outputs=("output", "argmax"), work=_comparisons)

# --- gradients


def _overlapping(call: Call) -> bool:
    windows = _windows(call)
    return windows is None or any(k > s for k, s in zip(*windows, strict=True))


def _max_gradient(made: int) -> Count:
    """The window again, then one value passed on: set where windows are apart, else added to zero.

    `made` is an input shaped like what the pool made.
    """

    def work(call: Call) -> Size | None:
        window, image = _window(call), elements(call.output(0))
        if window is None or image is None:
            return None
        again = times(window - 1, elements(call.input(made)))
        return None if again is None else again + image * (2 if _overlapping(call) else 1)

    return work


def _average_gradient(call: Call) -> Size | None:
    """Each value divided, then spread over its window."""
    window = _window(call) if _overlapping(call) else 0
    made, image = elements(call.input(1)), elements(call.output(0))
    if window is None or made is None or image is None:
        return None
    return image + made * (window + 1)


def _places_of_maxima(call: Call) -> Size | None:
    """The CPU kernel keeps an int64 for each element that the pool made."""
    return times(8, elements(call.input(1)))


def _like(index: int) -> Infer:
    return lambda call: [Tensor(known_rank(call.input(index), _rank(call)), _dtype(call, index))]


def _by_value(call: Call) -> Outputs:
    shape = known_rank(shape_in(call, 0), _rank(call))
    made = known_rank(call.input(1), _rank(call))
    # the batch is the same before and after
    return [Tensor((made[0] if shape[0] is None else shape[0], *shape[1:]), _dtype(call, 1))]


def _per_window(factor: int, more: int) -> Count:
    """As the original counts: so many operations an element of a window, and more for each one."""

    def float_ops(call: Call) -> Size | None:
        window = _window(call)
        return None if window is None else times(factor * window + more, elements(call.input(1)))

    return float_ops


rule(
    "MaxPoolGrad | MaxPoolGradV2", _like(0), work=_max_gradient(1), scratch=_places_of_maxima,
    float_ops=_per_window(1, 1),
)  # fmt: skip
rule(
    "MaxPool3DGrad _MklNativeMaxPoolGrad _MklNativeMaxPool3DGrad", _like(0), work=_max_gradient(1)
)  # fmt: skip
# the places of the maxima are given
rule("MaxPoolGradWithArgmax", like(0), work=lambda call: elements(call.input(1)))
rule(
    "AvgPoolGrad | AvgPool3DGrad _MklNativeAvgPoolGrad _MklNativeAvgPool3DGrad", _by_value,
    work=_average_gradient, float_ops=_per_window(2, 0),
)  # fmt: skip
rule("MaxPoolGradGrad MaxPoolGradGradV2 MaxPool3DGradGrad", _like(1), work=_comparisons)
rule("MaxPoolGradGradWithArgmax", like(2))

# --- windows of changing size


def _fractional(call: Call) -> Outputs:
    image = known_rank(call.input(0), 4)
    ratios: Sequence[float] = list(call.attributes["pooling_ratio"].list.f)
    sizes = [_fraction(size, ratio) for size, ratio in zip(image, ratios, strict=True)]
    # where each window starts, and where the last one ends
    rows, columns = ((None if size is None else size + 1,) for size in sizes[1:3])
    return [tuple(sizes), rows, columns]


def _fraction(size: Size | None, ratio: float) -> Size | None:
    if size is None or ratio == 1:
        return size
    if isinstance(size, int):
        return floor(size / ratio)
    return size // int(ratio) if ratio == int(ratio) else None


def _fractional_by_value(call: Call) -> Outputs:
    shape: Open = known_rank(shape_in(call, 0), 4)
    return [shape]


_SEQUENCES = ("output", "row_pooling_sequence", "col_pooling_sequence")

# every element is in one window or a little more
rule(
    "FractionalMaxPool FractionalAvgPool", _fractional, dtype=("T", INT64), outputs=_SEQUENCES,
    work=lambda call: elements(call.input(0)),
)  # fmt: skip
rule("FractionalMaxPoolGrad", like(0), work=lambda call: times(2, elements(call.output(0))))
rule("FractionalAvgPoolGrad", _fractional_by_value, work=lambda call: elements(call.output(0)))
