"""Attributes of ops that no graph holds, as a graph would state them."""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace

from tfprof.wire.schema import Proto


def flag(*, on: bool) -> Proto:
    return SimpleNamespace(b=on)


def text(value: str) -> Proto:
    return SimpleNamespace(s=value.encode())


def integers(values: Sequence[int]) -> Proto:
    return SimpleNamespace(list=SimpleNamespace(i=list(values)))


def shape(sizes: Sequence[int | None]) -> Proto:
    """None is an open dimension."""
    dims = [SimpleNamespace(size=-1 if size is None else size) for size in sizes]
    stated = SimpleNamespace(unknown_rank=False, dim=dims)
    return SimpleNamespace(shape=stated, HasField=lambda name: name == "shape")


def attribute(value: object) -> Proto:
    """A plain number, text or list as the attribute that a graph would have of it."""
    if isinstance(value, bool):
        return flag(on=value)
    if isinstance(value, int):
        return SimpleNamespace(i=value)
    if isinstance(value, str):
        return text(value)
    if isinstance(value, list | tuple):
        return integers(value)
    return value
