"""Copies as run metadata records them: beside nodes, with what they are in a label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.device import ALL_STREAMS, COPIES, DeviceSpec, is_stream
from tfprof.model.trace import Executions, Trace

# what the names of such records look like; the labels tell for sure
_CANDIDATE = late_pattern(r"RecvTensor(:.*)?|.*MEMCPY.*|.*Memcpy.*|.*/_\d+|edge_\d+_.*")
_RECEIVED = late_pattern(r".* from (?P<source>/\S+) to (?P<target>/\S+)")
_SENT = late_pattern(
    r".* = (?P<op>_(?:Host)?(?:Send|Recv))\((?P<tensor>.*?) ?@ ?(?P<other>/[^\s)]+)\)"
)
_COPIED = late_pattern(r"MEMCPY(?P<kind>\w+) (?P<bytes>\d+) bytes.*", re.IGNORECASE)
KIND = late_pattern(r"(?P<source>[HDPA])(?:to|2)(?P<target>[HDPA])", re.IGNORECASE)


@frozen_dataclass
class LabelledCopy:
    """One copy; devices by the names of the run, None where nothing tells."""

    row: int
    kind: str
    source: str | None
    target: str | None
    bytes: int | None
    micros: int


def short_kind(text: str) -> str:
    """HtoD and H2D are one kind."""
    match = KIND.search(text)
    return f"{match['source']}2{match['target']}".upper() if match else "copy"


def ends(kind: str, device: str) -> tuple[str | None, str | None]:
    """Source and target of a copy that a device recorded: the host has its first CPU."""
    host = str(replace(DeviceSpec.of(device), type="CPU", index="0"))
    device = str(DeviceSpec.of(device))
    match kind:
        case "H2D":
            return host, device
        case "D2H":
            return device, host
        case "D2D":
            return device, device
        case "H2H":
            return host, host
        case _:
            return device, None


def recorded(trace: Trace) -> tuple[list[LabelledCopy], frozenset[int]]:
    """The copies of a run, each once, and the rows of all records of copies.

    Streams repeat what a device's thread for copies has.
    """
    rows = trace.executions
    if trace.record is None or trace.space is not None:
        return [], frozenset()
    wanted = [code for code, name in enumerate(rows.node.table) if _CANDIDATE.fullmatch(name)]
    found = list(_all(trace, np.flatnonzero(np.isin(rows.node.codes, wanted)).tolist()))
    return _each_once(found, rows), frozenset(one.row for one in found)


def _all(trace: Trace, candidates: list[int]) -> Iterator[LabelledCopy]:
    for row in candidates:
        record = trace.record(row) if trace.record is not None else None
        if record is None:
            continue
        device, label = trace.executions.device[row], record.timeline_label
        micros = max(1, record.op_end_rel_micros - record.op_start_rel_micros)
        made = [one.tensor_description.allocation_description for one in record.output]
        size = sum(one.requested_bytes for one in made) if made else None
        if match := _COPIED.fullmatch(label):
            kind = short_kind(match["kind"])
            yield LabelledCopy(row, kind, *ends(kind, device), int(match["bytes"]), micros)
        elif match := _SENT.fullmatch(label):
            source, target = device, match["other"]
            if match["op"].endswith("Recv"):
                source, target = target, source
            yield LabelledCopy(row, match["op"], source, target, size, micros)
        elif match := _RECEIVED.fullmatch(label):
            yield LabelledCopy(row, "RecvTensor", match["source"], match["target"], size, micros)


def _each_once(found: list[LabelledCopy], rows: Executions) -> list[LabelledCopy]:
    """A copy stands with the device's copies and with a stream; a tensor is sent and received."""
    of_thread = {one.row for one in found if rows.device[one.row].endswith(COPIES)}
    streams = [one.row for one in found if is_stream(rows.device[one.row])]
    all_streams = [row for row in streams if rows.device[row].endswith(ALL_STREAMS)]
    repeated = set(streams) if of_thread else set(streams) - set(all_streams or streams)
    kept = [one for one in found if one.row not in repeated]
    copied = {_pair(one) for one in kept if not one.kind.startswith("_")}
    received = {_pair(one) for one in kept if one.kind.endswith("Recv")}
    return [one for one in kept if _pair(one) not in _better(one, copied, received)]


_Pair = tuple[tuple[str | None, ...], tuple[str | None, ...]]


def _better(one: LabelledCopy, copied: set[_Pair], received: set[_Pair]) -> set[_Pair]:
    """Where another record tells more of the same copy: the device's, or who received it."""
    if one.kind.endswith("Send"):
        return copied | received
    return copied if one.kind.endswith("Recv") else set()


def _pair(one: LabelledCopy) -> _Pair:
    """A device's own records leave its place open."""
    source, target = (DeviceSpec.of(name or "") for name in (one.source, one.target))
    return (source.type, source.index), (target.type, target.index)
