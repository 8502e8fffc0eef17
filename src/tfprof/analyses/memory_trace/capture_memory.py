"""Memory of a TensorFlow 2 capture: the events of its allocators, with what each had in use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tfprof.analyses.memory_trace.blocks import by_address
from tfprof.analyses.memory_trace.usage import SCRATCH, StepSpan, Usage
from tfprof.analyses.steps.detect import find_steps
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.model.graph import Shape
from tfprof.model.interned import Interned
from tfprof.model.quantity import Quantity
from tfprof.model.units import PS_A_NANOSECOND
from tfprof.model.xspace import Plane, Space
from tfprof.results.memory_trace import AllocatorState, Block
from tfprof.wire import dtypes

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_TAKEN, _GIVEN_BACK = "MemoryAllocation", "MemoryDeallocation"
_ALLOCATOR = "allocator_name"
_IN_USE, _RESERVED, _BYTES = "bytes_allocated", "bytes_reserved", "allocation_bytes"
_AVAILABLE, _LIFETIME, _FRAGMENTATION = "bytes_available", "peak_bytes_in_use", "fragmentation"
_ADDRESS, _OP, _REGION, _TYPE, _SHAPE = "addr", "tf_op", "region_type", "data_type", "shape"
# the allocators of devices; all others hand out memory of the host
_OF_GPU = late_pattern(r"GPU_(\d+)_bfc|gpu_async_(\d+)")
# the runtime of a TPU says which of its devices, and no allocator
_INDEX, _TPU = "index_on_host", "/device:TPU:"
# as TensorFlow writes it, and as XLA does, with the type in front and the layout behind
_A_SHAPE = late_pattern(r"([a-z]\w*)?\[((?:\d+(?:,\d+)*)?)\](\{.*\})?")
_XLA_TYPES = {
    "f32": "float32", "f16": "float16", "bf16": "bfloat16", "f64": "float64", "pred": "bool",
    "s8": "int8", "s16": "int16", "s32": "int32", "s64": "int64",
    "u8": "uint8", "u16": "uint16", "u32": "uint32", "u64": "uint64",
}  # fmt: skip
_KINDS = {"temp": SCRATCH}
_NOT_SAID = "the allocator does not say it with its events"


def space_usages(space: Space) -> Iterator[Usage]:
    """Each device of each host that tells of its memory."""
    for plane in space.host_threads:
        host = f"/host:{plane.host}" if plane.host else ""
        for device, rows in _by_device(plane):
            yield _Events(plane, rows).usage(f"{host}{device}", _steps(space, plane.host))


def _by_device(plane: Plane) -> Iterator[tuple[str, Ints]]:
    """The memory events of each device, by time."""
    rows = plane.named(_TAKEN, _GIVEN_BACK)
    if not len(rows):
        return
    rows = rows[np.argsort(plane.events.start_ps[rows], kind="stable")]
    names = _texts(plane, _ALLOCATOR, rows)
    index = plane.stat(_INDEX).over_all(-1)[rows]
    kinds, kind = np.unique(np.stack([names.codes, index]), axis=1, return_inverse=True)
    devices = Interned.of([_device_of(names.table[code], at) for code, at in kinds.T.tolist()])
    device = devices.codes[kind.reshape(-1)]
    for code, name in enumerate(devices.table):
        yield name, rows[device == code]


def _device_of(allocator: str, index: int) -> str:
    match = _OF_GPU.fullmatch(allocator)
    if match:
        return f"/device:GPU:{match[1] or match[2]}"
    return "/device:CPU:0" if allocator or index < 0 else f"{_TPU}{index}"


def _steps(space: Space, host: str) -> list[StepSpan]:
    return [
        StepSpan(step.number, step.begin // PS_A_NANOSECOND, step.end // PS_A_NANOSECOND)
        for step in find_steps(space, host).windows
    ]


@frozen_dataclass(slots=False)
class _Events:
    """The memory events of one device, by time."""

    plane: Plane
    rows: Ints
    # stats that were asked for
    _known: dict[str, tuple[Ints, Floats]] = field(default_factory=dict)
    _said: dict[str, Interned] = field(default_factory=dict)

    def usage(self, device: str, steps: Sequence[StepSpan]) -> Usage:
        size = np.abs(self._ints(_BYTES))
        taking = np.isin(self.rows, self.plane.named(_TAKEN))
        before, change = self._changes(np.where(taking, size, -size))
        blocks = by_address(self._place, taking & self._has(_ADDRESS), size)
        strangers = np.zeros(len(self.rows), bool)
        strangers[np.unique(self._place, return_index=True)[1]] = True
        return Usage(
            device,
            self.plane.events.start_ps[self.rows] // PS_A_NANOSECOND,
            change,
            self._allocator,
            before,
            blocks,
            np.where(strangers & ~taking, size, 0),
            lambda block: self._describe(int(blocks.taken[block]), int(blocks.bytes[block])),
            self._state,
            steps,
            self._reserved(),
        )

    def _changes(self, signed: Ints) -> tuple[dict[str, int] | None, Ints]:
        """What each allocator held before its first event, and by how much each event changed it.

        An allocator tells its level with every event: what happens between two events is no less
        true for not being recorded.
        """
        if not self._has(_IN_USE).all():
            return None, signed
        level = self._ints(_IN_USE) + self._ints(_RESERVED)
        before, change = {}, np.zeros(len(signed), np.int64)
        for code in self._allocator.used():
            mine = np.flatnonzero(self._allocator.codes == code)
            start = int(level[mine[0]] - signed[mine[0]])
            before[self._allocator.table[code]] = start
            change[mine] = np.diff(level[mine], prepend=start)
        return before, change

    def _reserved(self) -> Ints | None:
        """Of the one allocator there is; several tell theirs in turn, and no sum."""
        one = len(self._allocator.used()) == 1 and self._has(_IN_USE).all()
        return self._ints(_RESERVED) if one else None

    @cached_property
    def _allocator(self) -> Interned:
        return _texts(self.plane, _ALLOCATOR, self.rows)

    @cached_property
    def _place(self) -> Ints:
        """The address of each event, numbered through; another allocator's is another place."""
        address = np.unique(self._ints(_ADDRESS), return_inverse=True)[1]
        return address * len(self._allocator.table) + self._allocator.codes

    def _describe(self, event: int, size: int) -> Block:
        op, region = self._text(_OP, event), self._text(_REGION, event)
        kind = self._number(_TYPE, event)
        shape, dtype = _shape_and_type(self._text(_SHAPE, event))
        return Block(
            op or None,
            None,
            _KINDS.get(region, region) or None,
            size,
            shape,
            dtypes.name(int(kind)) if kind else dtype,
            self._allocator[event],
        )

    def _state(self, allocator: str, changes: int) -> AllocatorState:
        """As its last event says; before all events, as the first does."""
        mine = self._allocator.where(allocator)
        event = int(mine[max(0, int(np.searchsorted(mine, changes)) - 1)])
        available, lifetime = self._number(_AVAILABLE, event), self._number(_LIFETIME, event)
        return AllocatorState(
            _said(self._number(_FRAGMENTATION, event)),
            _said(None if available is None else int(available)),
            _said(None if lifetime is None else int(lifetime)),
        )

    def _ints(self, stat: str) -> Ints:
        return self.plane.stat(stat).over_all()[self.rows]

    def _has(self, stat: str) -> npt.NDArray[np.bool_]:
        return self.plane.stat(stat).present[self.rows]

    def _number(self, stat: str, event: int) -> float | None:
        """Of one event."""
        rows, values = self._numbers(stat)
        row = int(self.rows[event])
        place = int(np.searchsorted(rows, row))
        return float(values[place]) if place < len(rows) and rows[place] == row else None

    def _numbers(self, stat: str) -> tuple[Ints, Floats]:
        if stat not in self._known:
            column = self.plane.stat(stat)
            self._known[stat] = column.rows, column.floats()
        return self._known[stat]

    def _text(self, stat: str, event: int) -> str:
        """Of one event."""
        if stat not in self._said:
            self._said[stat] = _texts(self.plane, stat, self.rows)
        return self._said[stat][event]


def _said(value: float | None) -> Quantity:
    return Quantity.unknown(_NOT_SAID) if value is None else Quantity.measured(value)


def _texts(plane: Plane, stat: str, rows: Ints) -> Interned:
    """Of some events; empty where one has none."""
    column = plane.stat(stat)
    texts = column.texts()
    codes = np.full(column.count, len(texts.table), np.int32)
    codes[column.rows] = texts.codes
    return Interned(codes[rows], [*texts.table, ""])


def _shape_and_type(text: str) -> tuple[Shape | None, str | None]:
    """[16,62,62,3] or f32[16,62]{1,0:T(8,128)}; None for what is not said."""
    match = _A_SHAPE.fullmatch(text)
    if match is None:
        return None, None
    sizes = tuple(int(size) for size in match[2].split(",") if size)
    return sizes, _XLA_TYPES.get(match[1] or "", match[1])
