"""A timeline in Python: an answer that can also be written for a trace viewer."""

from __future__ import annotations

import os
from pathlib import Path

from tfprof.answers.timeline import chrome_pieces, timeline
from tfprof.answers.timeline_asked import TimelineQuestion
from tfprof.api.old_answer import OldAnswer as Answer
from tfprof.api.writing import write_chunks
from tfprof.errors import OutputExists, UsageError
from tfprof.model.profile import ProfileData
from tfprof.renderers.chrome_trace import gzipped, render

TRACE_SUFFIXES = (".trace.json", ".trace.json.gz")


class TimelineAnswer(Answer):
    """Lanes and the critical path of a step; `write` has all events of what was asked for."""

    def __init__(self, data: ProfileData, question: TimelineQuestion) -> None:
        super().__init__(timeline(data, question))
        self._data, self._question = data, question

    def write(self, path: str | os.PathLike[str], *, force: bool = False) -> Path:
        """A file for Perfetto or chrome://tracing, `.trace.json` or `.trace.json.gz`."""
        target = Path(path)
        if not target.name.lower().endswith(TRACE_SUFFIXES):
            raise UsageError(
                f"the suffix of {target.name!r} names no trace",
                hint=f"Use {' or '.join(TRACE_SUFFIXES)}.",
            )
        write_trace(self._data, self._question, target, force=force)
        return target


def write_trace(
    data: ProfileData, question: TimelineQuestion, target: Path, *, force: bool
) -> None:
    """Events are written as they are made: a trace of millions is never held whole."""
    chunks = render(*chrome_pieces(data, question))
    packed = target.name.lower().endswith(".gz")
    write_chunks(target, gzipped(chunks) if packed else chunks, force=force)


def refuse_existing(target: Path, *, force: bool) -> None:
    """Before a large capture is read, not after."""
    if target.is_file() and not force:
        raise OutputExists("the file exists", where=str(target), hint="Use --force to replace it.")
