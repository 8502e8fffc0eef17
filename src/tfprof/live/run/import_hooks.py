"""Something is done once a module is loaded, by whoever imports it.

The loader of such a module gets an `exec_module` of its own for the one time that it is asked, so
that neither the module nor its specification shows that somebody waited for it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TypeAlias

from tfprof.live.run.transparent import strip_own_frames

Loaded: TypeAlias = Callable[[ModuleType], None]


class ImportHooks:
    """A finder that finds nothing itself: it asks the others, and listens to what they find."""

    def __init__(self, waiting: Mapping[str, Loaded]) -> None:
        self._waiting = dict(waiting)

    def install(self) -> None:
        """Also for what is loaded already."""
        sys.meta_path.insert(0, self)
        for name in [*self._waiting]:
            module = sys.modules.get(name)
            if module is not None:
                self._waiting.pop(name)(module)

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name not in self._waiting:
            return None
        spec = self._found_by_others(name, path, target)
        if spec is not None and spec.loader is not None:
            self._listen(name, spec)
        return spec

    def _found_by_others(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None
    ) -> ModuleSpec | None:
        for finder in [*sys.meta_path]:
            if finder is self:
                continue
            spec = finder.find_spec(name, path, target)
            if spec is not None:
                return spec
        return None

    def _listen(self, name: str, spec: ModuleSpec) -> None:
        loader = spec.loader

        def exec_module(module: ModuleType) -> None:
            del loader.exec_module  # type: ignore[union-attr]  # that of its class is left
            try:
                loader.exec_module(module)  # type: ignore[union-attr]
            except BaseException as fault:
                strip_own_frames(fault)
                raise
            loaded = self._waiting.pop(name, None)
            if loaded is not None:
                loaded(module)

        try:
            loader.exec_module = exec_module  # type: ignore[union-attr, method-assign]
        except AttributeError:  # a loader of another kind: its module is not listened to
            self._waiting.pop(name)
