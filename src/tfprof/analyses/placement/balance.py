"""Whether parameter servers hold alike: the fullest one is the one that everybody waits for."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from tfprof.analyses.variables import Variable
from tfprof.model.device_specs import DeviceSpec

_SERVER = re.compile(r"ps.*")


@dataclass(frozen=True, slots=True)
class Held:
    """What one task holds; None where the size of a variable is not known."""

    variables: int
    params: int | None
    bytes: int | None


@dataclass(frozen=True, slots=True)
class Balance:
    """`ratio` is the bytes of the fullest task over the mean; `largest` its largest variable."""

    tasks: dict[str, Held]
    ratio: float | None
    fullest: str | None
    largest: Variable | None


def balance(placed: Iterable[tuple[Variable, DeviceSpec]], known: Iterable[DeviceSpec]) -> Balance:
    """`known` are all devices there are: a server may hold nothing."""
    tasks: dict[str, list[Variable]] = {_task(spec): [] for spec in known if _serves(spec)}
    for variable, spec in placed:
        if _serves(spec):
            tasks.setdefault(_task(spec), []).append(variable)
    held = {name: _held(tasks[name]) for name in sorted(tasks)}
    sizes = {name: one.bytes for name, one in held.items() if one.bytes is not None}
    if len(sizes) < len(held) or len(held) < 2 or not sum(sizes.values()):
        return Balance(held, None, None, None)
    fullest = max(sizes, key=sizes.__getitem__)
    ratio = sizes[fullest] * len(sizes) / sum(sizes.values())
    return Balance(held, ratio, fullest, max(tasks[fullest], key=lambda one: one.bytes or 0))


def _serves(spec: DeviceSpec) -> bool:
    return spec.job is not None and _SERVER.fullmatch(spec.job) is not None


def _task(spec: DeviceSpec) -> str:
    return str(replace(spec, host=None, replica=None, type=None, index=None))


def _held(variables: list[Variable]) -> Held:
    params = [one.elements for one in variables]
    sizes = [one.bytes for one in variables]
    return Held(
        len(variables),
        None if None in params else sum(count or 0 for count in params),
        None if None in sizes else int(sum(size or 0 for size in sizes)),
    )
