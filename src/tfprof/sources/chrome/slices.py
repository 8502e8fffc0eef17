"""The slices of a Chrome trace, many at a time: plain ones in columns, without a look at each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.units import PS_A_MICROSECOND
from tfprof.wire.json_values import Json, Object

Event = Object
# processes and threads are numbers or words
Key = int | str
_K = TypeVar("_K", bound=Key)
Ints = npt.NDArray[np.int64]

# picoseconds of a microsecond, and the most that 64 bits hold of them
LONGEST = 2**62

_NAMES: frozenset[type] = frozenset((str,))
_TIMES: frozenset[type] = frozenset((int, float))
_PLACES: frozenset[type] = frozenset((int, str))
_ARGUMENTS: frozenset[type] = frozenset((dict, type(None)))


class Codes(dict[_K, int]):
    """Numbers for keys, in the order in which they are first asked for."""

    def __missing__(self, key: _K) -> int:
        self[key] = code = len(self)
        return code

    def of(self, keys: Sequence[_K]) -> Ints:
        return np.fromiter(map(self.__getitem__, keys), np.int64, len(keys))


@frozen_dataclass
class SliceColumns:
    """A row a slice; `arguments` are None where it has none."""

    process: list[Key]
    thread: list[Key]
    name: list[str]
    start: Ints
    duration: Ints
    arguments: list[Object | None]

    def by_process(self) -> Iterator[tuple[Key, list[int]]]:
        known: Codes[Key] = Codes()
        codes = known.of(self.process)
        for process, code in known.items():
            yield process, np.flatnonzero(codes == code).tolist()


def plain_slices(events: list[Event], base: int) -> SliceColumns | None:
    """Complete events as columns, in picoseconds after `base`; None if one of them is odd."""
    try:
        starts = [event["ts"] for event in events]
        names = [event["name"] for event in events]
    except KeyError:
        return None
    durations = [event.get("dur", 0) for event in events]
    processes = [event.get("pid", 0) for event in events]
    threads = [event.get("tid", 0) for event in events]
    arguments = [event.get("args") for event in events]
    if not (
        _are(names, _NAMES)
        and _are(processes, _PLACES)
        and _are(threads, _PLACES)
        and _are(arguments, _ARGUMENTS)
    ):
        return None
    start, duration = _picoseconds(starts, base), _picoseconds(durations, 0)
    if start is None or duration is None:
        return None
    # of the types that were looked for
    return SliceColumns(
        cast("list[Key]", processes),
        cast("list[Key]", threads),
        cast("list[str]", names),
        start,
        np.maximum(duration, 0),
        cast("list[Object | None]", arguments),
    )


def _are(values: list[Json], kinds: frozenset[type]) -> bool:
    return kinds.issuperset(map(type, values))


def _picoseconds(given: list[Json], base: int) -> Ints | None:
    """Microseconds after `base`, rounded as Python does it; None if there is something else."""
    if not _are(given, _TIMES):
        return None
    values = cast("list[float]", given)
    try:
        near = (np.array(values, np.float64) - base) * PS_A_MICROSECOND
    except OverflowError:
        return None
    if not (np.abs(near) < LONGEST).all():
        return None
    if int in map(type, values):  # whole numbers are exact, however large
        return np.array([round((value - base) * PS_A_MICROSECOND) for value in values], np.int64)
    return np.rint(near).astype(np.int64)
