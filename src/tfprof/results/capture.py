"""What was sampled of running processes: where it lies, and what it shows at first sight."""

from __future__ import annotations

from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.results.answered import Answered
from tfprof.results.fields import IF_KNOWN, INSIDE, ROW_KEY
from tfprof.results.summary import SummaryResult


@frozen_dataclass
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


@frozen_dataclass
class HostLeftOut:
    host: Annotated[str, ROW_KEY]
    why: str


@frozen_dataclass
class CaptureResult:
    """`written` is the folder of the run, if there is one; `steps` are those of its first host."""

    written: tuple[str, ...]
    hosts: tuple[CapturedHost, ...]
    steps: Quantity
    left_out: tuple[HostLeftOut, ...]
    seconds: Annotated[float, INSIDE]
    summary: Annotated[Answered[SummaryResult] | None, INSIDE]
