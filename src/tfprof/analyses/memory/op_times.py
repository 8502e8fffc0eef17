"""How long ops take next to each other, for the order in which they run; and which are cheap.

In operations: what a kernel calculates, what it moves, and what any op takes.
"""

from __future__ import annotations

from typing import NamedTuple

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.model.dims import BATCH, Size, at
from tfprof.ops.rule import Call

# what an op takes whatever it does: some microseconds
OVERHEAD = 50_000.0
# bytes that are moved while one operation is calculated
_BYTES = 1.25
# for a byte of new memory: half a microsecond a page
FIRST_TOUCH = 2.0
# until a thread that sleeps is awake: some 50 microseconds
WAKING = 1_000_000.0

# kernels that go over their data many times: measured next to what they calculate
_SLOWER = {"FusedBatchNorm": 10.0, "FusedBatchNormGrad": 10.0}


class _Unfolding(NamedTuple):
    """For a byte of the columns: where windows overlap, and where they are single pixels."""

    windows: float
    pixels: float


# One image is unfolded into columns by one thread, of several each has its own: measured at batch
# 1, where a step's longest kernels are those that unfold
_UNFOLDING = {
    "Conv2D": _Unfolding(8.0, 0.0),
    "Conv2DBackpropInput": _Unfolding(5.0, 1.0),
    "Conv2DBackpropFilter": _Unfolding(18.0, 5.0),
}
# beside that, what the product of the columns takes of its operations
_PRODUCT = 0.45
_FLOAT_BYTES = 4

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


def duration(op: OpCost, batch: int = 1) -> float:
    """Of one run of the op; what is open counts as nothing."""
    if op.cost is None:
        return OVERHEAD
    times = _number(op.site.times, batch) or 1.0
    calculated = _number(op.cost.flops_all, batch)
    unfolded = _of_one_image(op.site.call, batch)
    if unfolded is not None:
        calculated *= unfolded
    all_rounds = calculated + _number(op.cost.bytes, batch) / _BYTES
    slower = _SLOWER.get(op.site.op.rstrip("V23"), 1.0)
    return OVERHEAD + slower * all_rounds / times


def _of_one_image(call: Call, batch: int) -> float | None:
    """What a convolution of one image takes for each of its operations; None for any other op.

    The columns have an element for every two operations that make one channel.
    """
    kernel = call.op.removesuffix("V2")
    unfolding = _UNFOLDING.get(kernel)
    if unfolding is None or call.text("data_format") not in ("", "NHWC"):
        return None
    is_gradient = kernel != "Conv2D"
    made = call.input(2) if is_gradient else call.output(0)
    window = call.output(0) if kernel.endswith("Filter") else call.input(1)
    if not made or not window or made[0] is None or _number(made[0], batch) != 1:
        return None
    channels = _number(made[-1], batch) if made[-1] is not None else 0.0
    if not channels:
        return None
    each = unfolding.pixels if window[:2] == (1, 1) else unfolding.windows
    return _PRODUCT + each * _FLOAT_BYTES / (2 * channels)


def _number(size: Size, batch: int) -> float:
    value = size if isinstance(size, int) else at(size, {BATCH: batch})
    return value if isinstance(value, int) else 0.0
