"""A timeline as lanes and a table of what the critical path is made of."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from tfprof.model import units
from tfprof.results.answered import Answered
from tfprof.results.timeline import CriticalPath, Lane, TimelineResult
from tfprof.views.shapes import (
    Column,
    Facts,
    Fold,
    LaneBar,
    Lanes,
    Notes,
    Part,
    Report,
    Table,
    Unit,
    Value,
    without_empty,
)

_LANES_SHOWN = 7
_OPS_SHOWN = 5


def view(answered: Answered[TimelineResult]) -> Report:
    found = answered.data
    facts = [("Shown", _shown(found))]
    facts += [("Critical path", text) for text in _path_facts(found)]
    parts: list[Part] = [
        Facts(facts),
        _lanes(found),
        _path_table(found.critical_path),
        Notes(answered.notes),
    ]
    return Report(*answered.subject.lines, without_empty(parts))


def _shown(found: TimelineResult) -> str:
    window, steps = found.window, found.steps
    length, since = units.duration(window.length_us), units.duration(window.from_us)
    if window.step is None:
        return f"{length} from {since} on"
    known = f"{steps[0].step} to {steps[-1].step}"
    which = f"the typical one of {known}" if window.chosen else f"of {known}"
    text = f"step {window.step}, {which}" if len(steps) > 1 else "the only step"
    return f"{text}: {length} from {since} on"


def _path_facts(found: TimelineResult) -> Iterator[str]:
    """Its length within the window, and how its links are known."""
    path = found.critical_path
    if not path.executions:
        return
    length = units.duration(path.time_us)
    length += f" ({units.share(path.time_us, found.window.length_us)})"
    count = units.plural(path.executions, "execution")
    waiting = f"{units.duration(path.wait_us)} of waiting"
    yield f"{count}, each after the one before: {length} and {waiting}"
    if path.by_data:
        links = path.executions - 1
        yield f"{path.by_data} of {links} links lead to an input, the others follow by time"
    else:
        yield "linked by time: nothing here tells what an op reads"


def _lanes(found: TimelineResult) -> Lanes:
    window, lanes = found.window, found.lanes
    bars = [
        LaneBar(label, lane.busy, lane.share, lane.longest, host)
        for (host, label), lane in zip(_labels(lanes), lanes, strict=True)
        if lane.share
    ]
    span = units.duration(window.from_us), units.duration(window.to_us)
    idle = len(lanes) - len(bars)
    return Lanes("Lanes", span, bars, _lane_table(lanes), idle=idle, show=_LANES_SHOWN)


def _lane_table(lanes: Sequence[Lane]) -> Table:
    columns = [
        Column("device", "device"),
        Column("thread", "thread"),
        Column("events", "events", Unit.COUNT),
        Column("busy_us", "busy", Unit.MICROS),
    ]
    rows: list[list[Value]] = [
        [lane.device, lane.thread, lane.events, lane.busy_us] for lane in lanes
    ]
    return Table(columns, rows)


def _labels(lanes: Sequence[Lane]) -> list[tuple[str, str]]:
    """The host if there are several, and a name on it that no other lane has.

    Threads without long numbers, told apart by short ones; devices if there are several.
    """
    hosts = _hosts([lane.device for lane in lanes])
    devices = Counter(host for host, _ in {*hosts})
    plain = [re.sub(r"/-?\d{4,}", "", lane.thread) for lane in lanes]
    full = [
        (host, f"{device} {name}" if devices[host] > 1 else name)
        for (host, device), name in zip(hosts, plain, strict=True)
    ]
    count = Counter(full)
    seen: Counter[tuple[str, str]] = Counter()
    found = []
    for host, name in full:
        seen[host, name] += 1
        number = f" #{seen[host, name]}" if count[host, name] > 1 else ""
        found.append((host, name + number))
    return found


def _hosts(devices: Sequence[str]) -> list[tuple[str, str]]:
    """Of each device its host, and what it is called there; no host if all are of one."""
    # /host:worker-0/cpu:0
    parted = [one.rpartition("/") for one in devices]
    if len({host for host, _, _ in parted if host}) < 2:
        return [("", one) for one in devices]
    # what names no host stands for itself
    return [
        (host.removeprefix("/host:") or one, f"/{device}")
        for one, (host, _, device) in zip(devices, parted, strict=True)
    ]


def _path_table(path: CriticalPath) -> Table:
    columns = [
        Column("op", "op"),
        Column("runs", "runs", Unit.COUNT),
        Column("time_us", "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
    ]
    rows: list[list[Value]] = [[one.op, one.runs, one.time_us, one.share] for one in path.top]
    fold = Fold(_OPS_SHOWN, "time_us", path.time_us)
    return Table(columns, rows, "On the critical path", fold=fold)
