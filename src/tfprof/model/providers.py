"""What is read only when somebody asks: each such part behind a small protocol.

Today the files that were loaded serve them, or what was joined from several; a saved profile can,
too. Whatever serves them is plain data: it holds no open file and no closure, and it pickles.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from tfprof.wire.packed_stats import PackedStats
from tfprof.wire.schema import Proto
from tfprof.wire.xstats import StatTable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from tfprof.model.allocations import Allocations
    from tfprof.model.checkpoint import StoredTensor
    from tfprof.model.graph import FunctionParts, Graph
    from tfprof.model.oplog import CodeFrame
    from tfprof.model.profile import ProfileData
    from tfprof.model.trace import Trace


class Attributes(Protocol):
    """The attributes of every node, however they are stored."""

    def of(self, node: int) -> Mapping[str, Proto]:
        """Attribute name to AttrValue message."""
        ...

    def column(self, name: str, among: npt.NDArray[np.int64] | None = None) -> Mapping[int, Proto]:
        """One attribute of all nodes that have it, in graph order: node to AttrValue message.

        Or of some nodes, which are quicker to look at than all.
        """
        ...


class GraphSource(Protocol):
    def __call__(self) -> Graph: ...


class FunctionSource(Protocol):
    def __call__(self) -> FunctionParts: ...


class TraceSource(Protocol):
    """All that one host did."""

    def __call__(self) -> Trace: ...


class Records(Protocol):
    """The wire record behind an execution, for what has no column; None where there is none."""

    def __call__(self, row: int) -> Proto | None: ...


class AllocationSource(Protocol):
    """What executions took from their allocators."""

    def __call__(self) -> Allocations: ...


class PlaneStats(Protocol):
    """The stats of a plane: of its events, and of the names that events share."""

    def of_events(self, rows: npt.NDArray[np.int64], names: Sequence[int], /) -> StatTable:
        """At least the stats with these names."""
        ...

    def of_all_events(self) -> PackedStats: ...

    def of_names(self) -> StatTable: ...

    def described(self, name: int) -> Proto:
        """The whole XEventMetadata of an event name, for what has no column."""
        ...


class TensorValues(Protocol):
    """The values in a checkpoint, a tensor at a time."""

    def chunks(self, tensor: StoredTensor) -> Iterator[bytes]:
        """Pieces of one tensor's bytes, in order of its elements."""
        ...

    def whole(self, tensor: StoredTensor) -> bytes | npt.NDArray[np.uint8]:
        """All of one tensor's bytes."""
        ...

    def strings(self, tensor: StoredTensor) -> list[bytes]:
        """The elements of a tensor of strings."""
        ...


class CodeSource(Protocol):
    """The stack that made a node, outermost frame first; empty where it is not known."""

    def __call__(self, node: str) -> Sequence[CodeFrame]: ...


class Recipe(Protocol):
    """The files of a profile as paths: small to pickle, and enough to read them again."""

    def check(self) -> None:
        """An error if one of the files is gone, or is not what it was."""
        ...

    def load(self) -> ProfileData: ...
