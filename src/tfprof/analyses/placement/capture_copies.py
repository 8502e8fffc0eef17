"""Copies in a capture of TensorFlow 2: events of the devices, and what threads sent."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tfprof.analyses.placement.copy_sums import CopyRoute, CopySum
from tfprof.analyses.placement.timeline_labels import ends, short_kind
from tfprof.model.joined_graphs import RECEIVES, SENDS
from tfprof.model.kernel_lines import lines_that_count
from tfprof.model.trace import Executions, Trace
from tfprof.model.units import PS_A_MICROSECOND
from tfprof.model.xspace import Plane

Ints = npt.NDArray[np.int64]

TRANSFERS = (*SENDS, *RECEIVES)
_DETAILS = "memcpy_details"
_COPY = re.compile(r"memcpy.*", re.IGNORECASE)
# "kind_src:pinned kind_dst:device size:1000 dest:0 async:1"; earlier num_bytes, or bytes
_FACT = re.compile(r"(\w+):(\S+)")
_SIZES = ("size", "num_bytes", "bytes")
_ON_DEVICE = ("device", "array", "managed", "device_static", "managed_static")


def captured(trace: Trace) -> Iterator[tuple[CopyRoute, CopySum]]:
    """Sums over the whole capture; nothing of what is none."""
    if trace.space is not None:
        for plane in trace.space.devices:
            yield from _of_device(plane)
        yield from _of_threads(trace.executions)


def sent_rows(trace: Trace) -> frozenset[int]:
    """What threads of a capture sent or took: copies, no nodes."""
    op = trace.executions.op
    return frozenset() if op is None else frozenset(op.where(*TRANSFERS).tolist())


def _of_device(plane: Plane) -> Iterator[tuple[CopyRoute, CopySum]]:
    names = [_COPY.fullmatch(name) is not None for name in plane.event_names.name]
    is_copy = plane.by_name(np.array([*names, False], bool))
    rows = np.flatnonzero(is_copy)
    rows = rows[lines_that_count(plane)[plane.line_of(rows)]]
    if not len(rows):
        return
    column = plane.stat(_DETAILS)
    texts = column.texts()
    code = np.full(len(plane.events), -1, np.int64)
    code[column.rows] = texts.codes
    pairs = np.stack([plane.events.name[rows].astype(np.int64), code[rows]])
    distinct, inverse = np.unique(pairs, axis=1, return_inverse=True)
    counts = np.bincount(inverse.ravel())
    picoseconds = np.zeros(len(counts), np.int64)
    np.add.at(picoseconds, inverse.ravel(), plane.events.duration_ps[rows])
    device = f"/host:{plane.host}{plane.name}" if plane.host else plane.name
    for at, (name, text) in enumerate(distinct.T.tolist()):
        facts = dict(_FACT.findall(texts.table[text])) if text >= 0 else {}
        kind = short_kind(plane.event_names.name[name])
        kind = _kind(facts) if kind == "copy" else kind
        source, target = ends(kind, device)
        if kind == "P2P" and facts.get("dest", "").isdecimal():
            target = f"{device.rpartition(':')[0]}:{facts['dest']}"
        count = int(counts[at])
        size = next((int(facts[key]) for key in _SIZES if facts.get(key, "").isdecimal()), None)
        whole = None if size is None else size * count
        yield CopyRoute(source, target, kind), CopySum(count, whole, int(picoseconds[at]))


def _kind(facts: dict[str, str]) -> str:
    kinds = [facts.get(key, "").lower() for key in ("kind_src", "kind_dst")]
    if not all(kinds):
        return "copy"
    return "2".join("D" if kind in _ON_DEVICE else "H" for kind in kinds)


def _of_threads(rows: Executions) -> Iterator[tuple[CopyRoute, CopySum]]:
    """A thread tells what it sent or took, not from where to where, nor how much."""
    if rows.op is None:
        return
    for op in TRANSFERS:
        found = rows.op.where(op)
        if len(found):
            micros = int(rows.op_end_rel[found].sum())
            yield CopyRoute(None, None, op), CopySum(len(found), None, micros * PS_A_MICROSECOND)
