"""What is in a place, what is missing, and what restoring a checkpoint would do."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import AMONG, IF_KNOWN, INSIDE, ROW_KEY
from tfprof.results.missing import MissingInput
from tfprof.results.recorded_run import RecordedRun


@frozen_dataclass
class FileRow:
    path: Annotated[str, ROW_KEY]
    format: str | None
    used: bool
    why: str | None


@frozen_dataclass
class Mismatch:
    name: Annotated[str, ROW_KEY]
    graph: str
    checkpoint: str


@frozen_dataclass
class Restored:
    """`missing`: first what is not in the checkpoint, then what is not asked for at all."""

    matched: tuple[str, ...]
    missing: tuple[str, ...]
    not_in_checkpoint: tuple[str, ...]
    mismatched: tuple[Mismatch, ...]
    extra: tuple[str, ...]

    @property
    def not_asked_for(self) -> tuple[str, ...]:
        return self.missing[len(self.not_in_checkpoint) :]


@frozen_dataclass
class RestoredBy:
    name: Annotated[str, ROW_KEY]
    restored: Annotated[Restored, AMONG]


@frozen_dataclass
class RestoreResult:
    """The first Saver's answer, and every Saver's below it."""

    first: Annotated[Restored, AMONG]
    savers: tuple[RestoredBy, ...]


@frozen_dataclass
class Checksums:
    """Of the tensors of a checkpoint; `whole` is None where nobody read them."""

    tensors: int
    bytes: int
    whole: bool | None
    saved: Annotated[bool, INSIDE] = True


@frozen_dataclass
class DoctorResult:
    """`written_by` are versions of TensorFlow."""

    found: tuple[FileRow, ...]
    missing: tuple[MissingInput, ...]
    restore: RestoreResult | None
    checksums: Annotated[Checksums | None, INSIDE]
    models: Annotated[int, INSIDE]
    written_by: Annotated[tuple[str, ...], INSIDE]
    recorded: Annotated[RecordedRun | None, IF_KNOWN] = None
    other_runs: Annotated[int, INSIDE] = 0
