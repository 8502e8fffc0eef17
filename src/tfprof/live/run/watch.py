"""The recording of this process: made with its first step. No fault reaches the script."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tfprof.live.live_objects import Live
from tfprof.live.run.wanted import TRAINING, Wanted

if TYPE_CHECKING:
    from tfprof.live.recording.recorder import Recorder
    from tfprof.live.run.ending import Signals

_NOT_TRAINING: Final = ("evaluate", "predict")
_Result = TypeVar("_Result")


class Watch:
    """What the hooks tell, handed to the recorder.

    Nothing raises: what goes wrong is said once, and this process is recorded no more.
    """

    def __init__(self, wanted: Wanted) -> None:
        self.wanted = wanted
        self.process = os.getpid()
        self.is_main = os.getppid() == wanted.parent
        # steps of the kinds that nobody asked for
        self.others: Counter[str] = Counter()
        self._recorder: Recorder | None = None
        self._making = threading.RLock()  # a signal may come in between
        self._began = time.monotonic()
        self.is_off = False
        self.signals: Signals | None = None
        # the hooks end what they have begun, or forget it in a process that was forked off
        self.before_close: Callable[[], None] = _nothing
        self.after_fork: Callable[[], None] = _nothing

    def counts(self, kind: str) -> bool:
        """Whether steps of this kind are asked for."""
        what = kind if kind in _NOT_TRAINING else TRAINING
        return what == self.wanted.what

    def begin(self, kind: str, name: str = "", count: int = 1) -> Live:
        """A step begins; what it gives back is for `end` or `cancel`, None if it does not count."""
        if self.is_off:
            return None
        if not self.counts(kind):
            self.others[kind] += count
            self.pause()
            return None
        token = self._told(lambda recorder: recorder.begin(kind, name, count))
        self._mind_signals()
        return token

    def end(self, token: Live, *, failed: bool = False) -> None:
        if token is not None:
            self._told(lambda recorder: recorder.end(token, failed=failed))
            self._mind_signals()

    def cancel(self, token: Live) -> None:
        """It was none."""
        if token is not None:
            self._told(lambda recorder: recorder.cancel(token))

    def pause(self) -> None:
        """What comes now belongs to no step."""
        if self._recorder is not None:
            self._recorder.pause()

    def saw_function(self, function: Live, *, is_step: bool) -> None:
        """It was called. Who makes no steps keeps no record of it."""
        if is_step or self._recorder is not None:
            self._told(lambda recorder: recorder.saw_function(function, is_step=is_step))

    def saw_model(self, model: Live) -> None:
        self._told(lambda recorder: recorder.saw_model(model))

    def saw_batch(self, size: int | None) -> None:
        self._told(lambda recorder: recorder.saw_batch(size))

    def saw_epoch(self, epoch: dict[str, Any] | None) -> None:
        if epoch is not None and self._recorder is not None:
            self._told(lambda recorder: recorder.saw_epoch(epoch))

    def recorder(self) -> Recorder | None:
        """That of this process; None where it cannot be made."""
        if self._recorder is None and not self.is_off:
            with self._making:
                self._made()
        return self._recorder

    def begin_by_time(self) -> None:
        """The recorder waits from here on."""
        self.recorder()

    def close(self, ended_by: str, exit_code: int | None = None) -> None:
        """All that is known is on the disk afterwards."""
        if self.is_off or os.getpid() != self.process:
            return
        self.guarded(self.before_close)
        if self.is_main and "tensorflow" in sys.modules:
            self.recorder()  # also of a script that made no step there is something to say
        if self._recorder is not None:
            self._recorder.record.other_steps = dict(self.others)
            self._told(lambda recorder: recorder.close(ended_by, exit_code))
        self.is_off = True

    def forget(self) -> None:
        """In a process that was forked off: what is open belongs to the other one."""
        self._recorder = None
        self._making = threading.RLock()
        self.process = os.getpid()
        self.is_main = False
        self.others.clear()
        self.is_off = not self.wanted.follow
        self.after_fork()

    def guarded(self, call: Callable[..., None], *given: object) -> None:
        """What a hook does."""
        try:
            call(*given)
        except Exception as fault:  # noqa: BLE001  (the script goes on)
            self.fails(fault)

    def fails(self, fault: BaseException) -> None:
        self.is_off = True
        self.warn(f"nothing more is recorded: {type(fault).__name__}: {fault}")

    def warn(self, text: str) -> None:
        if self._recorder is not None:
            self._recorder.warn(text)
            return
        with suppress(Exception):  # stderr may be closed
            sys.stderr.write(f"tfprof: {text}\n")

    def _mind_signals(self) -> None:
        if self.signals is None or self._recorder is None:
            return
        if self._recorder.capturing:
            self.signals.catch()
        else:
            self.signals.release()

    def _made(self) -> None:
        """Another thread may have been here first."""
        if self._recorder is not None:
            return
        from tfprof.live.run.children import claimed

        try:
            self._recorder = claimed(self.wanted, time.monotonic() - self._began)
        except Exception as fault:  # noqa: BLE001  (the script goes on)
            self.fails(fault)

    def _told(self, tell: Callable[[Recorder], _Result]) -> _Result | None:
        recorder = self.recorder()
        if recorder is None or self.is_off:
            return None
        try:
            return tell(recorder)
        except Exception as fault:  # noqa: BLE001  (the script goes on)
            self.fails(fault)
            return None


def _nothing() -> None:
    return None
