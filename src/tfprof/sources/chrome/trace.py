"""Chrome's trace format: what TensorFlow 1's Timeline, XProf, JAX, PyTorch and tfprof write.

A process becomes a plane, a thread a line. Slices are kept with their arguments; counters and
flows are not, and neither is what is asynchronous, which has no line.
"""

from __future__ import annotations

import json
import re
from array import array
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeGuard

import numpy as np
import numpy.typing as npt

from tfprof.errors import WrongKind
from tfprof.model.interned import Interned
from tfprof.model.made_planes import MadeEvents, made_plane
from tfprof.model.op_names import op_name
from tfprof.model.trace import Trace
from tfprof.model.units import NS_A_MICROSECOND, PS_A_MICROSECOND, PS_A_NANOSECOND
from tfprof.model.xspace import Environment, Plane, Space
from tfprof.model.xstats import StatValue
from tfprof.sources.chrome import pytorch
from tfprof.sources.chrome.json_stream import CutOff, JsonStream
from tfprof.sources.chrome.slices import (
    LONGEST,
    Codes,
    Event,
    Ints,
    Key,
    SliceColumns,
    plain_slices,
)
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.xplane.limits import said_of_viewed
from tfprof.sources.xplane.ops import executions
from tfprof.wire.fields import Progress
from tfprof.wire.json_values import Json, Object, as_object

_EVENTS, _ABOUT, _ORIGIN = "traceEvents", "otherData", "origin_ns"
_GZIP = b"\x1f\x8b"
_GZIP_FRAME = 31
_SUFFIXES = (".trace.json", ".trace.json.gz")
_LIKELY = 0.6
_EVENT = re.compile(rb'\[\s*\{[^{}]*"(ph|ts|pid)"\s*:')
_INTEGER = re.compile(r"-?(0|[1-9]\d{0,18})")
_COMPLETE, _BEGIN, _END, _METADATA = "X", "B", "E", "M"
_INSTANTS = frozenset("iIR")
# what makes rows, or names processes, in the order of the file
_IN_ORDER = (*_INSTANTS, _BEGIN, _END, _METADATA)
_ASYNCHRONOUS = frozenset("bneSTF")
# what tfprof writes to say again what the name says
_OF_NAME = frozenset(("node", "op"))
_COMPUTE = " Compute"
# with fewer events at hand, columns do not pay
_MANY = 64

Place = tuple[Key, Key]


def read(path: Path, _: int, progress: Progress | None) -> FilePiece:
    stream = JsonStream(path, progress)
    found = _Collected()
    warnings: list[str] = []
    try:
        for events in _events(stream, found.about):
            of_pytorch = not pytorch.KEYS.isdisjoint(found.about)
            found.add_all(pytorch.as_capture(events) if of_pytorch else events)
    except CutOff:
        warnings.append(f"{path} ends early; what comes before was read")
    if not found.count:
        raise WrongKind(
            "a trace without events that take time",
            where=str(path),
            hint="Its writer may have died first; write it again.",
        )
    space = found.space()
    rows, threads = executions(space)
    warnings += [f"{path}: {text}" for text in found.left_out()]
    warnings += said_of_viewed(space, path)
    if not pytorch.KEYS.isdisjoint(found.about):
        warnings.append(f"{path}: {pytorch.WARNING}")
    elif not len(rows):
        warnings.append(f"{path} has no TensorFlow ops among its events")
    steps = tuple(sorted(set(rows.step[rows.step >= 0].tolist())))
    return FilePiece(trace=Trace(rows, steps, threads=threads, space=space), warnings=warnings)


def _events(stream: JsonStream, about: Object) -> Iterator[list[Event]]:
    """The events of either layout, as many at a time as there are.

    A trace is a list, or an object that has the list and more.
    """
    if stream.take("["):
        yield from _entries(stream)
        return
    if not stream.take("{"):
        raise stream.damaged("this is no JSON object or list")
    while not stream.take("}"):
        stream.take(",")
        key = stream.value()
        if not stream.take(":"):
            if stream.peek():
                raise stream.damaged("a colon is missing")
            raise CutOff
        if key == _EVENTS and stream.take("["):
            yield from _entries(stream)
        else:
            value = stream.value()
            if key == _ABOUT and isinstance(value, dict):
                about.update(value)
            elif isinstance(key, str) and key in pytorch.KEYS:
                about[key] = value


