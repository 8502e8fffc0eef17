"""What to change about a model or a run: evidence, reason, the change, and what it gains."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from enum import Enum
from typing import Annotated

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.results.fields import AMONG, INSIDE, ROW_KEY


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


@frozen_dataclass
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


@frozen_dataclass
class Change:
    """One thing to do, and the rule that asks for it; `stage` is where, as the profile names it."""

    rule: str
    advice: str
    code: str | None = None
    stage: str | None = None


Evidence = Mapping[str, float | int | str]


def sentence(said: str) -> str:
    """With a capital letter, unless it begins with code."""
    return said if "(" in said.partition(" ")[0] else said[:1].upper() + said[1:]


@frozen_dataclass
class Told:
    """The changes together: `rule` and `stage` are those of the first, the others of all."""

    rule: Annotated[str, ROW_KEY]
    rules: tuple[str, ...]
    stage: Annotated[str | None, ROW_KEY]
    stages: tuple[str, ...]
    advice: str
    code: str | None
    silence: str
    changes: Annotated[tuple[Change, ...], INSIDE]

    @classmethod
    def of(cls, changes: Sequence[Change]) -> Told:
        first = changes[0]
        codes = dict.fromkeys(one.code for one in changes if one.code)
        return cls(
            first.rule,
            tuple(dict.fromkeys(one.rule for one in changes)),
            first.stage,
            tuple(dict.fromkeys(one.stage for one in changes if one.stage)),
            " ".join(sentence(one.advice) for one in changes),
            "\n".join(codes) or None,
            f"--ignore {first.rule}",
            tuple(changes),
        )


@frozen_dataclass
class Finding:
    """`evidence` are numbers of this profile, `says` the same in a sentence.

    Several causes of one wait are one finding, with all that there is to change. `weight` is the
    share of the time or the bytes that it is about: what comes first where no gain is known.
    """

    told: Annotated[Told, AMONG]
    severity: Severity
    says: str
    evidence: Evidence
    reason: str
    gain: Gain | None
    gain_reason: str | None
    confidence: Confidence
    weight: Annotated[float, INSIDE] = 0.0

    @property
    def rule(self) -> str:
        return self.told.rule

    def without(self, ignored: Collection[str]) -> Finding | None:
        """What is left of it if nobody wants to hear of some rules; nothing without its own."""
        if self.rule in ignored:
            return None
        kept = [one for one in self.told.changes if one.rule not in ignored]
        return replace(self, told=Told.of(kept))


@frozen_dataclass
class AdviseResult:
    """`findings` are all that are told, what gains most first; `hidden` is how many were cut off.

    `rules` is how many were asked, `ignored` are those nobody wants to hear of.
    """

    findings: tuple[Finding, ...]
    hidden: int
    rules: int
    ignored: tuple[str, ...]


@frozen_dataclass
class AdviceRuleRow:
    """A rule as `tfprof rules advice` lists it."""

    rule: Annotated[str, ROW_KEY]
    about: str
    needs: str


@frozen_dataclass
class AdviceRules:
    advice: tuple[AdviceRuleRow, ...]
