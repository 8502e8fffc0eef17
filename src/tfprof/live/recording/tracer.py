"""TensorFlow's profiler, on and off, into a folder that nobody sees before the file is whole."""

from __future__ import annotations

import re
import shutil
import sys
import time
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, Final

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.live.live_objects import Live
from tfprof.live.profiler_options import host_tracer_level, profiler_options
from tfprof.live.recording.replaced import Replaced
from tfprof.live.recording.run_folder import RankFolder, now, remove

_PROFILER: Final = "tensorflow.python.profiler.profiler_v2"
_LENGTH_DELIMITED: Final = 2
_ERRORS, _WARNINGS = 2, 3
# the file of a step is some hundred kilobytes; below this nothing is begun
_LEAST_FREE: Final = 32 << 20
_LONGEST_TOLD: Final = 1 << 16
_CUT_SHORT: Final = "the file is cut short: the disk is full, or a limit is reached"
_DROPPED: Final = re.compile(r"(\d[\d,]*) events? (?:were |have been )?dropped")


class CaptureFailed(Exception):
    """Why there is no capture, in words for the user. Training goes on."""


@frozen_dataclass
class Captured:
    """A capture in its place."""

    folder: Path
    started: str
    seconds: float
    size: int
    told: tuple[str, ...]  # what TensorFlow itself warns of
    dropped: int | None


class TooLarge(CaptureFailed):
    def __init__(self, size: int) -> None:
        super().__init__(f"the capture has {size:,} bytes")
        self.size = size


class Tracer:
    """One at a time in a process: that is TensorFlow's rule, too."""

    def __init__(
        self,
        folder: RankFolder,
        *,
        max_bytes: int,
        python_tracer: bool = False,
        every_op: bool = False,
        give_way: Callable[[], None] = lambda: None,
    ) -> None:
        self._folder = folder
        self._max_bytes = max_bytes
        self._python_tracer = python_tracer
        self._host_level = host_tracer_level(every_op=every_op)
        self._count = 0
        self._place: Path | None = None
        self._began = (now(), time.monotonic())
        # called when the program starts the profiler itself while ours is on
        self._give_way = give_way
        self._guards = Replaced()
        # TensorFlow's lock is not one that a signal may take twice
        self._inside = False

    @property
    def is_on(self) -> bool:
        return self._place is not None

    def start(self) -> None:
        """Whatever goes wrong is a CaptureFailed."""
        if self._inside or self._place is not None:
            raise CaptureFailed("a capture is going on")
        if "tensorflow" not in sys.modules:
            raise CaptureFailed("the program has not loaded TensorFlow")
        self._check_room()
        self._count += 1
        place = self._folder.hidden(f"capture-{self._count}")
        self._inside = True
        try:
            remove(place)
            place.mkdir()
            options = profiler_options(
                host_tracer_level=self._host_level,
                python_tracer_level=int(self._python_tracer),
            )
            self._began = (now(), time.monotonic())
            _profiler().start(str(place), options=options)
            self._place = place
            self._guard()
        except Exception as fault:  # noqa: BLE001  (TensorFlow's own, more with each version)
            remove(place)
            raise CaptureFailed(_why_not_started(fault)) from None
        finally:
            self._inside = False

    def _guard(self) -> None:
        """Who starts the profiler now would fail: ours makes room first."""
        modules = (_profiler(), sys.modules.get(_PROFILER))
        for module in modules:
            plain = getattr(module, "start", None)
            if isinstance(module, ModuleType) and plain is not None:
                self._guards.set_on_class(module, "start", self._after_us(plain))

    def _after_us(self, plain: Callable[..., Live]) -> Callable[..., Live]:
        @wraps(plain)
        def start(*args: Live, **kwargs: Live) -> Live:
            if self._place is not None:
                self._give_way()
            return plain(*args, **kwargs)

        return start

    def stop(self) -> Captured:
        """The capture in its place; a CaptureFailed if it is not whole, or larger than allowed."""
        place = self._place
        if place is None or self._inside:
            raise CaptureFailed("no capture is going on")
        self._inside = True
        self._guards.undo()
        try:
            seconds = time.monotonic() - self._began[1]
            self._finish(place)
            return self._shown(place, seconds)
        finally:
            self._place = None
            self._inside = False
            remove(place)

    def discard(self) -> None:
        """Ends what is recorded without writing it."""
        place, self._place = self._place, None
        if place is None or self._inside:
            return
        self._inside = True
        self._guards.undo()
        try:
            _profiler().stop(save=False)
        except Exception as fault:  # noqa: BLE001  (as above)
            raise CaptureFailed(_said(fault)) from None
        finally:
            self._inside = False
            remove(place)

    def _check_room(self) -> None:
        try:
            free = shutil.disk_usage(self._folder.path).free
        except OSError as fault:
            raise CaptureFailed(f"the folder of the run is gone: {fault.strerror}") from None
        if free < _LEAST_FREE:
            raise CaptureFailed(f"the disk is full: {free:,} bytes are left")

    def _finish(self, place: Path) -> None:
        try:
            _wait_for_devices()
            _profiler().stop()
        except Exception as fault:  # noqa: BLE001  (as above)
            raise CaptureFailed(f"TensorFlow could not write it: {_said(fault)}") from None
        if not list(place.glob("plugins/profile/*/*.xplane.pb")):
            raise CaptureFailed("TensorFlow wrote no file")

    def _shown(self, place: Path, seconds: float) -> Captured:
        files = sorted(place.glob("plugins/profile/*/*.xplane.pb"))
        size = sum(file.stat().st_size for file in files)
        if size > self._max_bytes:
            raise TooLarge(size)
        told: list[str] = []
        for file in files:
            told += _checked(file)
        try:
            shown = self._folder.show_capture(files[0].parent)
        except OSError as fault:
            raise CaptureFailed(f"it cannot be put in place: {fault.strerror}") from None
        return Captured(shown, self._began[0], seconds, size, tuple(told), _dropped(told))


