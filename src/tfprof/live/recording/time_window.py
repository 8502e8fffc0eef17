"""A capture by the clock, for programs without steps: begun and ended by a thread that waits."""

from __future__ import annotations

import sys
import threading
import time
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tfprof.live.recording.plan import Plan
    from tfprof.live.recording.recorder import Recorder

_LOOK_AGAIN_S: Final = 0.05


class TimeWindow:
    """Waits for the delay and for TensorFlow, then captures for as long as was asked."""

    def __init__(self, recorder: Recorder, plan: Plan) -> None:
        self._recorder = recorder
        self._delay = plan.delay or 0.0
        self._duration = plan.duration or 0.0
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="tfprof-window", daemon=True)
        self._thread.start()

    def end(self) -> None:
        """The program ends: what is recorded by then is the capture. The recorder stops it."""
        self._over.set()

    def _watch(self) -> None:
        begin = time.monotonic() + self._delay
        while time.monotonic() < begin or not _profiler_is_loaded():
            if self._over.wait(_LOOK_AGAIN_S):
                return
        if self._recorder.start_now("duration") and not self._over.wait(self._duration):
            self._recorder.stop_now()


def _profiler_is_loaded() -> bool:
    """Whether `import tensorflow` is through, whichever thread does it."""
    tensorflow = sys.modules.get("tensorflow")
    spec = getattr(tensorflow, "__spec__", None)
    return tensorflow is not None and not getattr(spec, "_initializing", False)
