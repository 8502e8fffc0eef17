"""Everything known about one model, from all the files given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, replace
from pathlib import Path

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.checkpoint import Checkpoint
from tfprof.model.event_scalars import EventScalars, SavedCheckpoint
from tfprof.model.graph import Graph, Shape
from tfprof.model.hosts import Hosts, LeftOut
from tfprof.model.keras_model import KerasModel
from tfprof.model.oplog import OpLog
from tfprof.model.providers import Recipe
from tfprof.model.run_record import RunRecord
from tfprof.model.trace import Trace


@frozen_dataclass
class TensorSpec:
    """A tensor of a signature."""

    name: str
    tensor: str
    dtype: int
    shape: Shape | None


@frozen_dataclass
class Signature:
    name: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]


@frozen_dataclass
class DeclaredVariable:
    """A variable as a file other than the graph states it; None where that file does not say."""

    name: str
    shape: Shape | None
    dtype: int
    trainable: bool | None


@frozen_dataclass
class Declarations:
    """What a MetaGraph, an object graph or a variable table says about the graph beside it."""

    collections: Mapping[str, Sequence[str]] = field(default_factory=dict)
    signatures: Mapping[str, Signature] = field(default_factory=dict)
    # by the name of the node that holds the variable (its handle or placeholder)
    variables: Mapping[str, DeclaredVariable] = field(default_factory=dict)
    # function name to the variables it captured; None for a capture that is no variable
    captures: Mapping[str, tuple[DeclaredVariable | None, ...]] = field(default_factory=dict)
    tensorflow_version: str = ""
    tags: tuple[str, ...] = ()


@frozen_dataclass
class Input:
    """A file that was found: what it is, and whether and why it was used.

    `elsewhere`: it is of another run.
    """

    path: Path
    format: str
    used: bool = True
    why: str = ""
    elsewhere: bool = False


@frozen_dataclass
class Origin:
    """The files behind a profile, and its parts as they were read from them."""

    recipe: Recipe
    parts: Mapping[str, object] = field(repr=False)


@frozen_dataclass(slots=False)
class ProfileData:
    title: str
    inputs: tuple[Input, ...] = ()
    graph: Graph | None = None
    declared: Declarations = field(default_factory=Declarations)
    hosts: Hosts = field(default_factory=Hosts)
    oplog: OpLog | None = None
    checkpoint: Checkpoint | None = None
    keras: KerasModel | None = None
    warnings: tuple[str, ...] = ()
    # the graph is what a run executed: all of it is computed
    is_executed: bool = False
    # in the folder that this one was found in
    other_runs: int = 0
    # what the recorder of the run wrote down
    record: RunRecord | None = None
    # runs of sessions with a record of each execution, where `hosts` are of a capture beside them
    sessions: Hosts = field(default_factory=Hosts)
    # what was logged while it ran, a file each, and the checkpoints of the same folder
    logs: tuple[EventScalars, ...] = ()
    saves: tuple[SavedCheckpoint, ...] = ()
    # hosts that are known to be missing, or whose files cannot be read
    left_out: tuple[LeftOut, ...] = ()
    # None for what comes from no file
    origin: Origin | None = field(default=None, repr=False, compare=False)

    @property
    def trace(self) -> Trace | None:
        """What all hosts did, joined when somebody asks."""
        return self.hosts.trace

    @property
    def files_read(self) -> tuple[Path, ...]:
        return tuple(one.path for one in self.inputs if one.used)

    @property
    def recorded(self) -> Trace | None:
        """The run with a record of each execution: of metadata, also of that beside a capture."""
        return self.sessions.trace or self.hosts.recorded

    def as_recorded(self) -> ProfileData:
        """With the runs of sessions, which tell bytes and the graphs that ran, as what ran."""
        if not self.sessions:
            return self
        steps = ", ".join(map(str, self.sessions[0].steps))
        said = f"this is the traced run of step {steps}; the times of steps are of the capture"
        return replace(self, hosts=self.sessions, sessions=Hosts(), warnings=(*self.warnings, said))

    def read_from(self, recipe: Recipe) -> ProfileData:
        """The same, which pickles as its files and what is changed in it from now on."""
        return replace(self, origin=Origin(recipe, self.parts()))

    def __reduce__(self) -> tuple[Callable[..., ProfileData], tuple[object, ...]]:
        from tfprof.model.unread import pickled

        return pickled(self)

    def parts(self) -> dict[str, object]:
        """All fields but where they come from."""
        names = (one.name for one in fields(self) if one.name != "origin")
        return {name: getattr(self, name) for name in names}
