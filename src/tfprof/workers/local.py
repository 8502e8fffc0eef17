"""The cores of this machine: a process each, where there is enough to read."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, TypeVar, cast

from tfprof.model.host_work import Gathered, HeardOfHosts, Lost
from tfprof.model.merging import Merging, Partial
from tfprof.wire.cores import cores, use_at_most
from tfprof.workers.told import Told

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

T = TypeVar("T")
P = TypeVar("P", bound=Partial)
R = TypeVar("R")

# so many bytes take longer to read than processes to start
_POOL_FROM = 64_000_000
# how often a process may die over the same host
_TRIES = 3
_KILLED = f"each of {_TRIES} processes that read it was killed: there may be too little memory"


class LocalWorkers:
    def __init__(self, processes: int | None = None) -> None:
        self._processes = cores() if processes is None else processes

    def gather(
        self,
        call: Callable[[T], P],
        items: Sequence[T],
        sizes: Sequence[int],
        heard: HeardOfHosts | None = None,
    ) -> Gathered[P]:
        answers, lost = Merging[P](), dict[int, Lost]()
        for at, answer in self.each(call, items, sizes, heard):
            if isinstance(answer, Lost):
                lost[at] = answer
            else:
                answers.add(answer)
        return Gathered(answers.whole, lost)

    def each(
        self,
        call: Callable[[T], R],
        items: Sequence[T],
        sizes: Sequence[int],
        heard: HeardOfHosts | None = None,
    ) -> Generator[tuple[int, R | Lost]]:
        count = min(self._processes, len(items))
        told = Told(sizes, heard)
        if count < 2 or sum(sizes) < _POOL_FROM:
            for at, item in enumerate(items):
                answer = call(item)
                told.of(at)
                yield at, answer
        else:
            yield from _pooled(call, items, count, told)


def _pooled(
    call: Callable[[T], R], items: Sequence[T], count: int, told: Told
) -> Generator[tuple[int, R | Lost]]:
    """A process that is killed takes the others with it: what is left is given to new ones."""
    done: set[int] = set()
    tries = [0] * len(items)
    while len(done) < len(items):
        left = [at for at in range(len(items)) if at not in done]
        # who was at work when one died is tried alone: so it is known who it was
        suspects = [at for at in left if tries[at]]
        some, workers = (suspects[:1], 1) if suspects else (left, count)
        with closing(_round(call, items, some, workers)) as answers:
            for at, answer in answers:
                tries[at] += answer is _AT_WORK
                if answer is _AT_WORK and tries[at] < _TRIES:
                    continue
                done.add(at)
                told.of(at)
                yield at, Lost(_KILLED) if answer is _AT_WORK else cast("R", answer)


_AT_WORK = object()


def _round(
    call: Callable[[T], R], items: Sequence[T], some: Sequence[int], workers: int
) -> Generator[tuple[int, R | object]]:
    """Up to the end, or until a process dies: then also those that may have been at work."""
    from concurrent.futures import FIRST_COMPLETED, wait
    from concurrent.futures.process import BrokenProcessPool

    waiting = list(reversed(some))
    running: dict[Future[R], int] = {}
    with _pool(call, workers) as pool:
        while waiting or running:
            while waiting and len(running) < workers:
                at = waiting.pop()
                try:
                    running[cast("Future[R]", pool.submit(_run, items[at]))] = at
                except BrokenProcessPool:
                    waiting.clear()
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                at = running.pop(future)
                try:
                    yield at, future.result()
                except BrokenProcessPool:
                    yield at, _AT_WORK
                    waiting.clear()


@contextmanager
def _pool(call: Callable[..., object], workers: int) -> Iterator[ProcessPoolExecutor]:
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor

    # a fork would take along the threads of whoever shows progress, half-way through their work
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(workers, context, _begin, (call, cores() // workers))
    try:
        yield pool
    except BaseException:
        # nobody waits for hosts whose answer nobody wants
        for process in list((getattr(pool, "_processes", None) or {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(cancel_futures=True)


_CALL: Callable[..., object]


def _begin(call: Callable[..., object], share: int) -> None:
    """In each process, once: what it does, on how many cores, and whom it ends with."""
    import signal

    from tfprof.workers.own_memory import keep_memory

    keep_memory()
    use_at_most(share)

    global _CALL  # noqa: PLW0603  (a process does one thing)
    _CALL = call
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # who waits for the answer hears it
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    from multiprocessing import parent_process

    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _run(item: object) -> object:
    return _CALL(item)