def _profiler() -> Live:
    return sys.modules["tensorflow"].profiler.experimental


def _wait_for_devices() -> None:
    """What was sent to a device belongs to the step that sent it."""
    context = sys.modules.get("tensorflow.python.eager.context")
    if context is not None and context.context()._initialized:  # noqa: SLF001  (as async_wait asks)
        context.async_wait()


def _why_not_started(fault: Exception) -> str:
    if type(fault).__name__ == "AlreadyExistsError":
        return (
            "another profiler is on in this process; end it, or leave the capture to it "
            "(a TensorBoard callback profiles batch 2 unless it has profile_batch=0)"
        )
    if isinstance(fault, OSError):
        return f"the folder of the run cannot be written: {fault.strerror}"
    return f"TensorFlow's profiler did not start: {_said(fault)}"


def _said(fault: BaseException) -> str:
    lines = [line for line in str(fault).splitlines() if line.strip()]
    return lines[0].strip() if lines else type(fault).__name__


def _checked(path: Path) -> list[str]:
    """What the capture itself warns of; a CaptureFailed if the file ends too early.

    Only the length of each of its parts is looked at.
    """
    told = []
    size = path.stat().st_size
    if not size:
        raise CaptureFailed("the file is empty: a capture of over 2 GB cannot be written")
    with path.open("rb") as file:
        at = 0
        while at < size:
            tag, at = _varint(file, at)
            if tag & 7 != _LENGTH_DELIMITED:
                raise CaptureFailed("the file is not what TensorFlow writes")
            length, at = _varint(file, at)
            if at + length > size:
                raise CaptureFailed(
                    "the file is cut short: the disk is full, or a limit is reached"
                )
            if tag >> 3 in (_ERRORS, _WARNINGS) and length <= _LONGEST_TOLD:
                told.append(file.read(length).decode(errors="replace"))
            at += length
            file.seek(at)
    return told


def _varint(file: BinaryIO, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = file.read(1)
        if not byte or shift > 63:
            raise CaptureFailed(_CUT_SHORT)
        at += 1
        value |= (byte[0] & 0x7F) << shift
        shift += 7
        if byte[0] < 0x80:
            return value, at


def _dropped(told: list[str]) -> int | None:
    """How many events the tracers dropped by their own account; None where they say nothing."""
    counts = [int(found.replace(",", "")) for text in told for found in _DROPPED.findall(text)]
    return sum(counts) or None
