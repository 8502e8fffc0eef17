"""Where nodes ran and what that took, device by device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from tfprof.analyses.placement.copy_sums import copies_of
from tfprof.frozen_dataclass import frozen_dataclass, mutable_dataclass
from tfprof.model.device import ALL_STREAMS, DeviceNames, DeviceSpec, is_part, is_stream
from tfprof.model.device_labels import NO_OP
from tfprof.results.placement import Copies

if TYPE_CHECKING:
    from tfprof.analyses.placement.host_placement import PlacementPartial

CPU = "CPU"


@mutable_dataclass
class Use:
    """Of one device in all steps together. `micros` of a GPU is that of its kernels."""

    nodes: int = 0
    micros: int = 0
    requested: int = 0


@frozen_dataclass
class Ran:
    """Devices have short names, and come in the order in which they were met.

    `places` is by node, `micros` by node and device: those of all its runs in all `steps`.
    `copies` are of the average step, by `copies_from`. `captured`: by the profiler of TensorFlow 2,
    on devices of these `kinds`.
    """

    devices: Mapping[str, Use]
    places: Mapping[str, list[str]]
    micros: Mapping[tuple[str, str], int]
    steps: int
    copies: list[Copies]
    copies_from: str
    captured: bool
    kinds: frozenset[str | None]


def where_ran(found: PlacementPartial, names: DeviceNames) -> Ran:
    met = sorted(found.devices, key=lambda name: (found.devices[name].place, name))
    short = {name: names(name) for name in met}
    order = {name: at for at, name in enumerate(dict.fromkeys(short.values()))}
    rules = _Rules(found, short)
    uses: dict[str, Use] = {}
    places: dict[str, list[str]] = {}
    micros: dict[tuple[str, str], int] = {}
    for device, node in sorted(
        found.spent, key=lambda key: (found.nodes[key[1]], key[1], order[short[key[0]]])
    ):
        spent, where = found.spent[device, node], short[device]
        if not spent.runs or not rules.counts(device, node):
            continue
        use = uses.setdefault(where, Use())
        if (node, where) not in micros:
            micros[node, where] = 0
            if node != NO_OP:
                use.nodes += 1
                places.setdefault(node, []).append(where)
        took = spent.micros if rules.is_timed(device) else 0
        use.micros += took
        micros[node, where] += took
        use.requested += spent.requested if device in rules.ops else 0
    steps = max(1, len(found.steps))
    devices = {where: uses[where] for where in order if where in uses}
    copies = copies_of(found.copies, found.sent, names, steps)
    return Ran(devices, places, micros, steps, *copies, found.captured, found.kinds)


class _Rules:
    """Which of what was recorded is a node's run, and which is the time of its device."""

    def __init__(self, found: PlacementPartial, short: Mapping[str, str]) -> None:
        self._short = short
        # kernels of a device; a stream alone repeats all streams
        whole = {where for name, where in short.items() if name.endswith(ALL_STREAMS)}
        self._kernels = {
            name
            for name, where in short.items()
            if name.endswith(ALL_STREAMS) or (is_stream(name) and where not in whole)
        }
        # ops as the executor saw them
        self.ops = {
            name for name in short if not is_part(name) and DeviceSpec.of(name).type is not None
        }
        self._with_kernels = {short[name] for name in self._kernels if found.devices[name].amount}
        self._accelerators = {
            name for name, where in short.items() if DeviceSpec.of(where).type not in (None, CPU)
        }
        # in a capture, a thread's event of a node whose kernels ran on a device is their launch
        self._launched = {
            node for device, node in found.spent if found.captured and device in self._accelerators
        }

    def counts(self, device: str, node: str) -> bool:
        if device not in self._kernels and device not in self.ops:
            return False
        return device in self._accelerators or node not in self._launched

    def is_timed(self, device: str) -> bool:
        """Where kernels were recorded they are the time of the device, not their launches."""
        return device in self._kernels or self._short[device] not in self._with_kernels
