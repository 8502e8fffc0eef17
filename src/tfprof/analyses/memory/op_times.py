"""How long ops take next to each other, for the order in which they run; and which are cheap.

In operations: what a kernel calculates, what it moves, and what any op takes.
"""

from __future__ import annotations

from math import prod
from typing import NamedTuple

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.model.dims import BATCH, Size, at
from tfprof.ops.rule import Call
from tfprof.wire import dtypes

# what an op takes whatever it does: some microseconds
OVERHEAD = 50_000.0
# bytes that are moved while one operation is calculated
_BYTES = 1.25
# for a byte of new memory: half a microsecond a page
FIRST_TOUCH = 2.0
# an op that takes no longer runs like a cheap one once the executor has seen it some ninety times:
# for kernels of up to 8,000 cycles of the CPU, some 3 microseconds
SHORT = OVERHEAD + 60_000.0
# until a thread that sleeps is awake: some 50 microseconds
WAKING = 1_000_000.0

# kernels that go over their data many times: measured next to what they calculate
_SLOWER = {"FusedBatchNorm": 10.0, "FusedBatchNormGrad": 10.0}


class _Unfolding(NamedTuple):
    """For a byte of the columns: where windows overlap, and where they are single pixels.

    The gradient of the kernel goes over the columns once more, which is quick in a core's cache.
    """

    windows: float
    in_cache: float
    pixels: float


# One image is unfolded into columns by one thread, of several each has its own: measured at batch
# 1, where a step's longest kernels are those that unfold
_UNFOLDING = {
    "Conv2D": _Unfolding(8.0, 8.0, 0.0),
    "Conv2DBackpropInput": _Unfolding(5.0, 5.0, 1.0),
    "Conv2DBackpropFilter": _Unfolding(18.0, 12.0, 5.0),
}
# columns of that size stay in a core's second cache, beside what the product makes of them
_CACHE = 1 << 18
# beside that, what the product of the columns takes of its operations
_PRODUCT = 0.45
# A CPU multiplies halves by way of float32, which costs more than the product itself; the kernel of
# the forward pass is spared that
_PRODUCT_OF_HALVES = {"Conv2DBackpropInput": 5.0, "Conv2DBackpropFilter": 3.0}
_HALVES = frozenset({dtypes.HALF, dtypes.BFLOAT16})

# kernels that say of themselves that they are not expensive: whoever makes one ready runs it
_CHEAP = frozenset({
    "BroadcastArgs", "BroadcastGradientArgs", "ConcatOffset", "Const", "ControlTrigger",
    "EnsureShape", "Enter", "Exit", "ExpandDims", "HostConst", "Identity", "IdentityN", "LoopCond",
    "Merge", "NextIteration", "NoOp", "Placeholder", "PlaceholderWithDefault", "PreventGradient",
    "Rank", "RefEnter", "RefExit", "RefIdentity", "RefMerge", "RefNextIteration", "RefSwitch",
    "Reshape", "Shape", "ShapeN", "Size", "Snapshot", "Squeeze", "StopGradient", "StridedSlice",
    "StridedSliceGrad", "Switch", "VarHandleOp", "_Arg", "_HostConst", "_Retval", "_SwitchN",
})  # fmt: skip


def is_cheap(op: OpCost) -> bool:
    """A call is: what it runs are ops of their own."""
    return op.site.rule is None or op.site.op in _CHEAP


def is_rough(op: OpCost) -> bool:
    """Of kernels that multiply halves: some take thrice as long as in the run before."""
    return op.site.op.removesuffix("V2") in _PRODUCT_OF_HALVES and _makes_halves(op.site.call)


def duration(op: OpCost, batch: int = 1) -> float:
    """Of one run of the op; what is open counts as nothing."""
    if op.cost is None:
        return OVERHEAD
    times = _number(op.site.times, batch) or 1.0
    calculated = _number(op.cost.flops_all, batch)
    calculated *= _each_operation(op.site.call, batch)
    all_rounds = calculated + _number(op.cost.bytes, batch) / _BYTES
    slower = _SLOWER.get(op.site.op.rstrip("V23"), 1.0)
    return OVERHEAD + slower * all_rounds / times


def _makes_halves(call: Call) -> bool:
    return bool(call.outputs) and call.outputs[0].dtype in _HALVES


def _each_operation(call: Call, batch: int) -> float:
    """What an operation takes next to those of other ops."""
    kernel = call.op.removesuffix("V2")
    unfolding = _UNFOLDING.get(kernel)
    if unfolding is None:
        return 1.0
    product = _PRODUCT_OF_HALVES.get(kernel) if _makes_halves(call) else None
    columns = _columns_of_one_image(call, kernel, batch)
    if columns is None:
        return product or 1.0
    windows = unfolding.in_cache if columns.bytes <= _CACHE else unfolding.windows
    each = unfolding.pixels if columns.is_pixels else windows
    return (product or _PRODUCT) + each * columns.bytes_an_operation


class _Columns(NamedTuple):
    bytes: float
    bytes_an_operation: float
    is_pixels: bool


def _columns_of_one_image(call: Call, kernel: str, batch: int) -> _Columns | None:
    """None for several images, and where the sizes are not known.

    The columns have an element for every two operations that make one channel.
    """
    if call.text("data_format") not in ("", "NHWC"):
        return None
    made = call.output(0) if kernel == "Conv2D" else call.input(2)
    window = call.output(0) if kernel.endswith("Filter") else call.input(1)
    if not made or not window or made[0] is None or _number(made[0], batch) != 1:
        return None
    channels = _number(made[-1], batch) if made[-1] is not None else 0.0
    if not channels:
        return None
    width = (dtypes.bits(call.outputs[0].dtype) or 32) / 8
    # a pixel of what is made comes of a window of all channels that are read
    sizes = [_number(one, batch) for one in (*made[:-1], *window[:-1]) if one is not None]
    return _Columns(width * prod(sizes), width / (2 * channels), window[:2] == (1, 1))


def _number(size: Size, batch: int) -> float:
    value = size if isinstance(size, int) else at(size, {BATCH: batch})
    return value if isinstance(value, int) else 0.0
