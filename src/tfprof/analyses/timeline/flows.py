"""What led to what across threads and devices: pairs of events, cause and effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.xspace import Plane, Space

Ints = npt.NDArray[np.int64]

_PRODUCER_TYPE, _PRODUCER = "_pt", "_p"
_CONSUMER_TYPE, _CONSUMER = "_ct", "_c"
_CORRELATION = "correlation_id"
LAUNCH, HANDED_ON = "launch", "handed on"


@frozen_dataclass
class Flows:
    """Row by row a cause and its effect; planes are positions in the space."""

    kind: str
    source_plane: Ints
    source: Ints
    target_plane: Ints
    target: Ints

    def __len__(self) -> int:
        return len(self.source)


@frozen_dataclass
class _Ends:
    """Events that have a key: where they stand, the key as two numbers, when they start."""

    plane: Ints
    row: Ints
    key: Ints
    other_key: Ints
    start: Ints


def flows(space: Space) -> Iterator[Flows]:
    """Work handed from thread to thread, and kernels launched by the host."""
    numbered = list(enumerate(space.planes))
    for host in space.hosts:
        mine = [(at, plane) for at, plane in numbered if plane.host == host]
        made = _ends(mine, _PRODUCER, _PRODUCER_TYPE)
        yield _joined(HANDED_ON, made, _ends(mine, _CONSUMER, _CONSUMER_TYPE))
        calls = _ends([(at, p) for at, p in mine if not p.is_device], _CORRELATION)
        kernels = _ends([(at, p) for at, p in mine if p.is_device], _CORRELATION)
        yield _joined(LAUNCH, calls, kernels)


def _ends(planes: list[tuple[int, Plane]], stat: str, type_stat: str | None = None) -> _Ends:
    none = np.zeros(0, np.int64)
    parts = [_Ends(none, none, none, none, none)]
    for at, plane in planes:
        if not plane.has_stat(stat):
            continue
        column = plane.stat(stat)
        rows = column.rows
        kind = plane.stat(type_stat).over_all(-1)[rows] if type_stat else np.zeros_like(rows)
        start = plane.events.start_ps[rows]
        parts.append(_Ends(np.full(len(rows), at), rows, column.ints(), kind, start))
    names = [one.name for one in fields(_Ends)]
    return _Ends(*(np.concatenate([getattr(p, n) for p in parts]) for n in names))


def _joined(kind: str, sources: _Ends, targets: _Ends) -> Flows:
    """Each target with the last source of its key that had started before it."""
    count = len(sources.row)
    is_target = np.arange(count + len(targets.row)) >= count
    key = np.concatenate([sources.key, targets.key])
    other = np.concatenate([sources.other_key, targets.other_key])
    start = np.concatenate([sources.start, targets.start])
    order = np.lexsort((is_target, start, other, key))
    at = np.where(is_target[order], -1, np.arange(len(order)))
    last = np.maximum.accumulate(at) if len(at) else at
    found = np.flatnonzero(is_target[order] & (last >= 0))
    source, target = order[last[found]], order[found]
    same = (key[source] == key[target]) & (other[source] == other[target])
    source, target = source[same], target[same] - count
    # an event may both take up work and hand it on: that is no flow
    apart = (sources.plane[source] != targets.plane[target]) | (
        sources.row[source] != targets.row[target]
    )
    source, target = source[apart], target[apart]
    return Flows(
        kind,
        sources.plane[source],
        sources.row[source],
        targets.plane[target],
        targets.row[target],
    )
