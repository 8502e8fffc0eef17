"""All rules asked about a profile."""

from __future__ import annotations

from collections.abc import Collection

from tfprof.analyses.advice.advise import advise, names_meant
from tfprof.analyses.advice.rule import rules
from tfprof.errors import UsageError
from tfprof.model.profile import ProfileData
from tfprof.reports.advise.known import known_of
from tfprof.reports.advise.query import Query
from tfprof.reports.shared.digest import LARGEST_IN_A_SECOND, Digest, digest
from tfprof.reports.shared.words import recognised
from tfprof.results.advice import AdviseResult, Finding
from tfprof.results.answered import Answered, answered

SHOWN = 5
_LARGE = (
    f"the graph has more than {LARGEST_IN_A_SECOND:,} nodes: rules about graphs were not asked"
)


def ask(data: ProfileData, query: Query) -> Answered[AdviseResult]:
    ignored, unknown = names_meant(query.ignore)
    if unknown:
        raise UsageError(
            f"no advice is called {unknown[0]!r}", hint="`tfprof rules advice` lists all of them."
        )
    found = digest(data, query.question)
    told = advise(known_of(found, query), ignored)
    shown = told if query.every else told[:SHOWN]
    result = AdviseResult(tuple(shown), len(told) - len(shown), len(rules()), tuple(ignored))
    warnings = list(data.warnings)
    if data.graph is not None and found.static is None:
        warnings.append(_LARGE)
    return answered("advise", data, result, warnings, warnings, recognised=recognised(data))


def first_finding(found: Digest, ignored: Collection[str] = ()) -> Finding | None:
    """The one that gains most, of what is known already."""
    return next(iter(advise(known_of(found, Query(found.question)), ignored)), None)