def _entries(stream: JsonStream) -> Iterator[list[Event]]:
    while not stream.take("]"):
        stream.take(",")
        if stream.peek() == "]":
            continue  # some writers leave a comma behind the last event
        values = stream.whole_objects() or [stream.value()]
        yield [value for value in values if isinstance(value, dict)]


@dataclass
class _Process:
    """The slices of one process so far, a row each."""

    name: str = ""
    host: str = ""
    lines: Codes[Key] = field(default_factory=Codes)
    titles: dict[Key, str] = field(default_factory=dict)
    line: array[int] = field(default_factory=lambda: array("q"))
    slice_name: array[int] = field(default_factory=lambda: array("i"))
    start: array[int] = field(default_factory=lambda: array("q"))
    duration: array[int] = field(default_factory=lambda: array("q"))
    stats: dict[str, tuple[array[int], list[StatValue]]] = field(default_factory=dict)

    def add(self, slices: SliceColumns, rows: list[int], names: Ints) -> None:
        """These rows of the slices."""
        first = len(self.line)
        threads = [slices.thread[row] for row in rows]
        self.line.frombytes(self.lines.of(threads).tobytes())
        self.slice_name.frombytes(names[rows].astype(np.int32).tobytes())
        self.start.frombytes(slices.start[rows].tobytes())
        self.duration.frombytes(slices.duration[rows].tobytes())
        for place, row in enumerate(rows, first):
            args = slices.arguments[row]
            if args:
                self.add_stats(place, slices.name[row], args)

    def add_stats(self, row: int, name: str, args: Object) -> None:
        says = _OF_NAME if op_name(name) is not None else ()
        for key, value in args.items():
            if key in says:
                continue
            rows, values = self.stats.setdefault(key, (array("q"), []))
            rows.append(row)
            values.append(_stat(value))

    def plane(self, pid: object, names: list[str], first: int) -> Plane:
        titles = [self.titles.get(tid) or f"thread {tid}" for tid in self.lines]
        return made_plane(
            self.host,
            self.name or f"process {pid}",
            titles,
            MadeEvents(
                np.array(self.line, np.int64),
                _used(np.array(self.slice_name, np.int32), names),
                np.array(self.start, np.int64) - first,
                np.array(self.duration, np.int64),
                self.stats,
            ),
        )


def _used(codes: npt.NDArray[np.int32], names: list[str]) -> Interned:
    """A column over the few names that it has."""
    known, place = np.unique(codes, return_inverse=True)
    return Interned(place.astype(np.int32), [names[code] for code in known.tolist()])


