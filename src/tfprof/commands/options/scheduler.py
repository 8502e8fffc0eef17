"""Who reads the hosts of a run, or many runs: the cores here, or a cluster that is named."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tfprof.commands.options.option import Option, OptionSection, Values

if TYPE_CHECKING:
    from tfprof.model.host_work import HostTask, HostWork, Workers

_NAME, _ADDRESS = "--scheduler", "ADDRESS"
SCHEDULER = OptionSection(
    "many hosts",
    (Option(_NAME, "a Dask scheduler whose workers read the hosts", metavar=_ADDRESS),),
)
SCHEDULER_OF_RUNS = OptionSection(
    "many runs",
    (Option(_NAME, "a Dask scheduler whose workers read the runs", metavar=_ADDRESS),),
)


@contextmanager
def workers_named(values: Values) -> Iterator[Workers]:
    """Those of the scheduler, if one is named."""
    address = values.text("scheduler")
    if address is None:
        from tfprof.workers.local import LocalWorkers

        yield LocalWorkers()
        return
    from tfprof.workers.cluster import connected

    with connected(address) as workers:
        yield workers


@contextmanager
def host_work(values: Values, tasks: Callable[[], tuple[HostTask, ...]]) -> Iterator[HostWork]:
    """`tasks` are what will be asked of every host, while it is read."""
    from tfprof.model.host_work import HostWork

    with workers_named(values) as workers:
        yield HostWork(tasks, workers, always=values.text("scheduler") is not None)
