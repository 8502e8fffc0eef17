"""What was sampled of running processes: where it lies, and what it shows at first sight."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tfprof.model.quantity import Quantity
from tfprof.results.answered import Answered
from tfprof.results.fields import IF_KNOWN, INSIDE, ROW_KEY
from tfprof.results.summary import SummaryResult


@dataclass(frozen=True, slots=True)
class CapturedHost:
    """A process by its address; `steps` are those that its capture holds.

    `path` is the file; `remote_path` one on the disk of the process, which could not send it.
    """

    host: Annotated[str, ROW_KEY]
    bytes: Quantity
    steps: Quantity
    step_us: Quantity
    path: Annotated[str | None, IF_KNOWN]
    remote_path: Annotated[str | None, IF_KNOWN]


@dataclass(frozen=True, slots=True)
class HostLeftOut:
    host: Annotated[str, ROW_KEY]
    why: str


@dataclass(frozen=True, slots=True)
class CaptureResult:
    """`written` is the folder of the run, if there is one; `steps` are those of its first host."""

    written: tuple[str, ...]
    hosts: tuple[CapturedHost, ...]
    steps: Quantity
    left_out: tuple[HostLeftOut, ...]
    seconds: Annotated[float, INSIDE]
    summary: Annotated[Answered[SummaryResult] | None, INSIDE]
