"""A cluster of Dask that the user names: hosts are read by its workers.

A scheduler hands pickled code to its workers, and takes answers that are pickled: so it is only
ever one that the user named. Encryption and identity are those of Dask's own settings.
"""

from __future__ import annotations

import asyncio
import pickle
import re
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from tfprof import __version__
from tfprof.errors import ClusterNotReached, ExtraMissing, TfprofError, UsageError
from tfprof.model.host_work import Gathered, HeardOfHosts, Lost
from tfprof.model.merging import Merging, Partial, merged
from tfprof.wire.cores import use_at_most
from tfprof.workers.apart import Apart
from tfprof.workers.own_memory import reuse_memory
from tfprof.workers.told import Told

if TYPE_CHECKING:
    from distributed import Client, Future

T = TypeVar("T")
P = TypeVar("P", bound=Partial)
R = TypeVar("R")

# seconds until nobody is there, and until the first worker is
PATIENCE = 15
_FIRST_WORKER = 120
_ADDRESS = re.compile(r"(?:(?:tcp|tls|ucx|wss?)://)?(?:\[[0-9A-Fa-f:.]+\]|[\w.-]+):(\d{1,5})/?")
_LAST_PORT = 65_535
# answers that are merged by one task
_AT_ONCE = 8
# connections that are lost over the same question
_TRIES = 3
# seconds without a word until a connection counts as lost, and the setting of Dask that says so
_BUSY, _SILENCE = 120, "distributed.comm.timeouts.tcp"
# of what is no address, so much is shown; of who may use it, nothing
_LONG, _CREDENTIALS = 80, re.compile(r"(?<=//).*@|^(?!\w+://).*@", re.DOTALL)
# an explanation that is longer explains nothing
_SENTENCE = 300
_FINISHED, _CONNECTING = "finished", "connecting"
_KILLED = "every worker that read it was killed: there may be too little memory"
_LOOKS = "It looks like tcp://10.0.0.1:8786."
_SAME = "Scheduler, workers and this machine need the same versions of tfprof, Python and Dask."


@contextmanager
def connected(address: str) -> Iterator[ClusterWorkers]:
    """An error where nobody answers in time."""
    _check(address)
    with _patient():
        workers = ClusterWorkers(address)
        try:
            yield workers
        finally:
            workers.close()


