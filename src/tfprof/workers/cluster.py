"""A cluster of Dask that the user names: hosts are read by its workers.

A scheduler hands pickled code to its workers, and takes answers that are pickled: so it is only
ever one that the user named. Encryption and identity are those of Dask's own settings.
"""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from tfprof.errors import ClusterNotReached, ExtraMissing, TfprofError, UsageError
from tfprof.model.host_work import HeardOfHosts, Lost

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")
R = TypeVar("R")

# seconds until nobody is there
PATIENCE = 15
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
            client.submit(_run, asked, item, pure=False): at for at, item in enumerate(items)
        }
        return self._gathered(futures, sizes, heard)

    def _gathered(
        self, futures: dict[Future, int], sizes: Sequence[int], heard: HeardOfHosts | None
    ) -> list[Any]:
        from distributed import as_completed

        found: dict[int, Any] = {}
        read = 0
        try:
            for future in as_completed(list(futures)):
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
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker:
            return Lost("every worker that read it was killed: there may be too little memory")
        except TfprofError:
            raise
        except (ImportError, AttributeError, pickle.PickleError, TypeError) as fault:
            raise ClusterNotReached(
                f"a worker cannot do it: {type(fault).__name__}: {fault}",
                where=self._address,
                hint=_SAME,
            ) from None


def _client(address: str) -> Client:
    if not address.strip():
        raise UsageError("--scheduler needs an address", hint=_LOOKS)
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
    except (ValueError, TypeError, AttributeError) as fault:
        raise UsageError(
            f"--scheduler {address!r} is no address of a scheduler: {fault}",
            hint=_LOOKS,
        ) from None


def _run(call: Callable[[T], R], item: T) -> R:
    return call(item)
