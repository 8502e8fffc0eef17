"""What may be said with a command: options as data, and the values they were given."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import MappingProxyType

from tfprof.frozen_dataclass import frozen_dataclass


class Takes(Enum):
    """What stands behind an option."""

    TEXT = "a word"
    WHOLE = "a whole number"
    NUMBER = "a number"
    FLAG = "nothing: it is said or not"
    MAYBE = "a word or nothing"
    MANY = "a word, and it may be said again"
    PATHS = "no option, but all the words without one"
    WORD = "no option, but one word of a few"


@frozen_dataclass
class Option:
    """`name` is the long form, `--max-depth`; of words without an option the one for help.

    A flag may set the value of another option: `--train` is `--mode train`.
    """

    name: str
    help: str
    takes: Takes = Takes.TEXT
    metavar: str = ""
    choices: tuple[str, ...] = ()
    default: str | float | None = None
    key: str = ""
    sets: str = ""

    @property
    def dest(self) -> str:
        return self.key or self.name.lstrip("-").replace("-", "_")


@frozen_dataclass
class OptionSection:
    """Options under one heading; without a title among those of the command itself."""

    title: str
    options: tuple[Option, ...]


@frozen_dataclass
class Values:
    """What was said, by the keys of the options; what was not is the default."""

    said: Mapping[str, object] = MappingProxyType({})

    def text(self, key: str) -> str | None:
        found = self.said.get(key)
        return None if found is None else str(found)

    def flag(self, key: str) -> bool:
        return bool(self.said.get(key))

    def whole(self, key: str) -> int | None:
        found = self.said.get(key)
        return found if isinstance(found, int) else None

    def number(self, key: str) -> float | None:
        found = self.said.get(key)
        return float(found) if isinstance(found, int | float) else None

    def texts(self, key: str) -> tuple[str, ...]:
        found = self.said.get(key)
        return tuple(map(str, found)) if isinstance(found, list | tuple) else ()

    def but(self, **others: object) -> Values:
        """The same, with some said otherwise."""
        return Values({**self.said, **others})