class ClusterWorkers:
    def __init__(self, address: str) -> None:
        self._address, self._client = address, _client(address)

    def close(self) -> None:
        self._client.close()

    def gather(
        self,
        call: Callable[[T], P],
        items: Sequence[T],
        sizes: Sequence[int],
        heard: HeardOfHosts | None = None,
    ) -> Gathered[P]:
        """Answers are merged on the workers: one comes here, whatever the number of items.

        A scheduler forgets what was asked for by whoever it loses: then all of it is asked again.
        """
        told, every = Told(sizes, heard), dict(enumerate(items))
        for _ in range(_TRIES):
            try:
                return self._merged(call, every, told)
            except _LostConnection as fault:
                self._connect_again(fault)
        raise self._lost_too_often

    def each(
        self,
        call: Callable[[T], R],
        items: Sequence[T],
        sizes: Sequence[int],
        heard: HeardOfHosts | None = None,
    ) -> Generator[tuple[int, R | Lost]]:
        told, left = Told(sizes, heard), dict(enumerate(items))
        for _ in range(_TRIES):
            try:
                for at, answer in self._answers(call, dict(left)):
                    del left[at]
                    told.of(at)
                    yield at, answer
            except _LostConnection as fault:
                self._connect_again(fault)
            else:
                return
        raise self._lost_too_often

    def _connect_again(self, fault: _LostConnection) -> None:
        self._lost_too_often = ClusterNotReached(
            f"the connection to the scheduler was lost {_TRIES} times: {fault}",
            where=self._address,
        )
        before = self._client
        try:
            self._client = _client(self._address)
        except ClusterNotReached as gone:
            raise ClusterNotReached(
                f"the scheduler was lost while it was at work; since then, {gone.what}",
                where=self._address,
                hint="Is it still running? What was asked has to be asked again.",
            ) from None
        _leave(before)

    def _merged(self, call: Callable[[T], P], items: dict[int, T], told: Told) -> Gathered[P]:
        tree, given_up = _Tree(self._client), dict[int, T]()
        for at, future in self._completed(call, items):
            if self._is_given_up(future):
                given_up[at] = items[at]
            else:
                tree.add(future)
                told.of(at)
        answers, lost = Merging[P](), dict[int, Lost]()
        if (top := tree.top()) is not None:
            answers.add(self._sum_of_all(top))
        for at, answer in self._asked_alone(call, given_up):
            told.of(at)
            if isinstance(answer, Lost):
                lost[at] = answer
            else:
                answers.add(answer)
        return Gathered(answers.whole, lost)

    def _sum_of_all(self, top: Future) -> Any:  # noqa: ANN401  (a partial result of any kind)
        try:
            return self._result(top)
        except _GivenUp:
            raise ClusterNotReached(
                "workers are killed again and again while they put answers together",
                where=self._address,
                hint="There may be too little memory.",
            ) from None

    def _answers(
        self, call: Callable[[T], R], items: dict[int, T]
    ) -> Generator[tuple[int, R | Lost]]:
        given_up = dict[int, T]()
        for at, future in self._completed(call, items):
            try:
                answer = self._result(future)
            except _GivenUp:
                given_up[at] = items[at]
            else:
                future.release()
                yield at, answer
        yield from self._asked_alone(call, given_up)

    def _asked_alone(
        self, call: Callable[[T], R], items: dict[int, T]
    ) -> Generator[tuple[int, R | Lost]]:
        """One after the other, in processes that no worker ends with.

        Dask gives up whoever was given to a worker that was killed, too often: also who only waited
        there for the one that killed it. So it is known who it was.
        """
        for at, item in items.items():
            for _, future in self._completed(Apart(call), {at: item}):
                yield at, Lost(_KILLED) if self._is_given_up(future) else self._result(future)

    def _completed(
        self, call: Callable[[T], object], items: dict[int, T]
    ) -> Iterator[tuple[int, Future]]:
        """As they come; whoever wants no more of them has the rest cancelled."""
        from distributed import as_completed

        if not items:
            return
        client = self._client
        # a task of its own: a worker that dies takes along nothing that cannot be made again
        asked = client.submit(pickle.loads, pickle.dumps(call), pure=False)
        futures = {
            client.submit(_run, asked, item, __version__, pure=False): at
            for at, item in items.items()
        }
        try:
            # not before: some clusters have no workers until there is work
            self._wait_for_workers()
            for future in as_completed(list(futures), loop=client.loop):
                yield futures.pop(future), future
        finally:
            for future in futures:
                future.cancel()

    def _wait_for_workers(self) -> None:
        try:
            self._client.wait_for_workers(1, timeout=_FIRST_WORKER)
        except OSError as fault:
            if not isinstance(fault, TimeoutError):
                raise _LostConnection(_said(fault)) from None
            raise ClusterNotReached(
                f"the scheduler has no workers, for {_FIRST_WORKER} s",
                where=self._address,
                hint=f"`dask worker {self._address}` starts one.",
            ) from None

    def _is_given_up(self, future: Future) -> bool:
        """All else that goes wrong is raised. What is there stays where it is."""
        try:
            if future.status != _FINISHED:
                self._result(future)
        except _GivenUp:
            return True
        return False

    def _result(self, future: Future) -> Any:  # noqa: ANN401  (what was asked for)
        from distributed import CancelledError, KilledWorker

        try:
            return future.result()
        except KilledWorker:
            raise _GivenUp from None
        except TfprofError:
            raise
        except (CancelledError, OSError) as fault:
            raise _LostConnection(_said(fault)) from None
        except (ImportError, AttributeError, pickle.PickleError, TypeError) as fault:
            raise ClusterNotReached(
                f"a worker cannot do it: {type(fault).__name__}: {fault}",
                where=self._address,
                hint=_SAME,
            ) from None


