"""Which ops the devices of a capture ran, and which kinds of work: worked out once a capture."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from tfprof.analyses.device_events.columns import DeviceEvents
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.op_names import OpName
from tfprof.model.xspace import Plane, Space
from tfprof.results.device_work import Activity


@frozen_dataclass
class DeviceNodes:
    """What is to be known of a device; its events are too many to be kept for all of them."""

    plane: Plane
    ops: Sequence[OpName]
    kinds: frozenset[str]

    @property
    def nodes(self) -> list[str]:
        return list(dict.fromkeys(op.name for op in self.ops))


def device_nodes(space: Space) -> Sequence[DeviceNodes]:
    """Of every device that computes."""
    known = space.found.get("device nodes")
    if known is None:
        planes = (plane for plane in space.devices if len(plane.events))
        found = (_of(plane, space) for plane in planes)
        known = space.found["device nodes"] = tuple(one for one in found if one is not None)
    return cast("Sequence[DeviceNodes]", known)


def _of(plane: Plane, space: Space) -> DeviceNodes | None:
    events = DeviceEvents(plane, space.compiled)
    if not events.doing(Activity.COMPUTE).any():
        return None
    kinds = frozenset(events.kind.table[code] for code in events.kind.used())
    return DeviceNodes(plane, events.ops, kinds)
