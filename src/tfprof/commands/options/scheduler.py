"""Who reads the hosts of a run: the cores here, or a cluster that is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tfprof.commands.options.option import Option, OptionSection, Values

if TYPE_CHECKING:
    from tfprof.model.host_work import HostTask, HostWork

SCHEDULER = OptionSection(
    "many hosts",
    (
        Option("--scheduler", "a Dask scheduler whose workers read the hosts", metavar="ADDRESS"),
    ),
)  # fmt: skip


@contextmanager
def host_work(values: Values, tasks: Callable[[], tuple[HostTask, ...]]) -> Iterator[HostWork]:
    """`tasks` are what will be asked of every host, while it is read."""
    from tfprof.model.host_work import HostWork

    address = values.text("scheduler")
    if address is None:
        from tfprof.workers.local import LocalWorkers

        yield HostWork(tasks, LocalWorkers())
        return
    from tfprof.workers.cluster import connected

    with connected(address) as workers:
        yield HostWork(tasks, workers, always=True)
