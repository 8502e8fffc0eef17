"""What `advise` returns."""

from __future__ import annotations

from dataclasses import dataclass, field


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

    def text(self) -> str:
        """As the original prints it."""
        lines = []
        for name, checker in self.checkers.items():
            lines += [f"\n{name}:", *checker.reports]
        return "".join(f"{line}\n" for line in lines)
