"""Who was busy in the steps, who waited and for what: sentences, tables and numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tfprof.analyses.overlap.device_use import DeviceUse
from tfprof.analyses.overlap.found import CPU, Overlap, straggling_hosts
from tfprof.analyses.overlap.gaps import Gap
from tfprof.analyses.overlap.host_use import PoolUse
from tfprof.analyses.overlap.launches import LaunchUse
from tfprof.analyses.overlap.stragglers import Straggler
from tfprof.model import units
from tfprof.model.devices import short_names
from tfprof.views.shapes import Column, Table, Unit, Value

Ints = npt.NDArray[np.int64]

_PS = 1_000_000  # picoseconds of a microsecond
_DEVICES_NAMED = 3
_POOLS_NAMED = 3
_TOOK = {
    "work": "works longer than the others",
    "end": "ends later than the others",
    "step": "takes longer than the others",
}


def overlap_facts(hosts: Sequence[Overlap]) -> list[tuple[str, str]]:
    """Three lines at most: how busy it was, the longest gap, and what else is wrong, if anything.

    `hosts` are all hosts of a capture; the facts are of the first, the stragglers of all.
    """
    found = hosts[0]
    seen = found.devices or found.cpu.either.any()
    facts = [("Busy", _busy(found))] if seen else []
    if found.gaps:
        facts.append(("Longest gap", gap_text(found.gaps[0], device_names(found))))
    wrong = [*_launch_texts(found), *straggler_texts(hosts)]
    if wrong:
        facts.append(("Waiting", "; ".join(wrong[:2])))
    elif not found.devices and found.cpu.pools:
        facts.append(("Threads", _threads(found)))
    return facts


def _busy(found: Overlap) -> str:
    if not found.devices:
        model, pipeline = found.share(found.cpu.model), found.share(found.cpu.pipeline)
        return (
            f"ops of the model {_percent(model)} of the time, ops of the input {_percent(pipeline)}"
        )
    short = device_names(found)
    if len(found.devices) == 1:
        (device,) = found.devices
        shares = f"kernels {_percent(found.share(device.compute))}"
        for name, time, hidden in _beside(device):
            shares += f", {name} {_percent(found.share(time))}{_hidden(time, hidden)}"
        return f"{short[device.name]} {_percent(found.share(device.busy))} of the time: {shares}"
    ordered = sorted(found.devices, key=lambda one: int(one.busy.sum()))
    if len(ordered) <= _DEVICES_NAMED:
        ordered = list(found.devices)
        named = [f"{short[one.name]} {_percent(found.share(one.busy))}" for one in ordered]
        return f"{', '.join(named)} of the time"
    low, high = ordered[0], ordered[-1]
    return (
        f"{len(ordered)} devices, from {_percent(found.share(low.busy))} of the time "
        f"({short[low.name]}) to {_percent(found.share(high.busy))} ({short[high.name]})"
    )


def _beside(device: DeviceUse) -> list[tuple[str, Ints, Ints]]:
    both = [
        ("copies", device.copies, device.copies_hidden),
        ("collectives", device.collectives, device.collectives_hidden),
    ]
    return [(name, time, hidden) for name, time, hidden in both if time.any()]


def _hidden(time: Ints, hidden: Ints) -> str:
    """How much runs beside kernels, and so costs nothing."""
    share = int(hidden.sum()) / int(time.sum())
    return f" ({units.share(share, 1)} of them beside kernels)" if share else ""


def gap_text(gap: Gap, short: Mapping[str, str]) -> str:
    """66.50 ms in step 1: 90% IteratorGetNext."""
    whose = f" of {_idle(gap, short)}" if len(gap.idle) > 1 else ""
    return f"{units.duration(gap.length / _PS)}{whose} in step {gap.step}: {_did(gap)}"


def _did(gap: Gap) -> str:
    return ", ".join(f"{one.share:.0%} {one.what}" for one in gap.meanwhile)


def _idle(gap: Gap, short: Mapping[str, str]) -> str:
    names = [short[name] for name in gap.idle]
    return names[0] if len(names) == 1 else f"{len(names)} devices"


def _threads(found: Overlap) -> str:
    """The pools with most work; how many of their threads are busy on average."""
    whole = int(found.periods.sum())
    pools = sorted(found.cpu.pools, key=lambda pool: -pool.busy)[:_POOLS_NAMED]
    named = [f"{pool.busy / whole:.1f} of {pool.threads} {_pool(pool)}" for pool in pools]
    return f"{', '.join(named)} busy"


def _pool(pool: PoolUse) -> str:
    if "Eigen" in pool.name:
        return "Eigen"
    return "tf.data" if pool.name.startswith("tf_data_") else pool.name


def _launch_texts(found: Overlap) -> list[str]:
    short = device_names(found)
    return [_launch_text(one, short[one.device]) for one in found.launches if one.bound.any()]


def _launch_text(one: LaunchUse, device: str) -> str:
    steps = f"{int(one.bound.sum())} of {units.plural(len(one.bound), 'step')}"
    return (
        f"{device} is launch-bound in {steps}: "
        f"kernels of {units.duration(one.kernel / _PS)}, "
        f"a launch every {units.duration(one.interval / _PS)}"
    )


def straggler_texts(hosts: Sequence[Overlap]) -> list[str]:
    """Of the devices of each host, and of the hosts."""
    several = len(hosts) > 1
    found = [
        (one, device_names(host)[one.name] + (f" of {host.host}" if several else ""))
        for host in hosts
        for one in host.stragglers
    ]
    found += [(one, f"host {one.name}") for one in straggling_hosts(hosts)]
    return [_straggler_text(one, name) for one, name in found]


def _straggler_text(one: Straggler, name: str) -> str:
    return (
        f"{name} {_TOOK[one.took]} in {one.steps} of {units.plural(one.of_steps, 'step')}, "
        f"by {units.duration(one.behind / _PS)} ({units.share(one.share, 1)})"
    )


def devices_table(found: Overlap) -> Table:
    """Times are of an average step."""
    collectives = any(one.collectives.any() for one in found.devices)
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
    short = device_names(found)
    rows: list[list[Value]] = [
        [short[one.name], *_device_values(found, one, collectives=collectives)]
        for one in found.devices
    ]
    return Table(columns, rows)


def _device_values(found: Overlap, one: DeviceUse, *, collectives: bool) -> list[Value]:
    row: list[Value] = [found.share(one.busy), _mean(one.compute)]
    row += [_mean(one.copies), _part(one.copies_hidden, one.copies)]
    if collectives:
        row += [_mean(one.collectives), _part(one.collectives_hidden, one.collectives)]
    return [*row, _mean(found.periods - one.busy)]


def gaps_table(found: Overlap, shown: int = 5) -> Table:
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
    short = device_names(found)
    rows: list[list[Value]] = []
    for gap in found.gaps[:shown]:
        row: list[Value] = [gap.step, gap.begin / _PS, gap.length / _PS, _did(gap)]
        rows.append([row[0], _idle(gap, short), *row[1:]] if several else row)
    return Table(columns, rows)


def overlap_data(hosts: Sequence[Overlap]) -> dict[str, Any]:
    """The same numbers in base units, of the first host; stragglers of all of them."""
    found = hosts[0]
    short = device_names(found)
    return {
        "devices": {short[one.name]: _device_data(found, one) for one in found.devices},
        "unused_devices": [short[name] for name in found.unused],
        "host": _host_data(found),
        "gaps": [_gap_data(gap, short) for gap in found.gaps],
        "launches": [_launch_data(one, short[one.device]) for one in found.launches],
        "stragglers": [
            *(
                _straggler_data(one, "device", device_names(host)[one.name])
                for host in hosts
                for one in host.stragglers
            ),
            *(_straggler_data(one, "host", one.name) for one in straggling_hosts(hosts)),
        ],
    }


def _gap_data(gap: Gap, short: Mapping[str, str]) -> dict[str, Any]:
    return {
        "idle": [short[name] for name in gap.idle],
        "begin_us": gap.begin / _PS,
        "length_us": gap.length / _PS,
        "step": gap.step,
        "meanwhile": [{"what": one.what, "share": one.share} for one in gap.meanwhile],
    }


def _device_data(found: Overlap, one: DeviceUse) -> dict[str, Any]:
    """Microseconds of an average step; `hidden` is what of it runs beside kernels."""
    return {
        "busy": found.share(one.busy),
        "busy_us": _mean(one.busy),
        "kernels_us": _mean(one.compute),
        "copies_us": _mean(one.copies),
        "copies_hidden_us": _mean(one.copies_hidden),
        "collectives_us": _mean(one.collectives),
        "collectives_hidden_us": _mean(one.collectives_hidden),
        "busy_us_by_step": (one.busy / _PS).tolist(),
    }


def _host_data(found: Overlap) -> dict[str, Any]:
    whole = int(found.periods.sum())
    return {
        "model_ops": found.share(found.cpu.model),
        "input_ops": found.share(found.cpu.pipeline),
        "any_ops": found.share(found.cpu.either),
        "pools": [
            {
                "name": pool.name,
                "threads": pool.threads,
                "busy_threads": pool.busy / whole if whole else None,
            }
            for pool in found.cpu.pools
        ],
    }


def _launch_data(one: LaunchUse, device: str) -> dict[str, Any]:
    steps = [bool(bound) for bound in one.bound]
    return {
        "device": device,
        "launches": one.launches,
        "bound_steps": sum(steps),
        "median_kernel_us": one.kernel / _PS,
        "median_delay_us": one.delay / _PS,
        "median_interval_us": one.interval / _PS,
        "idle_share": one.idle_share,
        "waited_us_by_step": (one.waited / _PS).tolist(),
    }


def _straggler_data(one: Straggler, kind: str, name: str) -> dict[str, Any]:
    return {
        "kind": kind,
        "name": name,
        "measure": one.took,
        "steps": one.steps,
        "of_steps": one.of_steps,
        "behind_us": one.behind / _PS,
        "share": one.share,
    }


def _mean(picoseconds: Ints) -> float | None:
    return float(picoseconds.mean()) / _PS if len(picoseconds) else None


def _part(some: Ints, whole: Ints) -> float | None:
    return int(some.sum()) / int(whole.sum()) if whole.any() else None


def _percent(share: float | None) -> str:
    return "?" if share is None else units.share(share, 1)


def device_names(found: Overlap) -> dict[str, str]:
    """Those of the devices, and what a host without any is called."""
    return {CPU: CPU, **short_names([*(one.name for one in found.devices), *found.unused])}
