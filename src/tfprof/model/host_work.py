"""What is asked of each host where it is read: here, by other processes, or by a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

from tfprof.frozen_dataclass import frozen_dataclass

if TYPE_CHECKING:
    from tfprof.model.hosts import Host

T = TypeVar("T")
R = TypeVar("R")
# told how many hosts are done, and how many of their bytes
HeardOfHosts = Callable[[int, int], None]


@frozen_dataclass
class HostTask:
    """A question to each host by itself; `ask` takes the host and `args`, and pickles by name.

    `key` says all of it: who asks again with the same key is given what was answered.
    """

    key: str
    ask: Callable[..., object]
    args: tuple[object, ...] = ()


@frozen_dataclass
class Lost:
    """An item that no worker could do: whoever tried was killed."""

    why: str


class Workers(Protocol):
    def map(
        self,
        call: Callable[[T], R],
        items: Sequence[T],
        sizes: Sequence[int],
        heard: HeardOfHosts | None = None,
    ) -> list[R | Lost]:
        """What `call` says to each, in their order; an exception is raised here."""
        ...


@frozen_dataclass
class HostWork:
    """What a command will ask of every host, and who works; `always`, however little there is.

    A single capture is asked when it is there: for it, nothing of `tasks` is loaded.
    """

    tasks: Callable[[], tuple[HostTask, ...]]
    workers: Workers
    always: bool = False


class Asking(Protocol):
    """Whoever knows what the hosts answered, and can ask them more."""

    def each(self, task: HostTask, hosts: Sequence[Host]) -> list[object]: ...
