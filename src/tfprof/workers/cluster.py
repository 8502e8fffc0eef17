"""A cluster of Dask that the user names: hosts are read by its workers.

A scheduler hands pickled code to its workers, and takes answers that are pickled: so it is only
ever one that the user named. Encryption and identity are those of Dask's own settings.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from tfprof import __version__
from tfprof.errors import ClusterNotReached, ExtraMissing, TfprofError, UsageError
from tfprof.model.host_work import HeardOfHosts, Lost

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")
R = TypeVar("R")

# seconds until nobody is there, and until the first worker is
PATIENCE = 15
_FIRST_WORKER = 120
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ucx|wss?)://)?(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+):(\d{1,5})/?")
_LAST_PORT = 65_535
_LOOKS = "It looks like tcp://10.0.0.1:8786."
_SAME = "Scheduler, workers and this machine need the same versions of tfprof, Python and Dask."


@contextmanager
def connected(address: str) -> Iterator[ClusterWorkers]:
    """An error where nobody answers in time."""
    client = _client(address)
    try:
        yield ClusterWorkers(address, client)
    finally:
        client.close()


class ClusterWorkers:
    def __init__(self, address: str, client: Client) -> None:
        self._address, self._client = address, client

    def map(
        self,
        call: Callable[[T], R],
        items: Sequence[T],
        sizes: Sequence[int],
        heard: HeardOfHosts | None = None,
    ) -> list[R | Lost]:
        if not items:
            return []
        client = self._client
        # a task of its own: a worker that dies takes along nothing that cannot be made again
        asked = client.submit(pickle.loads, pickle.dumps(call), pure=False)
        futures = {
            client.submit(_run, asked, item, __version__, pure=False): at
            for at, item in enumerate(items)
        }
        # not before: some clusters have no workers until there is work
        self._wait_for_workers()
        return self._gathered(futures, sizes, heard)

    def _wait_for_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=_FIRST_WORKER)
        except TimeoutError:
            raise ClusterNotReached(
                f"the scheduler has no workers, for {_FIRST_WORKER} s",
                where=self._address,
                hint=f"`dask worker {self._address}` starts one.",
            ) from None

    def _gathered(
        self, futures: dict[Future, int], sizes: Sequence[int], heard: HeardOfHosts | None
    ) -> list[Any]:
        from distributed import as_completed

        found: dict[int, Any] = {}
        read = 0
        try:
            for future in as_completed(list(futures), loop=self._client.loop):
                at = futures.pop(future)
                found[at] = self._result(future)
                future.release()
                read += sizes[at]
                if heard is not None:
                    heard(len(found), read)
        finally:
            for future in futures:
                future.cancel()
        return [found[at] for at in sorted(found)]

    def _result(self, future: Future) -> Any:  # noqa: ANN401  (what was asked for)
        from distributed import CancelledError, KilledWorker

        try:
            return future.result()
        except KilledWorker:
            return Lost("every worker that read it was killed: there may be too little memory")
        except TfprofError:
            raise
        except (CancelledError, OSError) as fault:
            raise ClusterNotReached(
                f"the scheduler is gone: {str(fault) or type(fault).__name__}", where=self._address
            ) from None
        except (ImportError, AttributeError, pickle.PickleError, TypeError) as fault:
            raise ClusterNotReached(
                f"a worker cannot do it: {type(fault).__name__}: {fault}",
                where=self._address,
                hint=_SAME,
            ) from None


def _client(address: str) -> Client:
    found = _ADDRESS.fullmatch(address)
    if found is None or int(found[1]) > _LAST_PORT:
        raise UsageError(f"--scheduler {address!r} is no address of a scheduler", hint=_LOOKS)
    try:
        from distributed import Client
    except ImportError:
        raise ExtraMissing(
            "--scheduler needs dask.distributed", hint="pip install 'tfprof[scale]'"
        ) from None
    try:
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except (OSError, TimeoutError) as fault:
        raise ClusterNotReached(
            f"no scheduler answers: {str(fault) or type(fault).__name__}",
            where=address,
            hint=f"`dask scheduler` prints its address. {_LOOKS}",
        ) from None


def _run(call: Callable[[T], R], item: T, version: str) -> R:
    if version != __version__:
        what = f"a worker has tfprof {__version__}, and this is {version}"
        raise ClusterNotReached(what, hint=_SAME)
    return call(item)
