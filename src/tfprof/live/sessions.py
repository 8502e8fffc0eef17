"""`Session.run` of TensorFlow 1 with a listener in between, and as it was afterwards."""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.live.calls import loaded
from tfprof.live.live_objects import Live

_CLIENT = "tensorflow.python.client.session"
# there is one class of sessions in a process, so there is one listener
_LISTENING = threading.Lock()


@frozen_dataclass
class SessionRun:
    """A call of `session.run` that waits to be made."""

    plain: Callable[..., Live]
    session: Live
    fetches: Live
    feed_dict: Live = None
    options: Live = None
    run_metadata: Live = None

    @property
    def graph(self) -> Live:
        return self.session.graph

    @property
    def traces_itself(self) -> bool:
        """Whether the caller has it traced, for which it needs TensorFlow's profiler."""
        return self.options is not None and bool(self.options.trace_level)

    def as_called(self) -> Live:
        return self.plain(
            self.session, self.fetches, self.feed_dict, self.options, self.run_metadata
        )

    def traced(self, *, partition_graphs: bool = False) -> tuple[Live, Live]:
        """The result and the run metadata, which are the caller's if it handed any over.

        The caller's options stay as they are. With `partition_graphs` the metadata has the graphs
        that ran, one a device.
        """
        v1 = loaded("tensorflow").compat.v1
        options = v1.RunOptions()
        if self.options is not None:
            options.CopyFrom(self.options)
        options.trace_level = v1.RunOptions.FULL_TRACE
        options.output_partition_graphs = partition_graphs or options.output_partition_graphs
        run_metadata = self.run_metadata if self.run_metadata is not None else v1.RunMetadata()
        result = self.plain(self.session, self.fetches, self.feed_dict, options, run_metadata)
        return result, run_metadata

    def fetched(self) -> frozenset[str]:
        """The names of what is fetched, in whatever structure that was asked for."""
        mapper = loaded(_CLIENT)._FetchMapper  # noqa: SLF001  (knows what users registered)
        with self.graph.as_default():
            return frozenset(one.name for one in mapper.for_fetch(self.fetches).unique_fetches())


@contextmanager
def listening(listener: Callable[[SessionRun], Live]) -> Iterator[None]:
    """Every run of every session goes through `listener`, which makes the call."""
    sessions = loaded(_CLIENT).BaseSession
    if not _LISTENING.acquire(blocking=False):
        raise UsageError(
            "there is an open ProfileContext already",
            hint="Contexts do not nest: end the other one first.",
        )
    plain, is_open = sessions.run, True

    @functools.wraps(plain)
    def run(
        self: Live,
        fetches: Live,
        feed_dict: Live = None,
        options: Live = None,
        run_metadata: Live = None,
    ) -> Live:
        call = SessionRun(plain, self, fetches, feed_dict, options, run_metadata)
        return listener(call) if is_open else call.as_called()

    sessions.run = run
    try:
        yield
    finally:
        is_open = False
        if sessions.run is run:  # else another tool has wrapped ours, which is now transparent
            sessions.run = plain
        _LISTENING.release()
