"""What an advice rule is, and the registry of all: a decorator on a small function.

Its docstring is its page in the documentation: a line that says what it is about, then What, Why,
Example, Fix and Gain.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from functools import cache

import tfprof.analyses.advice as folder
from tfprof.analyses.advice.known import Known
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern
from tfprof.module_names import load_all
from tfprof.results.advice import (
    Change,
    Confidence,
    Evidence,
    Finding,
    Gain,
    GainKind,
    Severity,
    Told,
)

Check = Callable[[Known], Iterator[Finding]]
SECTIONS = ("What", "Why", "Example", "Fix", "Gain")
_HEADING = late_pattern(rf"^({'|'.join(SECTIONS)}): ?", re.MULTILINE)
_NAME = late_pattern(r"[a-z0-9]+(-[a-z0-9]+)*")

# a gain that only a device would tell
NOT_MEASURED = "not measured: nobody here has the device"
_RULES: dict[str, AdviceRule] = {}


@frozen_dataclass
class AdviceRule:
    """`needs` is what it looks at. Causes of a wait for input are told by one of them together.

    `check` is None for these.
    """

    name: str
    needs: str
    docstring: str
    check: Check | None = None

    @property
    def about(self) -> str:
        return self.docstring.partition("\n")[0].rstrip(".")

    def section(self, title: str) -> str:
        return inspect.cleandoc(self._sections().get(title, ""))

    def missing(self) -> list[str]:
        """The sections that its docstring does not have."""
        found = self._sections()
        return [title for title in SECTIONS if not found.get(title, "").strip()]

    def _sections(self) -> dict[str, str]:
        _, *parts = _HEADING.split(self.docstring)
        return dict(zip(parts[::2], parts[1::2], strict=True))


def rule(name: str, needs: str) -> Callable[[Check], Check]:
    """Registers a check under its name."""

    def registered(check: Check) -> Check:
        add(AdviceRule(name, needs, inspect.getdoc(check) or "", check))
        return check

    return registered


def add(made: AdviceRule) -> None:
    if made.name in _RULES or not _NAME.fullmatch(made.name):
        raise ValueError(f"{made.name!r} is taken, or no name for a rule: words with hyphens")
    missing = made.missing()
    if missing:
        raise ValueError(f"{made.name}: its docstring has no {', '.join(missing)}")
    _RULES[made.name] = made


@cache
def rules(*, of_runs: bool = True) -> dict[str, AdviceRule]:
    """All of them by name; every file of this folder is looked through, and of the one below.

    Who knows of no run can do without those that speak of one only.
    """
    load_all(folder)
    if of_runs:
        load_all(importlib.import_module(f"{folder.__name__}.of_runs"))
    return dict(sorted(_RULES.items()))


def reason_of(name: str) -> str:
    """Why it is bad, in a line."""
    return " ".join(_RULES[name].section("Why").split())


def finding(  # noqa: PLR0913  (what a finding is made of)
    name: str,
    says: str,
    evidence: Evidence,
    advice: str,
    *,
    code: str | None = None,
    stage: str | None = None,
    gain: Gain | str,
    severity: Severity = Severity.HINT,
    confidence: Confidence = Confidence.MEDIUM,
    weight: float = 0.0,
) -> Finding:
    """Of one change; a `gain` that is not known is the reason why."""
    changes = (Change(name, advice, code, stage),)
    return several(
        changes, says, evidence, gain=gain, severity=severity, confidence=confidence, weight=weight
    )


def several(
    changes: tuple[Change, ...],
    says: str,
    evidence: Evidence,
    *,
    gain: Gain | str,
    severity: Severity,
    confidence: Confidence,
    weight: float,
) -> Finding:
    """Of several changes that end one thing together."""
    known = gain if isinstance(gain, Gain) else None
    return Finding(
        Told.of(changes),
        severity,
        says,
        evidence,
        reason_of(changes[0].rule),
        known,
        None if isinstance(gain, Gain) else gain,
        confidence,
        known.share if known is not None else weight,
    )


def modelled(metric: str, before: float, after: float, model: str) -> Gain:
    return Gain(metric, before, after, GainKind.MODELLED, model)
