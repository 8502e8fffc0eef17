"""The trace of a host, kept as it was read; out of a pickle it is read from its files again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tfprof.errors import WrongKind
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.later_columns import make
from tfprof.model.trace import Trace
from tfprof.model.xspace import counted_from
from tfprof.sources.files.file_ref import FileRef
from tfprof.sources.files.registry import FilePiece, Format
from tfprof.wire.fields import Progress


@frozen_dataclass
class TraceFile:
    """One file of a trace: what it was, in which format it is read, and as which run.

    `host` is what its host is called here, `origin_ns` the instant that all hosts count from, where
    there are several.
    """

    file: FileRef
    format: Format | None
    step: int
    host: str = ""
    origin_ns: int | None = None

    def trace(self) -> Trace:
        return self.placed(self.piece().trace or Trace.joined([]))

    def piece(self, progress: Progress | None = None) -> FilePiece:
        self.file.check()
        read = self.format.read if self.format is not None else None
        found = read(self.file.path, self.step, progress) if read is not None else None
        if found is None or found.trace is None:
            raise WrongKind("there is no trace in this file any more", where=str(self.file.path))
        return found

    def placed(self, trace: Trace) -> Trace:
        """Among the other hosts: under its name, and on the clock of all."""
        trace = of_host(trace, self.host) if self.host else trace
        if trace.space is None or self.origin_ns is None:
            return trace
        placed = counted_from(trace.space, self.origin_ns)
        if placed is not trace.space:
            # when each op began is told by the times of its own clock, which are not kept for it
            make(trace.executions, "start")
        return replace(trace, space=placed)


def of_host(trace: Trace, name: str) -> Trace:
    """The capture of one host under another name: two processes of a machine are two hosts."""
    space = trace.space
    if space is None or len(space.hosts) != 1 or space.hosts[0] == name:
        return trace
    known = [*space.environments.values()]
    before, after = f"/host:{space.hosts[0]}/", f"/host:{name}/"
    device = trace.executions.device
    table = [after + one.removeprefix(before) if one.startswith(before) else one
             for one in device.table]  # fmt: skip
    return replace(
        trace,
        executions=replace(trace.executions, device=replace(device, table=table)),
        space=replace(
            space,
            planes=tuple(replace(plane, host=name) for plane in space.planes),
            environments={name: known[0]} if known else {},
        ),
    )


def joined_runs(traces: Sequence[Trace]) -> Trace:
    """The runs of several files, older ones first, as one trace.

    A step that was run again in a later session is that of the later one: two runs are never one
    because they have the same number.
    """
    parts, seen = [], set[int]()
    for trace in reversed(traces):
        parts.append(trace.without_steps(seen) if trace.space is None else trace)
        seen |= set(trace.steps)
    return Trace.joined(parts[::-1])


def run_again(traces: Sequence[Trace]) -> list[int]:
    """How many steps of each a later one has, too."""
    found, seen = [], set[int]()
    for trace in reversed(traces):
        found.append(len(seen & set(trace.steps)))
        seen |= set(trace.steps)
    return found[::-1]


class FilesTrace:
    """Several files are the steps of one trace."""

    def __init__(self, files: tuple[TraceFile, ...], trace: Trace | None = None) -> None:
        self.files = files
        self._trace = trace

    def __call__(self) -> Trace:
        if self._trace is None:
            self._trace = joined_runs([one.trace() for one in self.files])
        return self._trace

    def __reduce__(self) -> tuple[type[FilesTrace], tuple[tuple[TraceFile, ...]]]:
        return FilesTrace, (self.files,)
