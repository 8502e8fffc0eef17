"""The tf.data pipelines of a capture. Times are picoseconds; microseconds in JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import Enum
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import AMONG, IF_KNOWN, INSIDE, ROW_KEY, Key, Micros


class InputWork(Enum):
    """XProf's kinds of input work."""

    DEMANDED_READ = "demanded_file_read"
    ADVANCED_READ = "advanced_file_read"
    PREPROCESSING = "preprocessing"
    ENQUEUE = "enqueue"


class StageKind(Enum):
    """What kind of stage an iterator is: that decides what can be done about it."""

    MAP = "map"
    PARALLEL_MAP = "parallel map"
    GENERATOR = "generator"
    FILES = "files"
    SOURCE = "source"
    INTERLEAVE = "interleave"
    PARALLEL_INTERLEAVE = "parallel interleave"
    BATCH = "batch"
    SHUFFLE = "shuffle"
    CACHE = "cache"
    SEQUENTIAL = "sequential"
    SERVICE = "service"
    PREFETCH = "prefetch"
    ROOT = "root"
    OTHER = "other"


@frozen_dataclass
class Waiting:
    """What was waited of the time looked at, and a usual period of it.

    Periods are those of steps, or without steps the times from one call to the next.
    """

    waited: int
    time: int
    period: int
    periods: int
    by_steps: bool

    @property
    def share(self) -> float:
        return self.waited / self.time if self.time else 0.0


@frozen_dataclass
class Waited:
    """The same as data; without anything to compare with, nothing is known."""

    waited: Annotated[int | None, Micros("waited_us")] = None
    time: Annotated[int | None, Micros("time_us")] = None
    period: Annotated[int | None, Micros("period_us")] = None
    share: float | None = None

    @classmethod
    def of(cls, found: Waiting | None) -> Waited:
        if found is None:
            return cls()
        return cls(found.waited, found.time, found.period, found.share)


@frozen_dataclass
class PrefetchBuffer:
    """Elements; `empty` is the share of calls that found none."""

    median: float
    limit: int | None
    empty: float


@frozen_dataclass
class BufferFill:
    """Calls that took many elements at once to fill a buffer, `elements` the one that took most."""

    elements: int
    calls: int
    time: Annotated[int, Micros("time_us")]


@frozen_dataclass
class Budget:
    """What a whole pipeline may take, as its root tells; memory in bytes."""

    algorithm: str | None
    cpu: Annotated[int | None, Key("cpu_budget")]
    ram: Annotated[int | None, Key("ram_budget_bytes")]
    ram_used: Annotated[int | None, Key("ram_used_bytes")]
    ram_of_machine: Annotated[int | None, Key("ram_of_machine_bytes")]
    threads: int | None
    intra_op_threads: int | None


@frozen_dataclass
class Bottleneck:
    """A stage held up the median of the calls that waited by `median`.

    `stage` is that one, or the one whose functions took the threads that its own wait for; then
    `held_up` is the stage that waited.
    """

    stage: int
    median: int
    calls: int
    of_calls: int
    held_up: int | None = None


@frozen_dataclass
class InputStage:
    """None is what no call tells. `parallelism` is the usual one, `most_parallel` the highest.

    `unseen` is what of `blocking` came before the stage below was first seen; `ready_ahead` is how
    long a usual element was ready before it was taken. `filled` is there of a shuffle that filled
    its buffer during the capture.
    """

    name: Annotated[str, ROW_KEY]
    label: str
    op: str | None
    parent: str | None
    pipeline: Annotated[int, ROW_KEY] = field(default=0, kw_only=True)
    calls: int
    total: Annotated[int, Micros("total_us")]
    self_time: Annotated[int, Micros("self_us")]
    self_share: float | None
    blocking: Annotated[int, Micros("blocking_us")]
    unseen: Annotated[int, Micros("unseen_us")]
    asynchronous: bool
    parallelism: int | None
    most_parallel: int | None
    autotuned: bool | None
    autotune_mode: str | None
    buffered: PrefetchBuffer | None
    ready_ahead: Annotated[int | None, Micros("ready_ahead_us")]
    batch_size: int | None
    cycle_length: int | None
    shapes: str | None
    types: str | None
    fused: tuple[str, ...]
    work: InputWork
    written_as: Annotated[str, INSIDE]
    kind: Annotated[StageKind, INSIDE]
    depth: Annotated[int, INSIDE]
    filled: Annotated[BufferFill | None, IF_KNOWN] = None


