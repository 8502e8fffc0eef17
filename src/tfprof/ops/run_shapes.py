"""The shapes that a run met, by the names of the graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

import numpy as np

from tfprof.late_pattern import late_pattern
from tfprof.model.dims import Open
from tfprof.model.dims import Shape as SymbolicShape
from tfprof.model.graph import Shape, as_shape
from tfprof.model.trace import Trace

# a fed tensor runs under a name of its own: node, output, and in a local session its number
_FED = late_pattern(r"_arg_(?P<node>.+)_(?P<port>\d+)_\d+|_recv_(?P<sent>.+)_(?P<sent_port>\d+)")


class RunShapes:
    """The shapes a run met: those of the first execution of a node that has outputs."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._met: dict[str, dict[int, Shape | None]] = {}

    def of(self, node: str, port: int) -> Shape | None:
        shape = self._outputs(node).get(port)
        fed = self._fed.get((node, port))
        return self._outputs(fed).get(0) if shape is None and fed is not None else shape

    def _outputs(self, name: str) -> dict[int, Shape | None]:
        if name not in self._met:
            records = (self._output_shapes(row) for row in self._rows.get(name, ()))
            self._met[name] = next((shapes for shapes in records if shapes), {})
        return self._met[name]

    def _output_shapes(self, row: int) -> dict[int, Shape | None]:
        record = None if self._trace.record is None else self._trace.record(row)
        if record is None:
            return {}
        return {
            output.slot: as_shape(output.tensor_description.shape)
            for output in record.output
            if output.tensor_description.HasField("shape")
        }

    @cached_property
    def _rows(self) -> dict[str, list[int]]:
        """The executions of each node, first step first."""
        executions = self._trace.executions
        # a device may add what it did behind a colon
        names = [name.partition(":")[0] for name in executions.node.table]
        order = np.argsort(executions.step, kind="stable")
        found: defaultdict[str, list[int]] = defaultdict(list)
        for row, code in zip(order.tolist(), executions.node.codes[order].tolist(), strict=True):
            found[names[code]].append(row)
        return found

    @cached_property
    def _fed(self) -> dict[tuple[str, int], str]:
        """The name that each fed tensor ran under."""
        matches = ((name, _FED.fullmatch(name)) for name in self._rows)
        return {
            (match["node"] or match["sent"], int(match["port"] or match["sent_port"])): name
            for name, match in matches
            if match
        }


def completed(stated: Open, met: Open) -> Open:
    """`stated` with its unknown dimensions from `met`, unless the two contradict each other."""
    if stated is None or met is None:
        return met if stated is None else stated
    for reading in _readings(met):
        pairs = list(zip(stated, reading, strict=False))
        if len(reading) == len(stated) and all(a == b or None in (a, b) for a, b in pairs):
            return tuple(b if a is None else a for a, b in pairs)
    return stated


def _readings(met: SymbolicShape) -> Iterator[SymbolicShape]:
    """The shape, and with channels moved: a run may use the other layout than the graph states."""
    yield met
    if len(met) in (4, 5):
        batch, *inner = met
        yield batch, *inner[1:], inner[0]
        yield batch, inner[-1], *inner[:-1]
