"""All rules asked about a profile."""

from __future__ import annotations

from collections.abc import Collection

from tfprof.analyses.advice.advise import advise, names_meant
from tfprof.analyses.advice.rule import rules
from tfprof.errors import TfprofError, UsageError
from tfprof.model.profile import ProfileData
from tfprof.model.remembered import remembering
from tfprof.reports.advise.known import graph_known, known_of
from tfprof.reports.advise.query import Query
from tfprof.reports.shared.digest import LARGEST_IN_A_SECOND, Digest, digest
from tfprof.reports.shared.question import Question
from tfprof.reports.shared.words import recognised
from tfprof.results.advice import AdviseResult, Finding
from tfprof.results.answered import Answered, answered

SHOWN = 5
# a summary answers at once
_MANY_EVENTS = 300_000
_LARGE = f"the graph has more than {LARGEST_IN_A_SECOND:,} nodes: rules about graphs were not asked"


@remembering()
def ask(data: ProfileData, query: Query) -> Answered[AdviseResult]:
    ignored, unknown = names_meant(query.ignore)
    if unknown:
        raise UsageError(
            f"no advice is called {unknown[0]!r}", hint="`tfprof rules advice` lists all of them."
        )
    found = digest(data, query.question, memory=False)
    told = advise(known_of(found, query), ignored)
    shown = told if query.every else told[:SHOWN]
    result = AdviseResult(tuple(shown), len(told) - len(shown), len(rules()), tuple(ignored))
    # as it was looked at: also who was left out then
    warnings = list(found.data.warnings)
    if data.graph is not None and found.static is None:
        warnings.append(_LARGE)
    return answered("advise", data, result, warnings, warnings, recognised=recognised(data))


def first_finding(found: Digest, ignore: Collection[str] = ()) -> Finding | None:
    """The one that gains most; None also of what takes long to look through.

    Who asks for a summary is told what is wrong with a file that a rule needs by whoever needs it.
    """
    graph, hosts = found.data.graph, found.data.hosts
    is_large = graph is not None and len(graph) > LARGEST_IN_A_SECOND
    if is_large or sum(host.known.events for host in hosts) > _MANY_EVENTS:
        return None
    ignored, _ = names_meant(ignore)
    try:
        return next(iter(advise(known_of(found, Query(found.question)), ignored)), None)
    except TfprofError:
        return None


def has_unfused_batch_norm(data: ProfileData) -> bool:
    """Whatever its nodes are called."""
    found = digest(data, Question(), memory=False)
    graph = graph_known(found)
    return graph is not None and bool(graph.norms.unfused)
