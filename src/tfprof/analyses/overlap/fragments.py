"""Signs that a capture has only a part of what devices did: tracers drop what is too much."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tfprof.analyses.overlap.device_nodes import DeviceNodes, device_nodes
from tfprof.late_pattern import late_pattern
from tfprof.model.xspace import Plane, Space
from tfprof.results.device_work import Kind

_REPLICA = late_pattern(r"(?:^|/)replica_(\d{1,6})/")
_CORE = late_pattern(r"/device:TPU:(\d{1,4})")
_NAMED = 8
_PRODUCTS = (Kind.MATMUL, Kind.CONVOLUTION, Kind.ATTENTION)
_NAMED_AFTER_PRODUCTS = late_pattern(r"einsum|matmul|dense|attention|conv\d?d?/", re.IGNORECASE)


def missing_parts(space: Space) -> list[str]:
    """What seems to be missing, in words; nothing where all that is named is there."""
    computing = device_nodes(space)
    if not computing:
        return []
    return [*_replicas(computing), *_cores(space.devices), *_products(computing)]


def _replicas(devices: Sequence[DeviceNodes]) -> Iterator[str]:
    """Towers are numbered through, and the first, whose number is 0, has none in front."""
    seen = {
        int(match[1]) for one in devices for name in one.nodes if (match := _REPLICA.search(name))
    }
    if seen and set(range(1, max(seen) + 1)) - seen:
        named = ", ".join(map(str, sorted(seen)))
        yield f"only the replicas {named} of at least {max(seen) + 1} were recorded"


def _cores(devices: Sequence[Plane]) -> Iterator[str]:
    """The cores of a host are numbered through, and each has a plane, whether it works or not."""
    by_host: dict[str, set[int]] = {}
    for plane in devices:
        if match := _CORE.fullmatch(plane.name):
            by_host.setdefault(plane.host, set()).add(int(match[1]))
    for seen in by_host.values():
        lost = sorted(set(range(max(seen))) - seen)
        if lost:
            named = ", ".join(map(str, lost[:_NAMED])) + (", ..." if len(lost) > _NAMED else "")
            were = "was" if len(lost) == 1 else "were"
            yield f"of the TPU cores 0 to {max(seen)}, {named} {were} not recorded"


def _products(devices: Sequence[DeviceNodes]) -> Iterator[str]:
    if any(one.kinds & {kind.value for kind in _PRODUCTS} for one in devices):
        return
    named = sum(bool(_NAMED_AFTER_PRODUCTS.search(name)) for one in devices for name in one.nodes)
    if named:
        after = (
            f"{named:,} nodes are named after some" if named > 1 else "1 node is named after one"
        )
        yield f"no matrix product is among the kernels, and {after}"
