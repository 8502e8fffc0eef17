"""Runs of sessions of TensorFlow 1: the recorder makes the call, plain or traced."""

from __future__ import annotations

import functools

from tfprof.live.live_objects import Live
from tfprof.live.run.hooks_functions import Functions
from tfprof.live.run.transparent import replace, strip_own_frames
from tfprof.live.sessions import SessionRun


class SessionHooks:
    def __init__(self, functions: Functions) -> None:
        self._functions = functions
        self._watch = functions.watch

    def listen_to(self, module: Live) -> None:
        owner = module.BaseSession
        plain: Live = owner.run
        hooks = self

        @functools.wraps(plain)
        def run(
            self: Live,
            fetches: Live,
            feed_dict: Live = None,
            options: Live = None,
            run_metadata: Live = None,
        ) -> Live:
            try:
                call = SessionRun(plain, self, fetches, feed_dict, options, run_metadata)
                return hooks.made(call)
            except BaseException as fault:
                strip_own_frames(fault)
                raise

        replace(owner, "run", run)

    def made(self, call: SessionRun) -> Live:
        """The result of a run."""
        recorder = None
        if self._watch.counts("session") and not self._watch.is_off:
            recorder = self._watch.recorder()
        return call.as_called() if recorder is None else recorder.saw_session_run(call)