class _Collected:
    """Events as they come; times count from the first one, so that 64 bits hold them."""

    def __init__(self) -> None:
        self.about: Object = {}
        self.count = 0
        self._base: int | None = None
        self._processes: dict[Key, _Process] = {}
        self._names: Codes[str] = Codes()
        self._open: dict[Place, list[tuple[int, Event]]] = {}
        self._left_out: Counter[str] = Counter()

    def add_all(self, events: list[Event]) -> None:
        """Plain slices at once; one by one what is odd, or has its place among the slices."""
        complete, others = events, []
        if any(event.get("ph") != _COMPLETE for event in events):
            complete = [event for event in events if event.get("ph") == _COMPLETE]
            others = [event for event in events if event.get("ph") != _COMPLETE]
        slices = None
        if len(complete) >= _MANY and not any(event.get("ph") in _IN_ORDER for event in others):
            slices = plain_slices(complete, self._base_of(complete[0].get("ts")))
        if slices is None:
            for event in events:
                self._add(event)
            return
        self._many(slices)
        for event in others:
            self._add(event)

    def _many(self, slices: SliceColumns) -> None:
        named = [
            _name(name, args) if args and ("name" in args or "long_name" in args) else name
            for name, args in zip(slices.name, slices.arguments, strict=True)
        ]
        slices = replace(slices, name=named)
        names = self._names.of(named)
        for pid, rows in slices.by_process():
            self._process(pid).add(slices, rows, names)
        self.count += len(named)

    def _process(self, pid: Key) -> _Process:
        return self._processes.get(pid) or self._processes.setdefault(pid, _Process())

    def _add(self, event: Event) -> None:
        phase = event.get("ph")
        if phase == _COMPLETE or (isinstance(phase, str) and phase in _INSTANTS):
            start = self._time(event.get("ts"))
            duration = event.get("dur", 0) if phase == _COMPLETE else 0
            if start is None or not _is_number(duration):
                self._left_out["have no time"] += 1
            else:
                self._slice(event, start, min(LONGEST, max(0, round(duration * PS_A_MICROSECOND))))
        elif phase in (_BEGIN, _END):
            self._half(event, phase)
        elif phase == _METADATA:
            self._metadata(event)
        elif isinstance(phase, str) and phase in _ASYNCHRONOUS:
            self._left_out["are asynchronous"] += 1

    def _half(self, event: Event, phase: str) -> None:
        time = self._time(event.get("ts"))
        place = _place(event)
        if time is None:
            self._left_out["have no time"] += 1
        elif phase == _BEGIN:
            self._open.setdefault(place, []).append((time, event))
        elif self._open.get(place):
            start, begun = self._open[place].pop()
            both = {**as_object(begun.get("args")), **as_object(event.get("args"))}
            self._slice({**begun, "args": both}, start, max(0, time - start))
        else:
            self._left_out["end without a beginning"] += 1

    def _time(self, value: Json) -> int | None:
        if not _is_number(value):
            return None
        time = round((value - self._base_of(value)) * PS_A_MICROSECOND)
        return time if abs(time) < LONGEST else None

    def _base_of(self, value: Json) -> int:
        """What times count from: the first of them."""
        if self._base is None and _is_number(value):
            self._base = int(value)
        return self._base or 0

    def _slice(self, event: Event, start: int, duration: int) -> None:
        args = event.get("args")
        if not isinstance(args, dict):
            args = {}
        pid, tid = _place(event)
        mine = self._process(pid)
        name = _name(event.get("name"), args)
        row = len(mine.line)
        mine.line.append(mine.lines[tid])
        mine.slice_name.append(self._names[name])
        mine.start.append(start)
        mine.duration.append(duration)
        self.count += 1
        mine.add_stats(row, name, args)

    def _metadata(self, event: Event) -> None:
        args = event.get("args")
        if not isinstance(args, dict) or not isinstance(args.get("name"), str):
            return
        pid, tid = _place(event)
        mine = self._process(pid)
        if event.get("name") == "process_name":
            mine.name = str(args.get("plane") or args["name"]).removesuffix(_COMPUTE)
            mine.host = str(args.get("host") or "")
        elif event.get("name") == "thread_name":
            mine.titles[tid] = str(args.get("line") or args["name"])

    def left_out(self) -> list[str]:
        open_ = sum(len(events) for events in self._open.values())
        if open_:
            self._left_out["begin without an end"] += open_
        return [f"{count:,} events {why}; left out" for why, count in self._left_out.items()]

    def space(self) -> Space:
        names = list(self._names)
        starts = [min(p.start) for p in self._processes.values() if p.start]
        first = min(starts, default=0)
        planes = [p.plane(pid, names, first) for pid, p in self._processes.items() if p.start]
        told = self.about.get(_ORIGIN)
        origin = (
            told
            if isinstance(told, int)
            else (self._base or 0) * NS_A_MICROSECOND + first // PS_A_NANOSECOND
        )
        environments = {plane.host: Environment() for plane in planes}
        return Space(tuple(planes), max(0, origin), environments)


def _place(event: Event) -> Place:
    """Process and thread, which are numbers or words; anything else is as good as none."""
    pid, tid = event.get("pid", 0), event.get("tid", 0)
    if not isinstance(pid, int | str):
        pid = 0
    return pid, tid if isinstance(tid, int | str) else 0


def _is_number(value: Json) -> TypeGuard[int | float]:
    if isinstance(value, bool):  # an int, but no number
        return False
    return isinstance(value, int | float) and -1e300 < value < 1e300


def _name(said: Json, args: Object | None) -> str:
    """As a capture has it: `node:Op`, which XProf and TensorFlow 1 put into the arguments."""
    name: str = said if isinstance(said, str) else str(said or "")
    if not args:
        return name
    long_name = args.get("long_name")
    if isinstance(long_name, str) and long_name:
        return long_name
    node = args.get("name")
    if args.get("op") == name and isinstance(node, str):
        return node if op_name(node) is not None else f"{node}:{name}"
    return name


def _stat(value: Json) -> StatValue:
    if isinstance(value, bool) or (isinstance(value, str) and _INTEGER.fullmatch(value)):
        return int(value)  # XProf writes all numbers as strings
    return value if isinstance(value, int | float | str) else json.dumps(value)
