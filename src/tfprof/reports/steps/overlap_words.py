"""Who was busy in the steps, who waited and for what: sentences and tables."""

from __future__ import annotations

from tfprof.model import units
from tfprof.model.units import as_micros
from tfprof.results.host_steps import Gap, Launches, Straggler
from tfprof.results.steps import Bound, DeviceRow, HostOps, PoolRow, StepsResult, Verdict
from tfprof.views.shapes import Column, Fold, Table, Unit, Value

_DEVICES_NAMED = 3
_DEVICES_SHOWN = 16
_POOLS_NAMED = 3
_MUCH_OUTSIDE = 0.1
_UNEVEN = 2
# what is left of 80 columns beside the numbers of a device
_FITS_BESIDE = 22
_REASONS, _WORTH_TELLING = 2, 0.05
_TOOK = {
    "work": "works longer than the others",
    "wait": "comes later to collectives than the others",
    "end": "ends later than the others",
    "step": "takes longer than the others",
}


def overlap_facts(found: StepsResult) -> list[tuple[str, str]]:
    """Six lines at most: bound by what, how busy, what is not TensorFlow, the longest gap, waits.

    Of the first host; devices and stragglers are of all.
    """
    part = "; the capture is a fragment" if found.missing else ""
    facts = [("Bound", verdict_text(found.verdict) + part)] if _is_worth_telling(found) else []
    if found.devices or found.host.any_ops:
        facts.append(("Busy", _busy(found)))
    if is_mostly_outside(found):
        facts.append(("Outside", _outside(found)))
    if found.gaps:
        facts.append(("Longest gap", _gap_text(found.gaps[0])))
    barriers = _barriers(found)
    if barriers:
        facts.append(("Barriers", barriers))
    launches = [_launch_text(one) for one in found.launches if one.bound_steps]
    wrong = [*launches, *straggler_texts(found)]
    if wrong:
        facts.append(("Waiting", "; ".join(wrong[:2])))
    elif not found.devices and found.host.pools:
        facts.append(("Threads", _threads(found.host)))
    return facts


def _is_worth_telling(found: StepsResult) -> bool:
    """Whether it says more than the line about the input, which a CPU may wait for, too."""
    known = (Bound.INPUT, Bound.COMPUTE, Bound.UNKNOWN)
    return bool(found.devices) or found.verdict.name not in known


def verdict_text(verdict: Verdict) -> str:
    """input-bound: input 60.1%, compute 30.0%, not recorded 6.4%."""
    others = sorted(verdict.evidence.items(), key=lambda item: -item[1])
    said = [
        f"{one.what} {units.share(share, 1)}"
        for one, share in [(verdict.name, verdict.share), *others]
        if one is verdict.name or share >= _WORTH_TELLING
    ]
    name = "?" if verdict.name is Bound.UNKNOWN else verdict.name.value
    return f"{name}: {', '.join(dict.fromkeys(said))}"


def is_mostly_outside(found: StepsResult) -> bool:
    outside = found.host.outside
    return outside is not None and outside >= _MUCH_OUTSIDE * found.average.period > 0


def _outside(found: StepsResult) -> str:
    """50.41 ms of a step (94.8%) is Python outside TensorFlow, 100% of it between steps."""
    outside, between = found.host.outside or 0.0, found.host.between or 0.0
    share = units.share(outside, found.average.period)
    where = f", {between / outside:.0%} of it between steps" if between else ""
    such = "callbacks, NumPy, printing" if between else "NumPy, or Python from one op to the next"
    return (
        f"{units.duration_ps(outside)} of a step ({share}) is Python outside TensorFlow{where}: "
        f"{such}"
    )


def _busy(found: StepsResult) -> str:
    if not found.devices:
        model, pipeline = _percent(found.host.model_ops), _percent(found.host.input_ops)
        return f"ops of the model {model} of the time, ops of the input {pipeline}"
    devices = sorted(found.devices, key=lambda one: sum(one.busy_by_step))
    if len(devices) == 1:
        return _one_busy(found, devices[0])
    if len(devices) <= _DEVICES_NAMED:
        named = [f"{one.device} {_percent(one.busy)}" for one in found.devices]
        return f"computing {', '.join(named)} of the time"
    low, high = devices[0], devices[-1]
    if _percent(low.busy) == _percent(high.busy):
        return f"each of {len(devices)} devices computes {_percent(low.busy)} of the time"
    return (
        f"{len(devices)} devices, computing from {_percent(low.busy)} of the time "
        f"({low.device}) to {_percent(high.busy)} ({high.device})"
    )


def _one_busy(found: StepsResult, one: DeviceRow) -> str:
    """/gpu:0 computes 93.6% of the time, copies 2.0%, idle 4.4%."""
    whole = sum(step.period for step in found.steps) / max(1, len(found.steps))
    said = [f"{one.device} computes {_percent(one.busy)} of the time"]
    for what, time in (
        ("copies", one.copy_wait),
        ("collectives", one.exposed),
        ("idle", one.idle),
    ):
        if time:
            said.append(f"{what} {units.share(time, whole)}")
    return ", ".join(said)


