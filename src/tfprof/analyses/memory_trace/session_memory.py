"""Memory of session runs: the records of their allocators, as OpenAI's mem_util sums them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tfprof.analyses.memory_trace.blocks import Blocks, by_size
from tfprof.analyses.memory_trace.usage import OUTPUT, SCRATCH, StepSpan, Usage
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.allocations import Allocations
from tfprof.model.graph import Shape
from tfprof.model.interned import Interned
from tfprof.model.trace import Trace
from tfprof.model.units import NS_A_MICROSECOND
from tfprof.results.memory_trace import AllocatorState, Block
from tfprof.wire import dtypes
from tfprof.wire.distinct import distinct
from tfprof.wire.schema import Proto

Ints = npt.NDArray[np.int64]

STEP_ALONE = "run metadata tells of the step alone"


def run_usages(trace: Trace) -> Iterator[Usage]:
    """Each device in each step alone: what a step leaves behind is given back unseen."""
    if trace.allocations is None:
        return
    records = trace.allocations()
    if not len(records):
        return
    rows = trace.executions
    device, step = rows.device.codes[records.execution], rows.step[records.execution]
    for number in distinct(step).tolist():
        start = _start(trace, number)
        for code in distinct(device[step == number]).tolist():
            mine = np.flatnonzero((step == number) & (device == code))
            # microseconds tie: the order of the file decides, as in mem_util
            mine = mine[np.argsort(records.micros[mine], kind="stable")]
            run = _Run(trace, records, mine)
            yield run.usage(rows.device.table[code], number, start)


def _start(trace: Trace, step: int) -> int:
    """When the first execution of a step began."""
    rows = trace.executions
    started = rows.start[(rows.step == step) & (rows.start > 0)]
    return int(started.min()) if len(started) else 0


@frozen_dataclass(slots=False)
class _Run:
    """The records of one device in one step, by time."""

    trace: Trace
    records: Allocations
    rows: Ints

    def usage(self, device: str, step: int, start: int) -> Usage:
        times = (self.records.micros[self.rows] - start) * NS_A_MICROSECOND
        span = StepSpan(step, int(times[0]), int(times[-1]) + 1)
        allocator = self.records.allocator
        return Usage(
            device,
            times,
            self.records.bytes[self.rows],
            Interned(allocator.codes[self.rows], allocator.table),
            None,
            self.blocks,
            np.zeros(len(self.rows), np.int64),
            self.describe,
            _nothing,
            (span,),
        )

    @cached_property
    def blocks(self) -> Blocks:
        owner = self.records.execution[self.rows] * len(self.records.allocator.table)
        owner += self.records.allocator.codes[self.rows]
        return by_size(owner, self.records.bytes[self.rows])

    @cached_property
    def execution(self) -> Ints:
        """Of each block."""
        return self.records.execution[self.rows[self.blocks.taken]]

    @cached_property
    def _by_execution(self) -> tuple[Ints, Ints]:
        """The blocks, those of an execution together, and their executions."""
        order = np.argsort(self.execution, kind="stable")
        return order, self.execution[order]

    def describe(self, block: int) -> Block:
        execution = int(self.execution[block])
        kind, output = self.uses_of(execution)[block]
        shape, dtype = _tensor(output)
        return Block(
            # the runtime may add what it does to the name
            self.trace.executions.node[execution].partition(":")[0],
            None,
            kind,
            int(self.blocks.bytes[block]),
            shape,
            dtype,
            self.records.allocator[int(self.rows[self.blocks.taken[block]])],
        )

    def uses_of(self, execution: int) -> dict[int, tuple[str, Proto]]:
        """What each block of an execution is for, and the output that lies in it.

        Scratch is given back before the op ends, an output when its last reader is done. Where the
        clock is too coarse to tell, a block of the size of an output is one.
        """
        order, ordered = self._by_execution
        first, last = np.searchsorted(ordered, [execution, execution + 1]).tolist()
        blocks = order[first:last].tolist()
        rows = self.trace.executions
        end = int(rows.start[execution] + rows.op_end_rel[execution])
        outputs = _outputs(self.trace, execution)
        found: dict[int, tuple[str, Proto]] = {}
        # those that are kept longest choose first
        for block in sorted(blocks, key=lambda one: -int(self.blocks.given_back[one])):
            given_back = self._given_back(block)
            output = None
            if given_back is None or given_back >= end:
                output = _take(outputs, int(self.blocks.bytes[block]))
            is_scratch = given_back is not None and given_back <= end and output is None
            found[block] = (SCRATCH if is_scratch else OUTPUT, output)
        return found

    def _given_back(self, block: int) -> int | None:
        change = int(self.blocks.given_back[block])
        return int(self.records.micros[self.rows[change]]) if change < len(self.rows) else None


def _outputs(trace: Trace, execution: int) -> list[Proto]:
    record = trace.record(execution) if trace.record is not None else None
    return [] if record is None else [it.tensor_description for it in record.output]


def _take(outputs: list[Proto], size: int) -> Proto:
    """The first output of this size, which is then no longer there."""
    for place, output in enumerate(outputs):
        held = output.allocation_description
        if size in (held.allocated_bytes, held.requested_bytes):
            return outputs.pop(place)
    return None


def _tensor(output: Proto) -> tuple[Shape | None, str | None]:
    if output is None:
        return None, None
    return tuple(dim.size for dim in output.shape.dim), dtypes.name(output.dtype)


def _nothing(_allocator: str, _changes: int) -> AllocatorState:
    return AllocatorState.unknown(STEP_ALONE)
