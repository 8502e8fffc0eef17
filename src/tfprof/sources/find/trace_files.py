"""The trace of a host, kept as it was read; out of a pickle it is read from its files again."""

from __future__ import annotations

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


class FilesTrace:
    """Several files are the steps of one trace."""

    def __init__(self, files: tuple[TraceFile, ...], trace: Trace | None = None) -> None:
        self.files = files
        self._trace = trace

    def __call__(self) -> Trace:
        if self._trace is None:
            self._trace = Trace.joined([one.trace() for one in self.files])
        return self._trace

    def __reduce__(self) -> tuple[type[FilesTrace], tuple[tuple[TraceFile, ...]]]:
        return FilesTrace, (self.files,)
