"""Memory as it was measured: levels at some moments, and the blocks that live at them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.memory_trace.devices import DeviceMemory, corner_places
from tfprof.analyses.memory_trace.usage import Usage
from tfprof.model import units
from tfprof.model.units import NS_A_MICROSECOND
from tfprof.results.memory_trace import Block
from tfprof.results.page_memory import DeviceOverTime, LivingBlocks, StepSpanShown
from tfprof.results.page_parts import Amount

_MOMENTS = 1200
_BLOCKS = 1500
_STEPS = 400

Ints = npt.NDArray[np.int64]


def device_over_time(device: DeviceMemory, types: Mapping[str, str]) -> DeviceOverTime:
    """Of several runs the one with the peak."""
    usage = device.highest
    places = corner_places(usage, _MOMENTS)
    rows = _living(usage, places)
    first = int(usage.times_ns[0])
    return DeviceOverTime(
        device.device,
        _micros(usage.times_ns[places] - first),
        usage.levels[places].astype(np.float64),
        places.astype(np.int32),
        int(np.flatnonzero(places == usage.at_peak)[0]),
        Amount.of(usage.measured_peak, "bytes"),
        usage.peak_step,
        _from_before(usage, places),
        usage.before is not None,
        _blocks(usage, rows, types),
        len(usage.blocks),
        [
            StepSpanShown(
                one.number,
                (one.start_ns - first) / NS_A_MICROSECOND,
                (one.end_ns - first) / NS_A_MICROSECOND,
            )
            for one in usage.steps[:_STEPS]
        ],
    )


def _from_before(usage: Usage, places: Ints) -> npt.NDArray[np.float64] | None:
    """What is left at each moment of all that was there before the first change."""
    if usage.before is None:
        return None
    given_back = np.concatenate([[0], np.cumsum(usage.strangers)])[places]
    left: npt.NDArray[np.float64] = (usage.levels[0] - given_back).astype(np.float64)
    return left


def _living(usage: Usage, places: Ints) -> Ints:
    """The largest of the blocks that live at a moment; those between two moments nobody can see."""
    blocks = usage.blocks
    following = np.searchsorted(places, blocks.taken + 1)
    at = places[np.minimum(following, len(places) - 1)]
    seen = np.flatnonzero((following < len(places)) & (blocks.given_back >= at))
    return seen[np.argsort(-blocks.bytes[seen], kind="stable")][:_BLOCKS]


def _blocks(usage: Usage, rows: Ints, types: Mapping[str, str]) -> LivingBlocks:
    told = [usage.describe(row) for row in rows.tolist()]
    name, names = _numbered([_name(one, types) for one in told])
    kind, kinds = _numbered([one.kind or "" for one in told])
    shape, shapes = _numbered([_shape(one) for one in told])
    allocator, allocators = _numbered([one.allocator for one in told])
    return LivingBlocks(
        usage.blocks.taken[rows].astype(np.int32),
        usage.blocks.given_back[rows].astype(np.int32),
        usage.blocks.bytes[rows].astype(np.float64),
        name,
        kind,
        shape,
        allocator,
        names,
        kinds,
        shapes,
        allocators,
    )


def _name(block: Block, types: Mapping[str, str]) -> str:
    """With the op, where its name does not tell that."""
    if block.name is None:
        return ""
    op = block.op or types.get(block.name, "")
    return f"{block.name} ({op})" if op and op.lower() not in block.name.lower() else block.name


def _shape(block: Block) -> str:
    if block.shape is None:
        return block.dtype or ""
    return f"{block.dtype or ''} {units.shape(block.shape)}".strip()


def _numbered(texts: Sequence[str]) -> tuple[npt.NDArray[np.int32], list[str]]:
    places: dict[str, int] = {}
    codes = [places.setdefault(one, len(places)) for one in texts]
    return np.array(codes, np.int32), list(places)


def _micros(times_ns: Ints) -> npt.NDArray[np.float64]:
    found: npt.NDArray[np.float64] = times_ns / NS_A_MICROSECOND
    return found
