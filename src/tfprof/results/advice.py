"""What to change about a model or a run: evidence, reason, the change, and what it gains."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Annotated

from tfprof.results.fields import INSIDE, ROW_KEY


class Severity(Enum):
    """A problem costs something that was measured or counted here; a hint may."""

    PROBLEM = "problem"
    HINT = "hint"


class GainKind(Enum):
    """Whether a number was measured, or comes from a model that is stated."""

    MEASURED = "measured"
    MODELLED = "modelled"


class Confidence(Enum):
    """How sure it is that the change helps as said."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


@dataclass(frozen=True, slots=True)
class Gain:
    """A metric before and after the change; its unit is the end of its name. `model`: how known."""

    metric: str
    before: float
    after: float
    kind: GainKind
    model: str

    @property
    def share(self) -> float:
        """How much of it goes away, 0 to 1."""
        return max(0.0, 1 - self.after / self.before) if self.before > 0 else 0.0


@dataclass(frozen=True, slots=True)
class Change:
    """One thing to do, and the rule that asks for it; `stage` is where, as the profile names it."""

    rule: str
    advice: str
    code: str | None = None
    stage: str | None = None


Evidence = Mapping[str, float | int | str]


@dataclass(frozen=True, slots=True)
class Finding:
    """`evidence` are numbers of this profile, `says` the same in a sentence.

    Several causes of one wait are one finding: `rule` and `stage` are those of the first of its
    `changes`, `rules` and `stages` those of all. `weight` is the share of the time or the bytes
    that it is about: what comes first where no gain is known.
    """

    rule: Annotated[str, ROW_KEY]
    rules: tuple[str, ...]
    severity: Severity
    says: str
    stage: Annotated[str | None, ROW_KEY]
    stages: tuple[str, ...]
    evidence: Evidence
    reason: str
    advice: str
    code: str | None
    gain: Gain | None
    gain_reason: str | None
    confidence: Confidence
    silence: str
    changes: Annotated[tuple[Change, ...], INSIDE]
    weight: Annotated[float, INSIDE] = 0.0

    def without(self, ignored: Collection[str]) -> Finding | None:
        """What is left of it if nobody wants to hear of some rules."""
        kept = [one for one in self.changes if one.rule not in ignored]
        if not kept or len(kept) == len(self.changes):
            return self if kept else None
        return replace(self, **told(kept))


def told(changes: Collection[Change]) -> dict[str, object]:
    """The fields of a finding that follow from its changes."""
    first = next(iter(changes))
    codes = dict.fromkeys(one.code for one in changes if one.code)
    stages = dict.fromkeys(one.stage for one in changes if one.stage)
    return {
        "changes": tuple(changes),
        "rule": first.rule,
        "rules": tuple(dict.fromkeys(one.rule for one in changes)),
        "stage": first.stage,
        "stages": tuple(stages),
        "advice": " ".join(_sentence(one.advice) for one in changes),
        "code": "\n".join(codes) or None,
        "silence": f"--ignore {first.rule}",
    }


def _sentence(said: str) -> str:
    return said[:1].upper() + said[1:]


@dataclass(frozen=True, slots=True)
class AdviseResult:
    """`findings` are all that are told, what gains most first; `hidden` is how many were cut off.

    `rules` is how many were asked, `ignored` are those nobody wants to hear of.
    """

    findings: tuple[Finding, ...]
    hidden: int
    rules: int
    ignored: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AdviceRuleRow:
    """A rule as `tfprof rules advice` lists it."""

    rule: Annotated[str, ROW_KEY]
    about: str
    needs: str


@dataclass(frozen=True, slots=True)
class AdviceRules:
    advice: tuple[AdviceRuleRow, ...]
