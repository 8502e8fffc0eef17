"""`tfprof.capture(...)`: a few steps of a program of one's own, into a folder."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, ParamSpec, Self, TypeVar

from tfprof.errors import UsageError
from tfprof.live.recording import environment
from tfprof.live.recording.keras_fits import keras_fits
from tfprof.live.recording.opening import Opened, checked_folder, opened
from tfprof.live.recording.plan import KEEP, MAX_BYTES, Plan, first_of, plan_of, size_of
from tfprof.live.recording.run_folder import FOLDER, new_run_folder
from tfprof.live.sessions import listening
from tfprof.printable import printable

_P = ParamSpec("_P")
_T = TypeVar("_T")


class capture:  # noqa: N801  (a verb where it is used: with tfprof.capture("logs/run1") as c)
    """Captures some steps of what runs inside, and all that belongs to them.

    `with tfprof.capture("logs/run1", steps=(10, 14)) as c:` around the program, and
    `with c.step():` around each step of a loop, or `for batch in c.steps(dataset):`. The steps of
    Keras models and of sessions that train are found without a word. As
    `@tfprof.capture("logs/run1")` on a function, each call of it is a step, unless there are such
    steps inside of it. Without a folder, as `@tfprof.capture`, the run gets one of its own in
    `tfprof-runs`.

    Steps count from 1. `steps` are the first and the last to capture; without it, five after a
    warm-up of two and after functions are traced. `every=1000` captures again each thousand steps,
    and keeps the newest `keep` captures and the slowest; numbering goes on when the program starts
    again, or from `first_step`. `duration` captures seconds instead of steps, `delay` waits before.
    `memory=True` records allocations on a CPU; ask before TensorFlow runs anything. A capture has
    at most `max_size` bytes. `evaluation=True` counts `evaluate` and `predict`, too. With
    `python_tracer=True` every call of Python is recorded: some steps, not minutes. `every_op=True`
    records ops that TensorFlow has found to be cheap as well, which it leaves out after some ninety
    steps: that makes captures of models of small ops larger, and their steps slower.
    """

    def __new__(cls, folder: Any = None, **options: Any) -> Any:  # noqa: ANN401  (as below)
        """`@tfprof.capture` without a word more: what it is given is the function."""
        if callable(folder) and not isinstance(folder, os.PathLike):
            return cls(None, **options)(folder)
        return super().__new__(cls)

    def __init__(  # noqa: PLR0913  (each is a choice of the user's, by name)
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        steps: Any = None,  # noqa: ANN401  (a pair, a range, a number, a text)
        every: int | None = None,
        memory: bool = False,
        max_size: int | str = MAX_BYTES,
        keep: int = KEEP,
        delay: float | None = None,
        duration: float | None = None,
        first_step: int | None = None,
        evaluation: bool = False,
        python_tracer: bool = False,
        every_op: bool = False,
    ) -> None:
        self._folder = None if folder is None else checked_folder(folder)
        # what a folder is called after that nobody names
        self._called = Path(sys.argv[0] if sys.argv else "").stem
        self._plan: Plan = plan_of(
            steps, every, delay=delay, duration=duration, keep=keep, evaluation=evaluation
        )
        self._first_step = None if first_step is None else first_of(first_step)
        self._memory = memory
        if memory:
            environment.ask_for_memory_events()  # now: TensorFlow looks once, when it starts
        self._max_bytes = size_of(max_size)
        self._python_tracer = python_tracer
        self._every_op = every_op
        self._opened: Opened | None = None
        self._hooks = ExitStack()

    def __enter__(self) -> Self:
        if self._opened is not None:
            raise UsageError("this capture is going on already", hint="Make another one.")
        if self._folder is None:
            self._folder = new_run_folder(Path(FOLDER), self._called)
            with suppress(OSError, AttributeError):  # stderr may be closed
                sys.stderr.write(f"tfprof: the capture goes to {printable(str(self._folder))}\n")
        self._opened = opened(
            self._folder,
            self._plan,
            memory=self._memory,
            max_bytes=self._max_bytes,
            python_tracer=self._python_tracer,
            every_op=self._every_op,
            first_step=self._first_step,
        )
        recorder = self._opened.recorder
        with ExitStack() as hooks:
            try:
                hooks.enter_context(listening(recorder.saw_session_run))
            except UsageError:
                recorder.warn(
                    "runs of sessions are not recorded here: another capture or "
                    "a ProfileContext is open"
                )
            hooks.enter_context(keras_fits(recorder))
            self._hooks = hooks.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.close("exit" if kind is None else "exception")

    def close(self, ended_by: str = "exit") -> None:
        """Ends the recording; the end of a `with` does the same."""
        self._hooks.close()
        going, self._opened = self._opened, None
        if going is not None:
            self._first_step = going.recorder.count + 1 if self._first_step is not None else None
            going.close(ended_by)
            self._tell(going)

    @contextmanager
    def step(self, name: str = "") -> Iterator[None]:
        """Around one step of a loop of one's own."""
        if self._opened is None:
            raise UsageError("the capture is not open", hint="with tfprof.capture(...) as c: ...")
        with self._opened.recorder.step("marked", name):
            yield

    def steps(self, batches: Iterable[_T]) -> Iterator[_T]:
        """The batches, each in a step of its own that waits for the batch as well."""
        if self._opened is None:
            raise UsageError("the capture is not open", hint="with tfprof.capture(...) as c: ...")
        recorder = self._opened.recorder
        waiting = iter(batches)
        while True:
            token = recorder.begin("marked")
            try:
                batch = next(waiting)
            except StopIteration:
                recorder.cancel(token)
                return
            failed = True
            try:
                yield batch
                failed = False
            finally:
                recorder.end(token, failed=failed)

    def __call__(self, function: Callable[_P, _T]) -> Callable[_P, _T]:
        """Each call is a step. The recording begins with the first and ends with the program."""
        if not callable(function):
            raise UsageError(
                f"{function!r} cannot be called",
                hint='@tfprof.capture("logs/run1") stands before a function.',
            )
        name = getattr(function, "__name__", "")
        self._called = name or self._called

        @functools.wraps(function, updated=())
        def step(*args: _P.args, **kwargs: _P.kwargs) -> _T:
            recorder = self._recorder_for_calls()
            token = recorder.begin("marked", name, soft=True)
            failed = True
            try:
                result = function(*args, **kwargs)
                failed = False
            finally:
                recorder.end(token, failed=failed)
            return result

        return step

    def _recorder_for_calls(self) -> Any:  # noqa: ANN401  (the recorder, or what stands in for it)
        if self._opened is None:
            import atexit

            self.__enter__()
            atexit.register(self.close)
        assert self._opened is not None  # noqa: S101
        return self._opened.recorder

    def _tell(self, going: Opened) -> None:
        """What came of it, where nothing was captured."""
        recorder = going.recorder
        if recorder.captured or self._plan.by_time:
            return
        if recorder.count == 0:
            recorder.warn(
                "nothing was captured: no step was seen. Mark them: with c.step(): ..., or give a "
                "duration"
            )
        else:
            recorder.warn(
                f"nothing was captured in {recorder.count} steps: give steps=(2, "
                f"{max(2, recorder.count)})"
            )


def _as_it_is_called() -> inspect.Signature:
    """For help and editors, which would show that of `__new__`."""
    whole = inspect.signature(capture.__init__)
    return whole.replace(parameters=[*whole.parameters.values()][1:])


type.__setattr__(capture, "__signature__", _as_it_is_called())
