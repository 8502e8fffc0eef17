"""What TensorFlow logged about placement: nodes that it placed, ops that it executed at once."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.frozen_dataclass import frozen_dataclass


@frozen_dataclass
class PlacementLog:
    """Devices by full name. `placed` is by node, `executed` counts by op type and device.

    `placed` is of the last session; `sessions` is how many there are, `left_out` how many nodes
    only earlier ones have.
    """

    path: str
    placed: Mapping[str, tuple[str, ...]]
    executed: Mapping[tuple[str, str], int]
    sessions: int = 1
    left_out: int = 0

    @property
    def devices(self) -> tuple[str, ...]:
        found = [device for devices in self.placed.values() for device in devices]
        return tuple(dict.fromkeys([*found, *(device for _, device in self.executed)]))

    def nodes_on(self, device: str) -> int:
        return sum(device in devices for devices in self.placed.values())

    def runs_on(self, device: str) -> int:
        return sum(count for (_, where), count in self.executed.items() if where == device)