def _gap_text(gap: Gap) -> str:
    """66.50 ms in step 1: 90% IteratorGetNext."""
    whose = f" of {_idle(gap)}" if len(gap.idle) > 1 else ""
    return f"{units.duration_ps(gap.length)}{whose} in step {gap.step}: {_did(gap)}"


def _barriers(found: StepsResult) -> str:
    """/tpu:2 waited 340.6 ms, /tpu:0 24.8 ms: the others wait for /tpu:0."""
    waited = {one.device: one.barriers for one in found.devices if one.barriers is not None}
    if len(waited) < 2:
        return ""
    longest, shortest = max(waited, key=waited.__getitem__), min(waited, key=waited.__getitem__)
    if waited[longest] < _UNEVEN * waited[shortest]:
        return ""
    return (
        f"{longest} waited {units.duration_ps(waited[longest])}, {shortest} "
        f"{units.duration_ps(waited[shortest])}: the others wait for {shortest}"
    )


def _did(gap: Gap) -> str:
    return ", ".join(f"{one.share:.0%} {one.what}" for one in gap.meanwhile)


def _idle(gap: Gap) -> str:
    return gap.idle[0] if len(gap.idle) == 1 else f"{len(gap.idle)} devices"


def _threads(host: HostOps) -> str:
    """The pools with most work; how many of their threads are busy on average."""
    pools = sorted(host.pools, key=lambda pool: -(pool.busy_threads or 0))[:_POOLS_NAMED]
    named = [f"{pool.busy_threads or 0:.1f} of {pool.threads} {_pool(pool)}" for pool in pools]
    return f"{', '.join(named)} busy"


def _pool(pool: PoolRow) -> str:
    if "Eigen" in pool.name:
        return "Eigen"
    return "tf.data" if pool.name.startswith("tf_data_") else pool.name


def _launch_text(one: Launches) -> str:
    steps = f"{one.bound_steps} of {units.plural(len(one.waited), 'step')}"
    return (
        f"{one.device} is launch-bound in {steps}: "
        f"kernels of {units.duration_ps(one.kernel)}, "
        f"a launch every {units.duration_ps(one.interval)}"
    )


def straggler_texts(found: StepsResult, *kinds: str) -> list[str]:
    """Of the devices of each host, and of the hosts, unless only some kinds are asked for."""
    several = len(found.hosts) > 1
    wanted = (one for one in found.stragglers if not kinds or one.kind in kinds)
    return [_straggler_text(one, several=several) for one in wanted]


def _straggler_text(one: Straggler, *, several: bool) -> str:
    name = f"host {one.name}"
    if one.kind == "device":
        name = one.name + (f" of {one.host}" if several else "")
    return (
        f"{name} {_TOOK[one.took]} in {one.steps} of {units.plural(one.of_steps, 'step')}, "
        f"by {units.duration_ps(one.behind)} ({units.share(one.share, 1)})"
    )


def devices_table(found: StepsResult) -> Table:
    """Times are of an average step, and add up to it."""
    copies = any(one.copy_wait for one in found.devices)
    collectives = any(one.collectives for one in found.devices)
    columns = [
        Column("device", "device"),
        Column("busy", "busy", Unit.SHARE),
        Column("busy_us", "computes", Unit.MICROS),
        *([Column("copy_wait_us", "copies", Unit.MICROS)] if copies else []),
        *([Column("exposed_us", "comms", Unit.MICROS)] if collectives else []),
        Column("idle_us", "idle", Unit.MICROS),
        Column("idle_in_span", "in span", Unit.SHARE),
        Column("waited_for", "waits for", Unit.PROSE),
    ]
    rows: list[list[Value]] = [
        [
            one.device,
            one.busy,
            as_micros(one.busy_mean),
            *([as_micros(one.copy_wait)] if copies else []),
            *([as_micros(one.exposed)] if collectives else []),
            as_micros(one.idle),
            one.idle_in_span,
            _waits(one),
        ]
        for one in found.devices
    ]
    return Table(columns, rows, fold=Fold(_DEVICES_SHOWN))


def _waits(one: DeviceRow) -> str:
    """What a device waits for that does not compute, at most two: launch 71%, input 20%."""
    whole = sum(time for _, time in one.waits)
    said = [
        f"{reason} {time / whole:.0%}"
        for reason, time in one.waits[:_REASONS]
        if time >= _WORTH_TELLING * whole
    ]
    both = ", ".join(said)
    return both if len(both) <= _FITS_BESIDE else said[0]


def gaps_table(found: StepsResult) -> Table:
    """When no device was busy, or without devices no op of the model ran; and what did."""
    columns = [
        Column("step", "gap in step", Unit.COUNT),
        Column("begin_us", "begins at", Unit.MICROS),
        Column("length_us", "lasts", Unit.MICROS),
        Column("meanwhile", "meanwhile", Unit.PROSE),
    ]
    several = len(found.devices) > 1
    if several:
        columns.insert(1, Column("idle", "idle"))
    rows: list[list[Value]] = []
    for gap in found.gaps:
        idle: list[Value] = [_idle(gap)] if several else []
        rows.append([gap.step, *idle, as_micros(gap.begin), as_micros(gap.length), _did(gap)])
    return Table(columns, rows)


def _percent(share: float | None) -> str:
    return "?" if share is None else units.share(share, 1)
