"""The numbers that a page begins with: those that the profile tells, and why another does not."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.model import units
from tfprof.model.quantity import Quantity
from tfprof.reports.shared.captured import device_words
from tfprof.reports.shared.input_bound import input_bound, is_input_bound
from tfprof.reports.shared.words import of_host
from tfprof.results.page_overview import Card
from tfprof.results.page_parts import Amount
from tfprof.results.steps import StepsResult
from tfprof.results.summary import CaptureFacts, SummaryResult

COUNT, SCALED, BYTES, MICROS, SHARE = "count", "scaled", "bytes", "microseconds", "share"


def cards(found: SummaryResult, steps: StepsResult | None) -> list[Card]:
    return [*_time(found, steps), *_memory(found), *_model(found), *_place(found)]


def _time(found: SummaryResult, steps: StepsResult | None) -> Iterator[Card]:
    time, run = found.time, found.run
    if run is None:
        return
    traced = int(time.steps.number or 0)
    if traced:
        until = "" if run.is_period else "from first to last op; "
        note = of_host(time.host, f"{until}{units.plural(traced, 'step')} traced")
        yield Card("Step time", Amount.of(time.step_us, MICROS), note, "steps")
    else:
        yield Card("Time", Amount.of(time.span_us, MICROS), "steps are not known", "timeline")
    share = time.input_bound
    if share is not None:
        number = share.number
        note = of_host(time.input_bound_host, "" if number is None else input_bound(number))
        tone = "problem" if is_input_bound(number) else ""
        yield Card("Waits for input", Amount.of(share, SHARE), note, "input", tone)
    busy = [one for one in (steps.devices if steps is not None else ()) if one.busy is not None]
    if busy:
        most = max(busy, key=lambda one: one.busy or 0)
        amount = Amount.measured(most.busy or 0, SHARE)
        yield Card("Device busy", amount, f"{most.device} computes", "steps")
    side = "Device time" if run.on_device else "Op time"
    a_step = "a step" if traced else "in all"
    took, each = time.op_us, ""
    many = sum(one > 0 for one in run.devices.values()) if run.on_device else 1
    if many > 1 and took.number is not None:
        # what goes on side by side is not summed: nobody waits for so long
        took, each = Quantity.measured(took.number / many), f" on each of {many} devices"
    note = f"{a_step}{each}, {units.plural(run.executions, 'execution')}"
    yield Card(side, Amount.of(took, MICROS), note, "ops")


def _memory(found: SummaryResult) -> Iterator[Card]:
    measured, peak = found.measured_peak, found.estimated_peak
    if measured is not None:
        beside = "with" if measured.with_variables else "beside the"
        note = f"measured, {beside} variables"
        yield Card("Peak memory", Amount.of(measured.bytes, BYTES), note, "memory")
    elif peak is not None:
        batch = f" at batch {peak.batch:,}" if peak.batch is not None else ""
        note = f"estimated{batch}, beside the variables"
        yield Card("Peak memory", Amount.of(peak.bytes, BYTES), note, "memory")
    if peak is not None and peak.fits is not None:
        amount = Amount.of(Quantity.estimated(peak.fits), COUNT)
        yield Card("Batch that fits", amount, f"in {units.size(peak.device_bytes)}", "memory")


def _model(found: SummaryResult) -> Iterator[Card]:
    params, work = found.params, found.known_work
    if any(part is not None for part in (found.graph, found.checkpoint, found.keras)):
        own = params.trainable if params.trainable.known else params.total
        whole = units.size(sum(params.bytes.values()))
        note = f"trainable; {whole} in all" if params.trainable.known else f"in all, {whole}"
        shown = note if own.known else ""
        yield Card("Parameters", Amount.of(own, SCALED), shown, "flame")
    computed = found.costs.computed or ""
    if work is not None:
        macs = (
            Quantity.derived(work.macs)
            if work.is_all
            else Quantity.part(work.macs, "some layers are not known")
        )
        yield Card("MACs", Amount.of(macs, SCALED), computed, "ops")
    elif found.costs.phases is not None:
        yield Card("MACs", Amount.of(found.costs.macs, SCALED), computed, "ops")
        flops = Amount.of(found.costs.flops_all, SCALED)
        yield Card("FLOPs", flops, "with element-wise ops", "ops")
    if found.graph is not None:
        kinds = units.plural(len(found.ops), "op type")
        yield Card("Nodes", Amount.of(found.nodes, COUNT), kinds, "graph")
    if found.checkpoint is not None:
        stored = sum(one.bytes for one in found.checkpoint.tensors)
        note = f"in {units.plural(len(found.checkpoint.tensors), 'tensor')}"
        yield Card("Checkpoint", Amount.measured(stored, BYTES), note, "")


def _place(found: SummaryResult) -> Iterator[Card]:
    if found.capture is not None:
        yield from _devices(found.capture)


def _devices(capture: CaptureFacts) -> Iterator[Card]:
    if len(capture.hosts) > 1:
        yield Card("Hosts", Amount.measured(len(capture.hosts), COUNT), capture.hosts[0], "steps")
    if capture.devices:
        count = sum(one.count for one in capture.devices)
        amount = Amount.measured(count, COUNT)
        yield Card("Devices", amount, device_words(capture.devices), "timeline")
