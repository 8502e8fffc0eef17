"""The formats tfprof knows, each registered by a file of `formats`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import field
from pathlib import Path

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.checkpoint import Checkpoint
from tfprof.model.event_scalars import EventScalars
from tfprof.model.keras_model import KerasModel
from tfprof.model.oplog import OpLog
from tfprof.model.profile import Declarations
from tfprof.model.providers import GraphSource
from tfprof.model.run_record import RunRecord
from tfprof.model.trace import Trace
from tfprof.sources.files.probe import Probe
from tfprof.wire.fields import Progress


@frozen_dataclass
class FilePiece:
    """What one file contributes to a profile. Graphs are built only if they are chosen."""

    graph: GraphSource | None = None
    declared: Declarations | None = None
    trace: Trace | None = None
    oplog: OpLog | None = None
    checkpoint: Checkpoint | None = None
    keras: KerasModel | None = None
    record: RunRecord | None = None
    scalars: EventScalars | None = None
    warnings: list[str] = field(default_factory=list)
    # files that are read through this one
    beside: tuple[Path, ...] = ()
    # the file was cut off, and this is what came before
    ends_early: bool = False


# path, run number (the original's step for the i-th file), progress
Reader = Callable[[Path, int, Progress | None], FilePiece]
Score = Callable[[Probe], float]


@frozen_dataclass
class Format:
    """One kind of file: how it is told from others, what it gives, who reads it."""

    name: str
    about: str
    names: str
    recognised_by: str
    gives: str
    score: Score
    read: Reader | None
    # a file that is read through another one
    part_of: str = ""

    def __reduce__(self) -> tuple[Callable[[str], Format], tuple[str]]:
        return _named, (self.name,)


_FORMATS: dict[str, Format] = {}


def register(made: Format) -> Format:
    """Add a format; two of one name are a mistake."""
    if made.name in _FORMATS:
        raise ValueError(f"format {made.name!r} is registered twice")
    _FORMATS[made.name] = made
    return made


def reader(module: str, name: str) -> Reader:
    """A function of a module of `sources`, which is loaded when a file is read with it."""

    def read(path: Path, step: int, progress: Progress | None) -> FilePiece:
        found: Reader = getattr(importlib.import_module(f"tfprof.sources.{module}"), name)
        return found(path, step, progress)

    return read


def _named(name: str) -> Format:
    return formats()[name]


def formats() -> dict[str, Format]:
    """Every format by name. The modules register themselves when first imported."""
    from tfprof.sources.files.every_format import ORDER

    def place(made: Format) -> tuple[int, str]:
        file = made.score.__module__.removeprefix("tfprof.sources.formats.")
        return ORDER.index(file) if file in ORDER else len(ORDER), file

    return {made.name: made for made in sorted(_FORMATS.values(), key=place)}
