"""XProf's kinds of input work: reading files, and what is done with what was read."""

from __future__ import annotations

from tfprof.analyses.input_events.event_names import SEPARATOR
from tfprof.analyses.input_events.iterators import leaf
from tfprof.results.input import InputWork

_FILES = (
    "TFRecord", "TextLine", "FixedLengthRecord", "SSTable", "RecordIO", "ArrayRecord",
)  # fmt: skip
_AHEAD = ("MemoryReader", "MemoryWriter", "Interleave", "Prefetch", "ParallelMap")


def work_of(path: str) -> InputWork:
    """Reading is in advance where a stage above works ahead of what it is asked for."""
    if not reads_files(path):
        return InputWork.PREPROCESSING
    above = path.rpartition(SEPARATOR)[0]
    return (
        InputWork.ADVANCED_READ
        if any(word in above for word in _AHEAD)
        else InputWork.DEMANDED_READ
    )


def reads_files(path: str) -> bool:
    return leaf(path).startswith(_FILES)
