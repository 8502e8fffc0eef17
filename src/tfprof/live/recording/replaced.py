"""Attributes of objects that are replaced for a while."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType

from tfprof.live.live_objects import Live

_NONE = object()


@dataclass(slots=True)
class Replaced:
    """Puts everything back as it was; what somebody else has replaced since stays theirs."""

    _undo: list[tuple[Live, str, Live, Live]] = field(default_factory=list)

    def set(self, thing: Live, name: str, value: Live) -> None:
        """On the object itself, past what its class does with attributes."""
        before = vars(thing).get(name, _NONE)
        object.__setattr__(thing, name, value)
        self._undo.append((thing, name, before, value))

    def set_on_class(self, kind: type | ModuleType, name: str, value: Live) -> None:
        """On a class or a module."""
        before = vars(kind).get(name, _NONE)
        setattr(kind, name, value)
        self._undo.append((kind, name, before, value))

    def undo(self) -> None:
        while self._undo:
            thing, name, before, value = self._undo.pop()
            if vars(thing).get(name, _NONE) is not value:
                continue
            is_class = isinstance(thing, type | ModuleType)
            if before is not _NONE:
                (setattr if is_class else object.__setattr__)(thing, name, before)
            else:
                (delattr if is_class else object.__delattr__)(thing, name)
