"""Executions of which some columns are made when somebody asks for them.

A capture has millions of rows, and most questions are about a few of their columns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from tfprof.model.trace import Executions

Column = Any  # numbers, or strings
_set = object.__setattr__


class LaterColumns(Executions):
    """As if all had been given; in a pickle all are."""

    __slots__ = ("_later",)

    _later: Mapping[str, Callable[[Executions], Column]]

    @classmethod
    def of(
        cls, later: Mapping[str, Callable[[Executions], Column]], **columns: Column
    ) -> LaterColumns:
        """`later` are the columns that are missing, by name."""
        made = cls.__new__(cls)
        for name, column in columns.items():
            _set(made, name, column)
        _set(made, "_later", later)
        return made

    def __getattr__(self, name: str) -> Column:
        """Of a slot that nobody has filled yet."""
        if name.startswith("_") or name not in self._later:
            raise AttributeError(name)
        _set(self, name, self._later[name](self))
        return getattr(self, name)
