"""What is asked of each host where it is read: here, by other processes, or by a cluster."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.merging import Partial

if TYPE_CHECKING:
    from tfprof.model.hosts import Host

T = TypeVar("T")
P = TypeVar("P", bound=Partial)
R = TypeVar("R")
# told how many hosts or runs are done, and how many of their bytes
HeardOfHosts = Callable[[int, int], None]
# hears how many will be read, and how many bytes they have, each time that some are
ShowsHosts = Callable[[int, int], HeardOfHosts]


@frozen_dataclass
class HostTask:
    """A question to each host by itself; `ask` takes the host and `args`, and pickles by name.

    `key` says all of it, but for the objects that it is `about`, such as a graph: who asks again
    with the same key about the same objects is given what was answered. What hosts answer is put
    `together` where they are read, if nobody asks for each: then it is a partial result.
    """

    key: str
    ask: Callable[..., object]
    args: tuple[object, ...] = ()
    together: bool = False
    about: tuple[object, ...] = ()


@frozen_dataclass
class Lost:
    """An item that no worker could do: whoever tried was killed."""

    why: str


class Workers(Protocol):
    """Whoever does the same with many items; `sizes` are what each is to read."""

    def gather(
        self,
        call: Callable[[T], P],
        items: Sequence[T],
        sizes: Sequence[int],
        heard: HeardOfHosts | None = None,
    ) -> Gathered[P]:
        """What `call` says to each, merged as it comes; an exception is raised here."""
        ...

    def each(
        self,
        call: Callable[[T], R],
        items: Sequence[T],
        sizes: Sequence[int],
        heard: HeardOfHosts | None = None,
    ) -> Generator[tuple[int, R | Lost]]:
        """The same as it comes, each with the place of its item."""
        ...


@frozen_dataclass
class Gathered(Generic[P]):
    """None where every item was lost; those by their places."""

    whole: P | None
    lost: Mapping[int, Lost]


@frozen_dataclass
class HostWork:
    """What a command will ask of every host, and who works; `always`, however little there is.

    A single capture is asked when it is there: for it, nothing of `tasks` is loaded. `later`: more
    will be asked than is known now. Small captures are then asked nothing before, and traces that
    somebody looks at are kept.
    """

    tasks: Callable[[], tuple[HostTask, ...]]
    workers: Workers
    always: bool = False
    later: bool = False


class Asking(Protocol):
    """Whoever knows what the hosts answered, and can ask them more."""

    def prepare(self, tasks: Sequence[HostTask], hosts: Sequence[Host]) -> None:
        """What will be asked is asked at once, so that a host is read once for all of it."""
        ...

    def each(self, task: HostTask, hosts: Sequence[Host]) -> list[object]: ...

    def merged(self, task: HostTask, hosts: Sequence[Host]) -> Partial: ...
