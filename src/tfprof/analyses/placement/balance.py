"""Whether parameter servers hold alike: the fullest one is the one that everybody waits for."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from tfprof.analyses.graph.variables import Variable
from tfprof.model.device import DeviceSpec
from tfprof.model.quantity import Quantity
from tfprof.results.placement import Held, ParameterServers

_SERVER = re.compile(r"ps.*")
_NO_SHAPE = "the shapes of some variables are not in the graph"


def balance(
    placed: Iterable[tuple[Variable, DeviceSpec]], known: Iterable[DeviceSpec]
) -> ParameterServers | None:
    """`known` are all devices there are: a server may hold nothing. None without servers."""
    tasks: dict[str, list[Variable]] = {_task(spec): [] for spec in known if _serves(spec)}
    for variable, spec in placed:
        if _serves(spec):
            tasks.setdefault(_task(spec), []).append(variable)
    held = {name: _held(tasks[name]) for name in sorted(tasks)}
    if not held:
        return None
    known_sizes = ((name, one.bytes.number) for name, one in held.items())
    sizes = {name: size for name, size in known_sizes if size is not None}
    if len(sizes) < len(held) or len(held) < 2 or not sum(sizes.values()):
        return ParameterServers(held, None, None, None, None)
    fullest = max(sizes, key=sizes.__getitem__)
    ratio = sizes[fullest] * len(sizes) / sum(sizes.values())
    largest = max(tasks[fullest], key=lambda one: one.bytes or 0)
    return ParameterServers(held, ratio, fullest, largest.name, largest.bytes)


def _serves(spec: DeviceSpec) -> bool:
    return spec.job is not None and _SERVER.fullmatch(spec.job) is not None


def _task(spec: DeviceSpec) -> str:
    return str(replace(spec, host=None, replica=None, type=None, index=None))


def _held(variables: list[Variable]) -> Held:
    return Held(len(variables), *sizes_of(variables))


def sizes_of(variables: Sequence[Variable]) -> tuple[Quantity, Quantity]:
    """Parameters and bytes of all of them."""
    return _sum([one.elements for one in variables]), _sum([one.bytes for one in variables])


def _sum(sizes: Sequence[float | None]) -> Quantity:
    known = [size for size in sizes if size is not None]
    return (
        Quantity.unknown(_NO_SHAPE)
        if len(known) < len(sizes)
        else Quantity.derived(int(sum(known)))
    )
