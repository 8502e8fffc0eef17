"""A profile in a pickle: its files and what was changed since, else all that it holds.

Out of the pickle it is read from its files again, but only at the first look at a part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields

from tfprof.model.profile import ProfileData
from tfprof.model.providers import Recipe

Pickled = tuple[Callable[..., ProfileData], tuple[object, ...]]


def pickled(data: ProfileData) -> Pickled:
    """How to make it again, as `__reduce__` says it."""
    parts = data.parts()
    if data.origin is None:
        return at_hand, (parts,)
    read = data.origin.parts
    changes = {name: part for name, part in parts.items() if part is not read[name]}
    return unread, (data.origin.recipe, changes)


def at_hand(parts: Mapping[str, object]) -> ProfileData:
    made = object.__new__(ProfileData)
    vars(made).update(parts, origin=None)
    return made


def unread(recipe: Recipe, changes: Mapping[str, object]) -> ProfileData:
    recipe.check()
    made = object.__new__(_Unread)
    vars(made).update(recipe=recipe, changes=changes)
    return made


class _Unread(ProfileData):
    """Once it is looked at, it is a ProfileData like any other."""

    recipe: Recipe
    changes: Mapping[str, object]

    def __getattribute__(self, name: str) -> object:
        if name in _LOOKED_AT:
            _read(self)
        return object.__getattribute__(self, name)

    def __reduce__(self) -> Pickled:
        return unread, (self.recipe, self.changes)


_LOOKED_AT = frozenset(("trace", "parts", "read_from", *(one.name for one in fields(ProfileData))))


def _read(data: _Unread) -> None:
    parts = {**vars(data.recipe.load()), **data.changes}
    object.__setattr__(data, "__class__", ProfileData)
    vars(data).clear()
    vars(data).update(parts)
