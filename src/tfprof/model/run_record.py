"""What a recorder wrote down about a run: which program, with what, how it went, what was captured.

None where the record does not say: an old writer, a killed process, or nothing to tell.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from datetime import datetime
from enum import Enum

from tfprof.frozen_dataclass import frozen_dataclass


class RunState(Enum):
    RUNNING = "running"
    ENDED = "ended"
    FAILED = "failed"
    # it says that it runs, and its process is no more
    GONE = "gone"


@frozen_dataclass
class Program:
    """The arguments are as they were stored: what looks like a secret is masked by the writer."""

    script: str | None = None
    module: str | None = None
    arguments: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        return self.script or (f"-m {self.module}" if self.module else "")


@frozen_dataclass
class RecordedDevice:
    name: str
    kind: str | None = None
    model: str | None = None


@frozen_dataclass
class RecordedLayer:
    name: str
    class_name: str | None
    scope: str | None


@frozen_dataclass
class RecordedModel:
    name: str | None
    layers: tuple[RecordedLayer, ...] = ()


@frozen_dataclass
class RecordedSteps:
    """Training steps counted over the whole program; periods go from start to start.

    `untraced_us` are periods of steps after the warm-up while no profiler was on, and
    `untraced_cpu_us` what all threads of the process worked in those of them that we did nothing
    beside.
    """

    kind: str | None
    name: str | None
    count: int | None
    per_execution: int | None = None
    warm_up: int | None = None
    untraced_us: tuple[float, ...] = ()
    untraced_cpu_us: tuple[float, ...] = ()


@frozen_dataclass
class RecordedCapture:
    """`folder` is seen from the folder of its rank; `step_us` are the periods inside."""

    folder: str
    first_step: int | None = None
    last_step: int | None = None
    complete: bool | None = None
    started: datetime | None = None
    seconds: float | None = None
    bytes: int | None = None
    why: str | None = None
    events_dropped: int | None = None
    step_us: tuple[float, ...] = ()
    kept_as: str | None = None

    @property
    def name(self) -> str:
        """As `--run` takes it."""
        return self.folder.rstrip("/").rpartition("/")[2]


@frozen_dataclass
class RecordedFunction:
    name: str
    graph: str | None = None
    variables: str | None = None
    role: str | None = None
    calls: int | None = None
    traces: int | None = None


@frozen_dataclass
class RecordedEpoch:
    """Seconds; what is not among the parts went to nothing that was watched."""

    epoch: int
    seconds: float
    parts: Mapping[str, float] = field(default_factory=dict)


@frozen_dataclass
class EarlierSession:
    """What the same folder held before the program was started again."""

    started: datetime | None = None
    ended: datetime | None = None
    last_step: int | None = None


@frozen_dataclass
class Ending:
    state: RunState | None = None
    exit_code: int | None = None
    by: str | None = None


@frozen_dataclass
class Process:
    """One rank of a run."""

    rank: int
    task: str | None = None
    host: str | None = None
    pid: int | None = None
    ending: Ending = Ending()
    versions: Mapping[str, str] = field(default_factory=dict)
    devices: tuple[RecordedDevice, ...] = ()
    strategy: str | None = None
    batch: int | None = None
    model: RecordedModel | None = None
    steps: RecordedSteps | None = None
    captures: tuple[RecordedCapture, ...] = ()
    functions: tuple[RecordedFunction, ...] = ()
    functions_left_out: int | None = None
    epochs: tuple[RecordedEpoch, ...] = ()
    previous: tuple[EarlierSession, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """For people, and as part of device names, where a slash means something."""
        task = f" ({self.task.replace('/', ' ')})" if self.task else ""
        return f"rank {self.rank}{task}"

    def capture_called(self, name: str) -> RecordedCapture | None:
        """What is known of a capture, by the last part of its folder's path."""
        known = (one for one in self.captures if one.name == name)
        return next(known, None)


@frozen_dataclass
class RunRecord:
    """The run as a whole, and its processes by rank; `ranks` is how many there should be.

    `left_out` are processes that were asked for a capture and gave none, with the reason.
    """

    program: Program = Program()
    started: datetime | None = None
    ended: datetime | None = None
    ending: Ending = Ending()
    ranks: int | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    tfprof: str | None = None
    processes: tuple[Process, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()

    @property
    def sampled_s(self) -> float | None:
        """How long processes were listened to that somebody else had started."""
        lasted = self.options.get("duration_s")
        known = isinstance(lasted, int | float) and not isinstance(lasted, bool)
        return float(lasted) if known and isinstance(lasted, int | float) else None

    @property
    def first(self) -> Process | None:
        """The one whose graph and batch stand for all."""
        return self.processes[0] if self.processes else None


def joined_records(records: list[RunRecord]) -> RunRecord | None:
    """That of the whole run, which is of no process itself, with those of its ranks."""
    if not records:
        return None
    whole = next((one for one in records if not one.processes), records[0])
    processes = {one.rank: one for record in records for one in record.processes}
    return replace(whole, processes=tuple(processes[rank] for rank in sorted(processes)))
