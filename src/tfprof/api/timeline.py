"""A timeline in Python: an answer that can also be written for a trace viewer."""

from __future__ import annotations

import os
from pathlib import Path

from tfprof.api.answer import Answer
from tfprof.commands.timeline import TRACE_SUFFIXES, trace_chunks
from tfprof.commands.writing import target_of, write_chunks
from tfprof.errors import UsageError
from tfprof.model.profile import ProfileData
from tfprof.reports.timeline import Query, ask


class TimelineAnswer(Answer):
    """Lanes and the critical path of a step; `write` has all events of what was asked for."""

    def __init__(self, data: ProfileData, query: Query) -> None:
        super().__init__(ask(data, query))
        self._data, self._query = data, query

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """A file for Perfetto or chrome://tracing, `.trace.json` or `.trace.json.gz`."""
        target = target_of(path)
        if not target.name.lower().endswith(TRACE_SUFFIXES):
            raise UsageError(
                f"the suffix of {str(target)!r} names no trace",
                hint=f"Use {' or '.join(TRACE_SUFFIXES)}.",
            )
        chunks = trace_chunks(self._data, self._query, target)
        write_chunks(target, chunks, force=force, inputs=self._data.files_read)
        return target
