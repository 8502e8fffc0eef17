"""Who was busy in the steps, who waited and for what: sentences and tables."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.model import units
from tfprof.model.units import as_micros
from tfprof.results.host_steps import Gap, Launches, Straggler, Times
from tfprof.results.steps import DeviceRow, HostOps, PoolRow, StepsResult
from tfprof.views.shapes import Column, Table, Unit, Value

_DEVICES_NAMED = 3
_POOLS_NAMED = 3
_MUCH_OUTSIDE = 0.1
_TOOK = {
    "work": "works longer than the others",
    "end": "ends later than the others",
    "step": "takes longer than the others",
}


def overlap_facts(found: StepsResult) -> list[tuple[str, str]]:
    """Four lines at most: how busy it was, what is not TensorFlow, the longest gap, what is wrong.

    Of the first host; the stragglers are of all.
    """
    facts = [("Busy", _busy(found))] if found.devices or found.host.any_ops else []
    if is_mostly_outside(found):
        facts.append(("Outside", _outside(found)))
    if found.gaps:
        facts.append(("Longest gap", _gap_text(found.gaps[0])))
    launches = [_launch_text(one) for one in found.launches if one.bound_steps]
    wrong = [*launches, *straggler_texts(found)]
    if wrong:
        facts.append(("Waiting", "; ".join(wrong[:2])))
    elif not found.devices and found.host.pools:
        facts.append(("Threads", _threads(found.host)))
    return facts


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
    devices = list(found.devices.items())
    if len(devices) == 1:
        return _one_busy(found, *devices[0])
    named = [f"{name} {_percent(one.busy)}" for name, one in devices]
    if len(devices) <= _DEVICES_NAMED:
        return f"{', '.join(named)} of the time"
    devices.sort(key=lambda item: sum(item[1].use.busy))
    (least, low), (most, high) = devices[0], devices[-1]
    return (
        f"{len(devices)} devices, from {_percent(low.busy)} of the time "
        f"({least}) to {_percent(high.busy)} ({most})"
    )


def _one_busy(found: StepsResult, name: str, one: DeviceRow) -> str:
    whole = sum(step.period for step in found.steps)

    def share(times: Times) -> str:
        return _percent(sum(times) / whole if whole else None)

    use = one.use
    said = f"kernels {share(use.compute)}"
    for what, times, hidden in (
        ("copies", use.copies, use.copies_hidden),
        ("collectives", use.collectives, use.collectives_hidden),
    ):
        if any(times):
            said += f", {what} {share(times)}{_beside(times, hidden)}"
    return f"{name} {_percent(one.busy)} of the time: {said}"


def _beside(times: Times, hidden: Times) -> str:
    """How much runs beside kernels, and so costs nothing."""
    share = sum(hidden) / sum(times)
    return f" ({units.share(share, 1)} of them beside kernels)" if share else ""


def _gap_text(gap: Gap) -> str:
    """66.50 ms in step 1: 90% IteratorGetNext."""
    whose = f" of {_idle(gap)}" if len(gap.idle) > 1 else ""
    return f"{units.duration_ps(gap.length)}{whose} in step {gap.step}: {_did(gap)}"


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


def straggler_texts(found: StepsResult) -> list[str]:
    """Of the devices of each host, and of the hosts."""
    several = len(found.hosts) > 1
    return [_straggler_text(one, several=several) for one in found.stragglers]


def _straggler_text(one: Straggler, *, several: bool) -> str:
    name = f"host {one.name}"
    if one.kind == "device":
        name = one.name + (f" of {one.host}" if several else "")
    return (
        f"{name} {_TOOK[one.took]} in {one.steps} of {units.plural(one.of_steps, 'step')}, "
        f"by {units.duration_ps(one.behind)} ({units.share(one.share, 1)})"
    )


def devices_table(found: StepsResult) -> Table:
    """Times are of an average step."""
    collectives = any(any(one.use.collectives) for one in found.devices.values())
    columns = [
        Column("device", "device"),
        Column("busy", "busy", Unit.SHARE),
        Column("kernels_us", "kernels a step", Unit.MICROS),
        Column("copies_us", "copies", Unit.MICROS),
        Column("copies_hidden", "hidden", Unit.SHARE),
    ]
    if collectives:
        columns.append(Column("collectives_us", "collectives", Unit.MICROS))
        columns.append(Column("collectives_hidden", "hidden", Unit.SHARE))
    columns.append(Column("idle_us", "idle", Unit.MICROS))
    periods = [step.period for step in found.steps]
    rows = [
        [name, *_device_values(one, periods, collectives=collectives)]
        for name, one in found.devices.items()
    ]
    return Table(columns, rows)


def _device_values(one: DeviceRow, periods: Sequence[int], *, collectives: bool) -> list[Value]:
    use = one.use
    row: list[Value] = [one.busy, as_micros(one.kernels), as_micros(one.copies)]
    row.append(_part(use.copies_hidden, use.copies))
    if collectives:
        row += [as_micros(one.collectives), _part(use.collectives_hidden, use.collectives)]
    return [*row, as_micros((sum(periods) - sum(use.busy)) / len(periods))]


def _part(some: Times, whole: Times) -> float | None:
    return sum(some) / sum(whole) if any(whole) else None


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
