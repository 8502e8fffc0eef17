"""What there is to say of each device: what ran there, asks for it, is held by it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfprof.analyses.graph.variables import Variable
from tfprof.analyses.placement.balance import sizes_of
from tfprof.analyses.placement.copy_sums import whole
from tfprof.analyses.placement.ran import CPU, Ran
from tfprof.analyses.placement.requested import asked_counts
from tfprof.model.device import DeviceNames, DeviceSpec
from tfprof.model.placement_log import PlacementLog
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Quantity
from tfprof.results.placement import PlacedDevice, Unplaced

_NO_GRAPH = Quantity.unknown("no graph was given")
_NO_RUN = Quantity.unknown("no run tells of ops")
_NO_BYTES = Quantity.unknown("a capture does not tell the bytes that ops asked for")
_WHICH_CPU = Quantity.unknown("a capture has threads: which CPU they ran for is not told")


def devices_of(
    data: ProfileData,
    names: DeviceNames,
    ran: Ran,
    log: PlacementLog | None,
    held: Mapping[str, Sequence[Variable]],
) -> tuple[dict[str, PlacedDevice], Unplaced]:
    """By name, and what nothing places. `held` are the variables of each device."""
    known, asked = data.graph is not None, asked_counts(data, names)
    nodes = _nodes(names, ran, log, asked)

    def device(name: str) -> PlacedDevice:
        count = nodes.get(name, 0)
        time, size = _spent(ran, name)
        return PlacedDevice(
            _WHICH_CPU if time is _WHICH_CPU else Quantity.derived(count),
            Quantity.derived(asked[name]) if known else _NO_GRAPH,
            *(sizes_of(held.get(name, ())) if known else (_NO_GRAPH, _NO_GRAPH)),
            time,
            size,
        )

    nowhere = device("")
    found = sorted({*nodes, *asked, *held} - {""})
    return {name: device(name) for name in found}, Unplaced(
        nowhere.asked, nowhere.params, nowhere.variable_bytes
    )


def _nodes(
    names: DeviceNames, ran: Ran, log: PlacementLog | None, asked: Mapping[str, int]
) -> Mapping[str, int]:
    """As it ran, else as the log has it, else as the graph asks."""
    if ran.devices:
        return {name: use.nodes for name, use in ran.devices.items()}
    if log is None:
        return asked
    return {names(name): log.nodes_on(name) or log.runs_on(name) for name in log.devices}


def _spent(ran: Ran, name: str) -> tuple[Quantity, Quantity]:
    """Time and bytes of the average step; a device of which a run tells nothing did nothing."""
    use = ran.devices.get(name)
    if not ran.devices:
        return _NO_RUN, _NO_RUN
    if use is None and ran.captured and DeviceSpec.of(name).type == CPU:
        return _WHICH_CPU, _NO_BYTES
    micros, requested = (use.micros / ran.steps, use.requested / ran.steps) if use else (0, 0)
    size = _NO_BYTES if ran.captured else Quantity.measured(whole(requested))
    return Quantity.measured(micros), size
