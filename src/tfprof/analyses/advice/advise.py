"""All rules asked about one profile; what gains most comes first."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fnmatch import fnmatchcase

from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.rule import rules
from tfprof.results.advice import Finding, Severity


def advise(known: Known, ignored: Collection[str] = ()) -> list[Finding]:
    """`ignored` are names of rules."""
    found: list[Finding] = []
    every = rules(of_runs=known.tells_of_a_run)
    asked = (one.check for name, one in every.items() if name not in ignored)
    for check in asked:
        for made in check(known) if check is not None else ():
            kept = made.without(ignored)
            if kept is not None:
                found.append(kept)
    return sorted(found, key=_place)


def _place(one: Finding) -> tuple[bool, bool, float, str, str]:
    """Problems before hints; of each, what is known to gain most."""
    return (
        one.severity is Severity.HINT,
        one.gain is None,
        -one.weight,
        one.rule,
        one.says,
    )


def names_meant(patterns: Iterable[str]) -> tuple[dict[str, None], list[str]]:
    """The rules that names or patterns such as `input-*` stand for, and those that mean none."""
    meant: dict[str, None] = {}
    unknown = []
    for pattern in patterns:
        found = [name for name in rules() if fnmatchcase(name, pattern)]
        meant |= dict.fromkeys(found)
        if not found:
            unknown.append(pattern)
    return meant, unknown
