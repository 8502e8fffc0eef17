"""Executions of which some columns are made when somebody asks for them.

A capture has millions of rows, and most questions are about a few of their columns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from tfprof.model.trace import Executions

Column = Any  # numbers, or strings
Maker = Callable[[Executions], Column]
_set = object.__setattr__


class LaterColumns(Executions):
    """As if all had been given; in a pickle all are."""

    __slots__ = ("_later",)

    _later: Mapping[str, Maker]

    @classmethod
    def of(cls, later: Mapping[str, Maker], **columns: Column) -> LaterColumns:
        """`later` are the columns that are missing, by name.

        Who makes one of other columns takes them from the rows that are handed over: these may be
        several parts by then.
        """
        made = cls.__new__(cls)
        for name, column in columns.items():
            _set(made, name, column)
        _set(made, "_later", later)
        return made

    @property
    def missing(self) -> Mapping[str, Maker]:
        """The columns that nobody has asked for yet."""
        return self._later

    def __getattr__(self, name: str) -> Column:
        """Of a slot that nobody has filled yet."""
        if name.startswith("_") or name not in self._later:
            raise AttributeError(name)
        later = {**self._later}
        _set(self, name, later.pop(name)(self))
        _set(self, "_later", later)  # what the column was made of may go
        return getattr(self, name)


def joined(parts: Iterable[Executions]) -> Executions:
    """Several one after the other; a column that no part has yet is made when it is asked for."""
    every = list(parts)
    later = [one.missing for one in every if isinstance(one, LaterColumns)]
    if len(every) < 2 or len(later) < len(every):
        return Executions.joined(every)
    open_ = {
        name: _one_after_the_other([one[name] for one in later])
        for name in later[0]
        if all(name in one for one in later)
    }
    names = {column.name for column in fields(Executions)}
    return LaterColumns.of(open_, **Executions.joined_columns(every, names - set(open_)))


def _one_after_the_other(makers: list[Maker]) -> Maker:
    if all(maker is makers[0] for maker in makers):
        return makers[0]  # of whichever rows it is given
    return lambda rows: np.concatenate([maker(rows) for maker in makers])


def make(rows: Executions, *names: str) -> None:
    """Makes columns before somebody asks: what they would be made of need not stay then."""
    for name in names:
        getattr(rows, name)
