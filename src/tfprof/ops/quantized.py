"""Numbers in few bits: rounding to them, back, and layers that calculate in them.

Beside the tensor most of these ops hand out the range of its numbers: the least and the largest.
"""

from __future__ import annotations

from collections.abc import Callable

from tfprof.model.dims import Open, Size, elements
from tfprof.ops.rule import FLOAT, Call, Family, Infer, Tensor
from tfprof.ops.shape_tools import (
    broadcast,
    dimension,
    fixed,
    known_rank,
    like,
    per_element,
    shape_in,
    slid,
    times,
)

rule = Family("quantized")

# clip 2, to a level 2, round 1, back 2
_ROUNDED = 7

# --- rounding to levels, still in floats

rule(
    "FakeQuantWithMinMaxArgs FakeQuantWithMinMaxVars FakeQuantWithMinMaxVarsPerChannel",
    like(), dtype=FLOAT, work=per_element(_ROUNDED),
)  # fmt: skip
# passes where the input is in range: 2 comparisons and a product
rule("FakeQuantWithMinMaxArgsGradient", like(), dtype=FLOAT, work=per_element(3))
_OF_RANGE = ("backprops_wrt_input", "backprop_wrt_min", "backprop_wrt_max")
# and the sums of what lies below and above
rule(
    "FakeQuantWithMinMaxVarsGradient", lambda call: [call.input(0), (), ()], dtype=FLOAT,
    outputs=_OF_RANGE, work=per_element(7),
)  # fmt: skip


def _per_channel(call: Call) -> list[Open]:
    channels = (dimension(call.input(0), -1),)
    return [call.input(0), channels, channels]


rule(
    "FakeQuantWithMinMaxVarsPerChannelGradient", _per_channel, dtype=FLOAT, outputs=_OF_RANGE,
    work=per_element(7),
)  # fmt: skip
rule(
    "QuantizeAndDequantize QuantizeAndDequantizeV2 QuantizeAndDequantizeV3 QuantizeAndDequantizeV4",
    like(), work=per_element(_ROUNDED), reuse=(0,),
)  # fmt: skip
rule(
    "QuantizeAndDequantizeV4Grad", lambda call: [call.input(1), call.input(2), call.input(3)],
    work=per_element(3), outputs=("input_backprop", "input_min_backprop", "input_max_backprop"),
)  # fmt: skip

# --- to few bits and back


def _quantized(call: Call) -> list[Open]:
    axis = call.integer("axis", -1)
    bounds: Open = () if axis < 0 else (dimension(call.input(0), axis),)
    return [call.input(0), bounds, bounds]


_OUTPUT = ("output", "output_min", "output_max")
rule(
    "QuantizeV2", _quantized, dtype=("T", FLOAT), outputs=_OUTPUT, work=per_element(5)
)  # fmt: skip
rule(
    "Dequantize", lambda call: [Tensor(call.input(0), call.dtype("dtype") or FLOAT)],
    work=per_element(2),
)  # fmt: skip
rule(
    "QuantizeDownAndShrinkRange Requantize", lambda call: [call.input(0), (), ()],
    dtype=("out_type", FLOAT), outputs=_OUTPUT,
)  # fmt: skip
rule(
    "RequantizationRange RequantizationRangePerChannel", fixed((), ()), dtype=FLOAT,
    outputs=("output_min", "output_max"),
)  # fmt: skip

# --- layers in few bits


_QINT8, _QUINT8, _QINT32 = 11, 12, 13


def _usual(op: str) -> int:
    """The type of an output whose attribute was left out."""
    if op.endswith("Requantize"):
        return _QUINT8 if "Relu" in op or "MatMul" in op else _QINT8
    return _QUINT8 if op.startswith(("QuantizedRelu", "Requantize")) else _QINT32


def _with_range(shapes: Callable[[Call], list[Open]], attribute: str) -> Infer:
    """The tensor, and the least and the largest number, one each."""

    def outputs(call: Call) -> list[Tensor]:
        (shape,) = shapes(call)
        bound = Tensor((), FLOAT)
        return [Tensor(shape, call.dtype(attribute) or _usual(call.op)), bound, bound]

    return outputs


def _same(call: Call) -> list[Open]:
    return [call.input(0)]


rule("RequantizePerChannel", _with_range(_same, "out_type"), dtype=FLOAT, outputs=_OUTPUT)


