"""The trace of a host, kept as it was read; out of a pickle it is read from its files again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tfprof.errors import WrongKind
from tfprof.model.trace import Trace
from tfprof.sources.files.file_ref import FileRef
from tfprof.sources.files.registry import Format


@dataclass(frozen=True, slots=True)
class TraceFile:
    """One file of a trace: what it was, in which format it is read, and as which run."""

    file: FileRef
    format: Format | None
    step: int

    def trace(self) -> Trace:
        self.file.check()
        read = self.format.read if self.format is not None else None
        found = read(self.file.path, self.step, None).trace if read is not None else None
        if found is None:
            raise WrongKind("there is no trace in this file any more", where=str(self.file.path))
        return found


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
