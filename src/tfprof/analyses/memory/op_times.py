"""How long ops take next to each other, for the order in which they run; and which are cheap.

In operations: what a kernel calculates, what it moves, and what any op takes.
"""

from __future__ import annotations

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.model.dims import BATCH, Size, at

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
    all_rounds = _number(op.cost.flops_all, batch) + _number(op.cost.bytes, batch) / _BYTES
    slower = _SLOWER.get(op.site.op.rstrip("V23"), 1.0)
    return OVERHEAD + slower * all_rounds / times


def _number(size: Size, batch: int) -> float:
    value = size if isinstance(size, int) else at(size, {BATCH: batch})
    return value if isinstance(value, int) else 0.0