def _convolved(call: Call) -> list[Open]:
    batch, *sides, depth = known_rank(call.input(0), 4)
    *window, inner, outer = known_rank(call.input(1), 4)
    strides, padding = call.integers("strides")[1:3], call.text("padding")
    spread = (call.integers("dilations") or [1, 1, 1, 1])[1:3]
    slides = []
    for side, size, stride, apart in zip(sides, window, strides, spread, strict=True):
        reach = None if size is None else (size - 1) * apart + 1
        slides.append(slid(side, reach, stride, padding))
    channels = times(depth, outer) if "Depthwise" in call.op else outer
    if "Depthwise" in call.op and depth is None:
        channels = times(inner, outer)
    return [(batch, *slides, channels)]


def _convolved_macs(call: Call) -> Size | None:
    window = known_rank(call.input(1), 4)
    inner = 1 if "Depthwise" in call.op else window[2]
    return times(elements(call.output(0)), window[0], window[1], inner)


def _product(call: Call) -> list[Open]:
    one, other = known_rank(call.input(0), 2), known_rank(call.input(1), 2)
    return [(one[int(call.flag("transpose_a"))], other[1 - int(call.flag("transpose_b"))])]


def _product_macs(call: Call) -> Size | None:
    inner = known_rank(call.input(0), 2)[1 - int(call.flag("transpose_a"))]
    return times(elements(call.output(0)), inner)


rule(
    "QuantizedConv2D QuantizedConv2DAndRelu QuantizedConv2DAndReluAndRequantize"
    " QuantizedConv2DAndRequantize QuantizedConv2DPerChannel QuantizedConv2DWithBias"
    " QuantizedConv2DWithBiasAndRelu QuantizedConv2DWithBiasAndReluAndRequantize"
    " QuantizedConv2DWithBiasAndRequantize QuantizedConv2DWithBiasSignedSumAndReluAndRequantize"
    " QuantizedConv2DWithBiasSumAndRelu QuantizedConv2DWithBiasSumAndReluAndRequantize"
    " QuantizedDepthwiseConv2D QuantizedDepthwiseConv2DWithBias"
    " QuantizedDepthwiseConv2DWithBiasAndRelu QuantizedDepthwiseConv2DWithBiasAndReluAndRequantize",
    _with_range(_convolved, "out_type"), macs=_convolved_macs,
    outputs=("output", "min_output", "max_output"),
)  # fmt: skip
rule(
    "QuantizedMatMul QuantizedMatMulWithBias QuantizedMatMulWithBiasAndRelu"
    " QuantizedMatMulWithBiasAndReluAndRequantize QuantizedMatMulWithBiasAndRequantize",
    _with_range(_product, "Toutput"), macs=_product_macs,
    outputs=("out", "min_out", "max_out"),
)  # fmt: skip
rule(
    "QuantizedMatMulWithBiasAndDequantize", _product, macs=_product_macs, dtype="Toutput"
)  # fmt: skip


def _pooled(call: Call) -> list[Open]:
    batch, *sides, depth = known_rank(call.input(0), 4)
    windows, strides = call.integers("ksize")[1:3], call.integers("strides")[1:3]
    slides = [
        slid(side, window, stride, call.text("padding"))
        for side, window, stride in zip(sides, windows, strides, strict=True)
    ]
    return [(batch, *slides, depth)]


rule(
    "QuantizedMaxPool QuantizedAvgPool", _with_range(_pooled, "T"),
    outputs=("output", "min_output", "max_output"),
)  # fmt: skip
rule(
    "QuantizedRelu QuantizedRelu6 QuantizedReluX", _with_range(_same, "out_type"),
    outputs=("activations", "min_activations", "max_activations"),
)  # fmt: skip
rule(
    "QuantizedBiasAdd", _with_range(_same, "out_type"),
    outputs=("output", "min_out", "max_out"),
)  # fmt: skip
rule(
    "QuantizedAdd QuantizedMul", outputs=("z", "min_z", "max_z"),
    shapes=_with_range(lambda call: [broadcast(call.input(0), call.input(1))], "Toutput"),
)  # fmt: skip
rule(
    "QuantizedInstanceNorm", _with_range(_same, "T"),
    outputs=("y", "y_min", "y_max"),
)  # fmt: skip


def _resized(call: Call) -> list[Open]:
    images, size = known_rank(call.input(0), 4), shape_in(call, 1) or (None, None)
    return [(images[0], *size, images[3])]


rule(
    "QuantizedResizeBilinear", _with_range(_resized, "T"),
    outputs=("resized_images", "out_min", "out_max"),
)  # fmt: skip
