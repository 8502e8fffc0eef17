"""Where the time of a command goes: what `--timing` tells.

Parts of the work say their names. A part inside another one is counted for itself, so the parts add
up to the whole. Without `--timing` this is two looks at the clock a part.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from typing import Any

START, IMPORTS, LOAD, ANALYSE, DRAW = "start", "import", "load", "analyse", "draw"
_ABOUT = {
    START: "the words of the call, settings",
    IMPORTS: "modules of ours and of libraries",
    LOAD: "finding, reading and joining files",
    ANALYSE: "answering",
    DRAW: "writing the answer down",
}


class Stopwatch:
    """Seconds of the clock and of the processor, by part."""

    def __init__(self) -> None:
        self._spent = {name: [0.0, 0.0] for name in _ABOUT}
        self._parts = [START]
        self._before = self._since = _now()
        self.modules = 0

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        self._count()
        self._parts.append(name)
        try:
            yield
        finally:
            self._count()
            self._parts.pop()

    def _count(self) -> None:
        now = _now()
        spent = self._spent[self._parts[-1]]
        for at, (since, until) in enumerate(zip(self._since, now, strict=True)):
            spent[at] += until - since
        self._since = now

    def watch_imports(self) -> None:
        """From now on, modules that are loaded are a part of their own."""
        at = sys.meta_path.index(PathFinder)
        sys.meta_path.insert(at, _TimedFinder(self))

    def lines(self) -> list[str]:
        """A line a part, and the whole; what was before could not be timed by the clock."""
        self._count()
        about = {**_ABOUT, IMPORTS: f"{_ABOUT[IMPORTS]}, {self.modules:,} in all"}
        whole = [sum(column) for column in zip(*self._spent.values(), strict=True)]
        about["whole"] = f"and {self._before[1]:.3f} before it, for Python itself"
        found = [f"{'timing':<9}{'seconds':>9}{'processor':>11}"]
        for name, (seconds, busy) in {**self._spent, "whole": whole}.items():
            found.append(f"  {name:<7}{seconds:>9.3f}{busy:>11.3f}  {about[name]}")
        return found


class _TimedFinder:
    """Finds modules as ever, and has the time taken that they take to be found and run."""

    def __init__(self, watch: Stopwatch) -> None:
        self._watch = watch

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:  # noqa: ANN401
        with self._watch.part(IMPORTS):
            spec = PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            loader: Any = spec.loader
            loader.create_module = self._timed(loader.create_module)
            loader.exec_module = self._timed(loader.exec_module)
            self._watch.modules += 1
        return spec

    def _timed(self, work: Callable[[Any], Any]) -> Callable[[Any], Any]:
        def timed(given: Any) -> Any:  # noqa: ANN401
            with self._watch.part(IMPORTS):
                return work(given)

        return timed


def _now() -> tuple[float, float]:
    return time.perf_counter(), time.process_time()


WATCH = Stopwatch()
part = WATCH.part