class _Tree:
    """Merges futures on the workers, some at a time, as soon as there are enough of them.

    What was merged is let go: Dask makes it again if the worker that has the sum is lost.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._levels: list[list[Future]] = [[]]

    def add(self, future: Future, level: int = 0) -> None:
        if level == len(self._levels):
            self._levels.append([])
        waiting = self._levels[level]
        waiting.append(future)
        if len(waiting) == _AT_ONCE:
            self._levels[level] = []
            self.add(self._sum(waiting), level + 1)

    def top(self) -> Future | None:
        """None of nothing."""
        left = [future for level in self._levels for future in level]
        self._levels = [[]]
        while len(left) > 1:
            left = [self._sum(left[at : at + _AT_ONCE]) for at in range(0, len(left), _AT_ONCE)]
        return left[0] if left else None

    def _sum(self, futures: list[Future]) -> Future:
        # before whatever else is waiting: then answers do not gather on workers
        return self._client.submit(merged, futures, pure=False, priority=1)


class _GivenUp(Exception):
    """By Dask: every worker that had it was killed."""


class _LostConnection(Exception):
    """The scheduler may still be there, or be there again."""


def _check(address: str) -> None:
    found = _ADDRESS.fullmatch(address)
    if found is None or int(found[1]) > _LAST_PORT:
        shown = _CREDENTIALS.sub("***@", address)
        shown = shown if len(shown) <= _LONG else f"{shown[:_LONG]}..."
        raise UsageError(f"--scheduler {shown!r} is no address of a scheduler", hint=_LOOKS)
    try:
        import distributed  # noqa: F401  (its absence is a fault of its own)
    except ImportError:
        raise ExtraMissing(
            "--scheduler needs dask.distributed", hint="pip install 'tfprof[scale]'"
        ) from None


@contextmanager
def _patient() -> Iterator[None]:
    """A machine that is busy for a moment is no lost connection; what the user set is kept."""
    import dask
    from dask.utils import parse_timedelta

    given = parse_timedelta(dask.config.get(_SILENCE))
    with dask.config.set({_SILENCE: f"{max(given, _BUSY)}s"}), _quiet():
        yield


@contextmanager
def _quiet() -> Iterator[None]:
    """What goes wrong is told once, by us: Dask and what it is built on write it to stderr, too."""
    import logging

    names = ("distributed", "tornado", "asyncio")
    # those below have levels of their own, set by Dask
    known = [one for one in logging.root.manager.loggerDict if one.split(".")[0] in names]
    logs = [logging.getLogger(one) for one in {*names, *known}]
    before = [log.level for log in logs]
    for log in logs:
        log.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for log, level in zip(logs, before, strict=True):
            log.setLevel(level)


def _client(address: str) -> Client:
    from distributed import Client

    try:
        asyncio.run(_greeted(address))
        return Client(address, timeout=PATIENCE, set_as_default=False)
    except OSError as fault:
        raise ClusterNotReached(
            f"no scheduler answers: {_said(fault)}",
            where=address,
            hint=f"`dask scheduler` prints its address. {_LOOKS}",
        ) from None


def _leave(client: Client) -> None:
    """Dask connects again by itself; one who is closed meanwhile leaves the connection open."""
    until = time.monotonic() + PATIENCE
    while client.status == _CONNECTING and time.monotonic() < until:
        time.sleep(0.02)
    client.close(timeout=1)


async def _greeted(address: str) -> None:
    """Whether a scheduler is there: a Client waits for ever for one that never says a word."""
    from distributed.comm import parse_address
    from distributed.comm.registry import get_backend
    from distributed.security import Security

    try:
        scheme, place = parse_address(address)
        words = Security().get_connection_args("client")
        connecting = get_backend(scheme).get_connector().connect(place, **words)
        connection = await asyncio.wait_for(connecting, PATIENCE)
        try:
            await asyncio.wait_for(connection.write(connection.handshake_info()), PATIENCE)
            await asyncio.wait_for(connection.read(), PATIENCE)
        finally:
            connection.abort()
    except Exception as fault:  # noqa: BLE001  (what a stranger says may fail anywhere)
        raise OSError(_said(fault)) from None


def _said(fault: BaseException) -> str:
    # Dask names the object that failed, which tells nobody anything
    text = re.sub(r"^in <[^>]*>: ", "", " ".join(str(fault).split()))
    return text if 0 < len(text) <= _SENTENCE else type(fault).__name__


def _run(call: Callable[[T], R], item: T, version: str) -> R:
    if version != __version__:
        what = f"a worker has tfprof {__version__}, and this is {version}"
        raise ClusterNotReached(what, hint=_SAME)
    from distributed import get_worker

    # of `--nthreads`, whatever the machine has: others may work there, too
    use_at_most(get_worker().state.nthreads)
    reuse_memory()
    return call(item)
