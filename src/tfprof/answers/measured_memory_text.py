"""Measured memory in words: what the terminal shows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.analyses.measured_memory.devices import DeviceMemory
from tfprof.analyses.measured_memory.usage import OUTPUT, SCRATCH, Block, Usage
from tfprof.answers.common import fold
from tfprof.answers.graph_estimate import Estimate
from tfprof.answers.measured_memory_data import steps_data, variables_of
from tfprof.model import units
from tfprof.views.shapes import Column, Table, Unit, Value

_SHOWN, _SHOWN_OF_SEVERAL = 8, 4
_KINDS = {SCRATCH: "scratch", OUTPUT: "outputs"}
_NO_NAME = "(no op is named)"


def facts(devices: Sequence[DeviceMemory], estimate: Estimate | None) -> Iterator[tuple[str, str]]:
    highest = max(devices, key=lambda one: one.peak)
    usage = highest.highest
    yield "Measured", _source_words(devices)
    if len(devices) == 1:
        yield "Peak", f"{units.size(usage.peak)} on {highest.device}, {_when(usage)}"
    else:
        for one in devices:
            yield one.device, f"{units.size(one.peak)} at the peak, {_when(one.highest)}"
    held = variables_of(highest, estimate)
    if held is not None:
        yield "Variables", f"{units.size(held)}, together {units.size(usage.peak + held)}"
    yield "At the peak", _attributed_words(usage)
    yield from _before_and_after(highest)
    for name in usage.allocators:
        yield from _allocator_words(usage, name)
    yield from _estimate_words(highest, estimate)


def _source_words(devices: Sequence[DeviceMemory]) -> str:
    events = units.plural(sum(one.changes for one in devices), "memory event")
    names = dict.fromkeys(n for one in devices for n in one.highest.allocators if n)
    return f"{events} of {', '.join(names)}" if names else events


def _when(usage: Usage) -> str:
    step = usage.peak_step
    inside = next((s for s in usage.steps if s.number == step), None)
    if inside is None:
        return f"{units.duration(usage.peak_ns / 1000)} after the beginning"
    since = usage.peak_ns - (inside.start_ns if usage.before is not None else 0)
    return f"{units.duration(since / 1000)} into step {step}"


def _attributed_words(usage: Usage) -> str:
    sums: dict[str, int] = {}
    for block in usage.live:
        kind = _KINDS.get(block.kind or "", block.kind) or "for no named op"
        sums[kind] = sums.get(kind, 0) + block.bytes
    ordered = sorted(sums.items(), key=lambda pair: -pair[1])
    kinds = ", ".join(f"{units.size(size)} {kind}" for kind, size in ordered)
    share = units.share(usage.attributed, usage.peak)
    text = f"{units.plural(len(usage.live), 'block')} hold {share}"
    text += f": {kinds}" if kinds else ""
    if usage.from_before:
        text += f"; {units.size(usage.from_before)} from before the capture"
    if usage.lost:
        text += f"; {units.size(usage.lost)} that no event tells of"
    return text


def _before_and_after(device: DeviceMemory) -> Iterator[tuple[str, str]]:
    usage = device.highest
    residue = units.size(usage.residue)
    if usage.baseline is not None:
        yield "Held", f"{units.size(usage.baseline)} at the first event, {residue} at the last"
    else:
        count = len(usage.blocks.alive_after(len(usage)))
        yield "Left over", f"{residue} in {units.plural(count, 'block')} at the end of the step"
    peaks = [one["peak_bytes"] for one in steps_data(device)]
    if len(peaks) > 1:
        between = f"{units.size(min(peaks))} to {units.size(max(peaks))}"
        yield "Steps", f"{len(peaks):,} steps, peaks from {between}"


def _allocator_words(usage: Usage, name: str) -> Iterator[tuple[str, str]]:
    state = usage.state(name, usage.at_peak)
    if state.lifetime_peak is None:
        return
    text = f"at most {units.size(state.lifetime_peak)} since the process began"
    if state.fragmentation is not None:
        text += f"; {state.fragmentation:.1%} of what is free lies outside the largest piece"
    yield "Allocator", f"{name}: {text}" if len(usage.allocators) > 1 else text


def _estimate_words(highest: DeviceMemory, estimate: Estimate | None) -> Iterator[tuple[str, str]]:
    """Beside an allocator that holds the variables as well, an estimate without has no error."""
    guess = estimate.peaks.get(highest.device) if estimate is not None else None
    if guess is None:
        return
    text = f"{units.size(guess)} beside the variables, from the graph"
    if highest.highest.before is None and highest.peak:
        text += f" (error {(guess - highest.peak) / highest.peak:+.1%})"
    yield "Estimated", text


def live_table(device: DeviceMemory, *, several: bool) -> Table:
    usage = device.highest
    columns = [
        Column("name", "alive at the peak"),
        Column("kind", "kind"),
        Column("tensor", "tensor"),
        Column("bytes", "bytes", Unit.BYTES),
        Column("share", "share", Unit.SHARE),
    ]
    shown = _SHOWN_OF_SEVERAL if several else _SHOWN
    rows: list[list[Value]] = [
        [it.name or _NO_NAME, it.kind, _tensor(it), it.bytes, it.bytes / max(1, usage.peak)]
        for it in usage.live[:shown]
    ]
    rest = [float(it.bytes) for it in usage.live[shown:]]
    return Table(columns, rows, device.device if several else "", fold(rest, usage.peak))


def _tensor(block: Block) -> str | None:
    if block.shape is None or block.dtype is None:
        return None
    return f"{block.dtype} {units.shape(block.shape)}"


def said_of(devices: Sequence[DeviceMemory]) -> list[str]:
    if all(one.highest.before is None for one in devices):
        return ["Measured in the run; what it did not allocate, such as variables, is not in it."]
    return ["Measured by the allocator: all that it handed out, variables included."]
