"""What a run took, on a screen: the peak of each device, what lived at it, memory over time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tfprof.model import units
from tfprof.model.units import NS_A_MICROSECOND
from tfprof.reports.memory.words import size, whole
from tfprof.results.memory_trace import AllocatorState, Block, MeasuredDevice, MeasuredMemory
from tfprof.views.shapes import Column, Curve, Facts, Fold, Part, Series, Table, Unit, Value

_SHOWN, _SHOWN_OF_SEVERAL = 8, 4
_TABLES = 4
_KINDS = {"output": "outputs"}
_NO_NAME = "(no op is named)"


def measured_parts(memory: MeasuredMemory) -> list[Part]:
    highest = sorted(memory.devices, key=lambda one: -memory.devices[one].peak_bytes)
    tables = [
        replace(_live_table(memory, device), on_screen=place < _TABLES)
        for place, device in enumerate(highest)
    ]
    return [Facts(list(_facts(memory))), *tables, series_of(memory)]


def series_of(memory: MeasuredMemory) -> Series:
    points = [point // NS_A_MICROSECOND for point in memory.points]
    curves = [Curve(device, one.levels) for device, one in memory.devices.items()]
    return Series(points, curves, Unit.MICROS)


def _facts(memory: MeasuredMemory) -> Iterator[tuple[str, str]]:
    highest = memory.devices[memory.highest]
    yield "Measured", _source_words(memory)
    if len(memory.devices) == 1:
        yield "Peak", f"{_peak(highest)} on {memory.highest}, {_when(highest)}"
    else:
        for device, one in memory.devices.items():
            yield device, f"{_peak(one)} at the peak, {_when(one)}"
        yield "Highest", f"{memory.highest}; the lines below are of it"
    if highest.persistent_bytes.known:
        together = size(highest.total_bytes)
        yield "Variables", f"{size(highest.persistent_bytes)}, together {together}"
    yield "At the peak", _attributed_words(highest)
    yield from _before_and_after(highest)
    for name, allocator in highest.allocators.items():
        text = _allocator_words(allocator.state)
        if text:
            yield "Allocator", f"{name}: {text}" if len(highest.allocators) > 1 else text
    yield from _estimate_words(memory, highest)


def _peak(device: MeasuredDevice) -> str:
    """Of a whole allocator, the total is the peak, and says whether it tells of all blocks."""
    mark = device.total_bytes.kind.mark if device.is_whole else ""
    return mark + units.size(device.peak_bytes)


def _source_words(memory: MeasuredMemory) -> str:
    devices = memory.devices.values()
    events = units.plural(sum(one.events for one in devices), "memory event")
    names = dict.fromkeys(name for one in devices for name in one.allocators if name)
    return f"{events} of {', '.join(names)}" if names else events


def _when(device: MeasuredDevice) -> str:
    if device.into_step_ns is None:
        return f"{units.duration(device.peak_ns.micros)} after the beginning"
    return f"{units.duration(device.into_step_ns / NS_A_MICROSECOND)} into step {device.peak_step}"


def _attributed_words(device: MeasuredDevice) -> str:
    sums: dict[str, int] = {}
    for block in device.live_at_peak:
        kind = _KINDS.get(block.kind or "", block.kind) or "for no named op"
        sums[kind] = sums.get(kind, 0) + block.bytes
    ordered = sorted(sums.items(), key=lambda pair: -pair[1])
    kinds = ", ".join(f"{units.size(taken)} {kind}" for kind, taken in ordered)
    share = units.share(device.attributed_bytes, device.peak_bytes)
    text = f"{units.plural(len(device.live_at_peak), 'block')} hold {share}"
    text += f": {kinds}" if kinds else ""
    if whole(device.before_capture_bytes):
        text += f"; {size(device.before_capture_bytes)} from before the capture"
    if device.reserved_bytes:
        text += f"; {units.size(device.reserved_bytes)} that the runtime reserves for programs"
    if device.lost_bytes:
        text += f"; {units.size(device.lost_bytes)} that no event tells of"
    return text


def _before_and_after(device: MeasuredDevice) -> Iterator[tuple[str, str]]:
    residue = units.size(device.residue_bytes)
    if device.is_whole:
        yield "Held", f"{size(device.baseline_bytes)} at the first event, {residue} at the last"
    else:
        blocks = units.plural(device.left_blocks, "block")
        yield "Left over", f"{residue} in {blocks} at the end of the step"
    peaks = [one.peak_bytes for one in device.steps]
    if len(peaks) > 1:
        between = f"{units.size(min(peaks))} to {units.size(max(peaks))}"
        yield "Steps", f"{len(peaks):,} steps, peaks from {between}"


def _allocator_words(state: AllocatorState) -> str:
    if not state.lifetime_peak_bytes.known:
        return ""
    text = f"at most {size(state.lifetime_peak_bytes)} since the process began"
    loose = state.fragmentation.number
    if loose is not None:
        text += f"; {loose:.1%} of what is free lies outside the largest piece"
    return text


def _estimate_words(memory: MeasuredMemory, highest: MeasuredDevice) -> Iterator[tuple[str, str]]:
    """Beside an allocator that holds the variables as well, an estimate without has no error."""
    guess = (memory.estimated_peak_bytes or {}).get(memory.highest)
    if guess is None:
        return
    text = f"{size(guess)} beside the variables, from the graph"
    if not highest.is_whole and highest.peak_bytes:
        error = (whole(guess) - highest.peak_bytes) / highest.peak_bytes
        text += f" (error {error:+.1%})"
    yield "Estimated", text


def _live_table(memory: MeasuredMemory, device: str) -> Table:
    several, found = len(memory.devices) > 1, memory.devices[device]
    columns = [
        Column("name", "alive at the peak"),
        Column("kind", "kind"),
        Column("tensor", "tensor"),
        Column("bytes", "bytes", Unit.BYTES),
        Column("share", "share", Unit.SHARE),
    ]
    rows: list[list[Value]] = [
        [it.name or _NO_NAME, it.kind, _tensor(it), it.bytes, it.bytes / max(1, found.peak_bytes)]
        for it in found.live_at_peak
    ]
    shown = Fold(_SHOWN_OF_SEVERAL if several else _SHOWN, "bytes", found.peak_bytes)
    return Table(columns, rows, device if several else "", fold=shown)


def _tensor(block: Block) -> str | None:
    if block.shape is None or block.dtype is None:
        return None
    return f"{block.dtype} {units.shape(block.shape)}"