@frozen_dataclass
class FunctionRow:
    """An op of a function that a stage calls: all its runs, on all threads."""

    stage: Annotated[str, ROW_KEY]
    name: Annotated[str, ROW_KEY]
    op: Annotated[str, ROW_KEY]
    runs: int
    self_time: Annotated[int, Micros("self_us")]
    at: Annotated[int, INSIDE]


@frozen_dataclass
class InputPipeline:
    """`advice` is what to change, what helps most first; `number` its place among all pipelines.

    What is known only of all hosts together, or put in words, is not there for one host.
    """

    host: str
    iterators: int
    calls: int
    waited: Annotated[Waited, AMONG]
    bottleneck: str | None
    bottleneck_median: Annotated[int | None, Micros("bottleneck_median_us")]
    advice: tuple[str, ...] = field(default=(), kw_only=True)
    budget: Annotated[Budget, AMONG]
    functions: tuple[FunctionRow, ...]
    stages: Annotated[tuple[InputStage, ...], INSIDE]
    slow: Annotated[Bottleneck | None, INSIDE]
    number: Annotated[int, ROW_KEY, INSIDE] = 0


@frozen_dataclass
class Filler:
    """An op that puts elements into a queue; how long its runs took, None if none was traced."""

    name: Annotated[str, ROW_KEY]
    op: str
    runs: int
    time: Annotated[int | None, Micros("time_us")]


@frozen_dataclass
class SessionFetch:
    """An op of session runs that takes elements from a queue or an iterator, its `source`.

    What only a graph tells is None without one. `capacity` is None also of a queue without an end.
    """

    name: Annotated[str, ROW_KEY]
    op: str
    source: str | None
    source_op: str | None
    capacity: int | None
    runs: int
    waited: Annotated[int, Micros("waited_us")]
    longest: Annotated[int, Micros("longest_us")]
    filled_by: tuple[Filler, ...]


@frozen_dataclass
class HostInput:
    """What one host tells; `rank` is its place among the hosts, `marker_rule` what marks steps.

    `waiting` is for all pipelines together; `device_side` iterators are not among them. `hidden`
    is the waiting that holds nothing up, as devices are at work meanwhile. `copying` is how long
    data was copied to devices. `fetches` are what the runs of sessions waited for.
    """

    rank: int
    host: str
    marker_rule: str | None
    waiting: Waiting | None
    hidden: Waiting | None
    pipelines: tuple[InputPipeline, ...]
    device_side: int
    copying: int
    fetches: tuple[SessionFetch, ...] = ()


@frozen_dataclass
class InputResult:
    """`bottleneck` is the stage the model waits for most; `work` sums up self times by kind.

    Of several hosts, the bottleneck and what was waited are those of `host`, which waits longest;
    `stages`, `pipelines`, `work` and `device_side` are of all. `fetches` are there for the runs of
    sessions only, which have no stages.
    """

    stages: tuple[InputStage, ...]
    bottleneck: str | None
    waited: Annotated[Waited, AMONG]
    hidden: Annotated[int | None, Micros("hidden_us")]
    verdict: str | None
    marker_rule: str | None
    pipelines: tuple[InputPipeline, ...]
    work: Annotated[Mapping[InputWork, int], Micros("work")]
    device_side: int
    hosts: Annotated[tuple[HostInput, ...], INSIDE]
    fetches: Annotated[tuple[SessionFetch, ...] | None, IF_KNOWN] = None
    host: Annotated[str | None, IF_KNOWN] = None
