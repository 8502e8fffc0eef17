"""The messages that users of the original fill in or read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tfprof.wire.schema import message_class

if TYPE_CHECKING:
    OpLogProto = Any
    OpLog = Any


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """`OpLogProto` and its early name `OpLog`, made on first use."""
    if name in ("OpLog", "OpLogProto"):
        return message_class("OpLogProto")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


@dataclass
class Checker:
    """What one checker of `advise` has to report."""

    reports: list[str] = field(default_factory=list)


class _Checkers(dict[str, Checker]):
    """As a protobuf map: a name that is not there reads as a checker without reports."""

    def __missing__(self, name: str) -> Checker:
        return Checker()


@dataclass
class AdviceProto:
    """Reports by the name of the checker."""

    checkers: dict[str, Checker] = field(default_factory=_Checkers)

    def lines(self) -> Iterator[str]:
        """As the original prints it."""
        for name, checker in self.checkers.items():
            yield f"\n{name}:"
            yield from checker.reports
