"""Everything known about one model, from all the files given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tfprof.model.checkpoint import Checkpoint
from tfprof.model.graph import Graph, Shape
from tfprof.model.keras_model import KerasModel
from tfprof.model.oplog import OpLog
from tfprof.model.trace import Trace


@dataclass(frozen=True, slots=True)
class TensorSpec:
    """A tensor of a signature."""

    name: str
    tensor: str
    dtype: int
    shape: Shape | None


@dataclass(frozen=True, slots=True)
class Signature:
    name: str
    inputs: tuple[TensorSpec, ...]
    outputs: tuple[TensorSpec, ...]


@dataclass(frozen=True, slots=True)
class DeclaredVariable:
    """A variable as a file other than the graph states it; None where that file does not say."""

    name: str
    shape: Shape | None
    dtype: int
    trainable: bool | None


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Input:
    """A file that was found: what it is, and whether and why it was used."""

    path: Path
    format: str
    used: bool = True
    why: str = ""


@dataclass(frozen=True, slots=True)
class ProfileData:
    title: str
    inputs: tuple[Input, ...] = ()
    graph: Graph | None = None
    declared: Declarations = field(default_factory=Declarations)
    trace: Trace | None = None
    oplog: OpLog | None = None
    checkpoint: Checkpoint | None = None
    keras: KerasModel | None = None
    warnings: tuple[str, ...] = ()
    # the graph is what a run executed: all of it is computed
    is_executed: bool = False
