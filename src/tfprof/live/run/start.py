"""Before the script begins: what the parent wants is read, and the hooks wait for TensorFlow."""

from __future__ import annotations

import os

from tfprof.live.run.wanted import SEARCH, VARIABLE, Wanted


def start() -> None:
    text = os.environ.get(VARIABLE)
    if text is None:
        return
    wanted = Wanted.heard(text)
    if not wanted.follow:
        _forget(wanted)
    from tfprof.live.run import children, ending
    from tfprof.live.run.hooks import waiting
    from tfprof.live.run.import_hooks import ImportHooks
    from tfprof.live.run.watch import Watch

    watch = Watch(wanted)
    children.install(watch)
    ending.install(watch)
    ImportHooks(waiting(watch)).install()


def _forget(wanted: Wanted) -> None:
    """The environment as it would be without us, for the script and for whom it starts."""
    os.environ.pop(VARIABLE, None)
    if wanted.search is None:
        os.environ.pop(SEARCH, None)
    else:
        os.environ[SEARCH] = wanted.search
