"""What the record of a run says: what ran and how it ended, epochs, and what tracing cost."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.quantity import Quantity
from tfprof.results.fields import IF_KNOWN, ROW_KEY


@frozen_dataclass
class RecordedRun:
    """What the record does not say is left out.

    `state` is running, ended, failed or killed; `first_step` and `last_step` were captured.
    `devices` counts them by kind; `steps` is how many the program took in all. `sampled_us` is how
    long a process was listened to that was running already.
    """

    program: Annotated[str | None, IF_KNOWN]
    arguments: tuple[str, ...]
    state: Annotated[str | None, IF_KNOWN]
    exit_code: Annotated[int | None, IF_KNOWN]
    ended_by: Annotated[str | None, IF_KNOWN]
    started: Annotated[str | None, IF_KNOWN]
    ended: Annotated[str | None, IF_KNOWN]
    versions: Mapping[str, str]
    devices: Mapping[str, int]
    strategy: Annotated[str | None, IF_KNOWN]
    batch: Annotated[int | None, IF_KNOWN]
    ranks: int
    steps: Annotated[int | None, IF_KNOWN]
    first_step: Annotated[int | None, IF_KNOWN]
    last_step: Annotated[int | None, IF_KNOWN]
    sampled_us: Annotated[float | None, IF_KNOWN] = None


@frozen_dataclass
class TraceOverhead:
    """Medians of the periods of steps, captured and not; `share` is what capturing adds.

    `varies` is how far untraced steps are off their median, as a share of it.
    """

    traced_us: float
    untraced_us: float
    share: Quantity
    varies: float
    traced_steps: int
    untraced_steps: int


@frozen_dataclass
class CaptureRow:
    """One of several captures of the first rank; `kept_as` is why it was not deleted."""

    capture: Annotated[str, ROW_KEY]
    first_step: Annotated[int | None, IF_KNOWN]
    last_step: Annotated[int | None, IF_KNOWN]
    median_us: Annotated[float | None, IF_KNOWN]
    kept_as: Annotated[str | None, IF_KNOWN]
    read: bool


@frozen_dataclass
class EpochRow:
    """Where an epoch went; None for what was not watched, `other_us` is what is left."""

    epoch: Annotated[int, ROW_KEY]
    time_us: float
    data_us: Annotated[float | None, IF_KNOWN]
    step_us: Annotated[float | None, IF_KNOWN]
    callbacks_us: Annotated[float | None, IF_KNOWN]
    validation_us: Annotated[float | None, IF_KNOWN]
    checkpoint_us: Annotated[float | None, IF_KNOWN]
    other_us: float
