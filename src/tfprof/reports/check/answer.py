"""Each limit against what was measured. What nobody knows is never kept silently."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tfprof.analyses.comparison.excess import excess
from tfprof.analyses.comparison.noise import Pairs, tells_noise
from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.profile import ProfileData
from tfprof.model.quantity import Kind, Quantity
from tfprof.model.remembered import remembering
from tfprof.reports.check.contributors import contributors
from tfprof.reports.check.limits import Limit
from tfprof.reports.check.measured import Measured
from tfprof.reports.check.query import Query
from tfprof.reports.diff.sides import PERIOD
from tfprof.reports.diff.timed import paired, share_text
from tfprof.reports.shared.whole_hosts import with_cut_hosts_named
from tfprof.reports.shared.words import recognised
from tfprof.results.answered import Answered, answered, used_inputs
from tfprof.results.check import BudgetRow, CheckResult

_OVER = "over the limit"


@frozen_dataclass
class _Verdict:
    """`undecided`: it may be over, and the steps do not tell."""

    ok: bool
    why: str | None = None
    undecided: bool = False


@remembering()
def ask(data: ProfileData, query: Query) -> Answered[CheckResult]:
    if not query.limits:
        raise UsageError("no budget is given", hint="tfprof check PATH --max-params 5M")
    relative = next((one for one in query.limits if one.is_relative), None)
    if relative is not None and not query.baseline:
        raise UsageError(
            f"{relative.metric.word} {relative.said} is relative, and nothing is given to compare "
            "with",
            hint="tfprof check PATH --baseline FILE",
        )
    memory = any(one.metric.name == "peak_memory" for one in query.limits)
    now = Measured(data, query.question, query.repeats, memory)
    first, *others = query.baseline or (None,)
    before = None
    if first is not None:
        before = Measured(first, query.question, (*others,), memory)
    rows = tuple(_row(limit, now, before, query) for limit in query.limits)
    said = ", ".join(one.title for one in query.baseline) or None
    result = CheckResult(rows, all(row.ok for row in rows), said)
    doubts = [*_warnings(result)]
    data = with_cut_hosts_named(data)
    # a table has no room for whole sentences
    reasons = [f"{row.metric}: {row.why}" for row in rows if not row.ok and row.why != _OVER]
    told = (*data.warnings, *doubts)
    notes = dict.fromkeys([*reasons, *doubts, *data.warnings[:1]])
    made = answered("check", data, result, told, notes, recognised=recognised(data))
    read = (data, *query.repeats, *query.baseline)
    return replace(made, inputs=tuple(one for run in read for one in used_inputs(run)))


def _warnings(result: CheckResult) -> Iterator[str]:
    for row in result.budgets:
        if row.undecided or not row.actual.known:
            yield f"{row.metric}: {row.why or row.actual.reason}"


def _row(limit: Limit, now: Measured, before: Measured | None, query: Query) -> BudgetRow:
    metric = limit.metric
    actual = now.of(metric.name)
    base = before.of(metric.name) if before is not None and limit.is_relative else None
    allowed = limit.given(base.number if base is not None else None)
    verdict = _unknown(actual, base, query)
    if verdict is None and actual.number is not None and allowed is not None:
        verdict = _compared(limit, actual, allowed, now, before, query)
    verdict = verdict or _Verdict(query.allow_unknown, "unknown")
    return BudgetRow(
        metric.name,
        allowed,
        actual,
        verdict.ok,
        verdict.why,
        limit.said,
        base.number if base is not None else None,
        verdict.undecided,
        () if verdict.ok or not actual.known else contributors(metric.name, now),
        metric.unit,
    )


def _unknown(actual: Quantity, base: Quantity | None, query: Query) -> _Verdict | None:
    """None where both are numbers."""
    if actual.number is None:
        return _Verdict(query.allow_unknown, f"unknown: {actual.reason}")
    if base is not None and (base.number is None or base.kind is Kind.AT_LEAST):
        return _Verdict(query.allow_unknown, f"unknown for the baseline: {base.reason}")
    return None


def _compared(
    limit: Limit,
    actual: Quantity,
    allowed: float,
    now: Measured,
    before: Measured | None,
    query: Query,
) -> _Verdict:
    number = actual.number or 0
    if limit.metric.name == "step_time" and limit.is_relative and before is not None:
        return _significant(limit, now, before, query)
    if number > allowed:
        return _Verdict(ok=False, why=_OVER)
    if actual.kind is Kind.AT_LEAST:
        return _Verdict(query.allow_unknown, f"at least so much: {actual.reason}")
    return _Verdict(ok=True)


def _significant(limit: Limit, now: Measured, before: Measured, query: Query) -> _Verdict:
    """Times of steps have noise: over the limit is what chance does not explain."""
    was, is_now = before.parts, now.parts
    base = was[PERIOD].level
    share = limit.amount if limit.is_share_of_baseline else limit.amount / (base or 1.0)
    pairs = paired(was, is_now)
    found = excess(pairs, PERIOD, share, query.run_noise)
    if found.reason:
        return _Verdict(not query.strict, found.reason, undecided=True)
    spread = f"{found.change:+.1%}, between {found.low:+.1%} and {found.high:+.1%}"
    if found.exceeds is None:
        why = f"too few captures to tell: {spread}; {_needed(found.needed, pairs, query)}"
        return _Verdict(not query.strict, why, undecided=True)
    if found.exceeds:
        return _Verdict(ok=False, why=f"slower: {spread}")
    return _Verdict(ok=True, why=spread)


def _needed(runs: int, pairs: Pairs, query: Query) -> str:
    told = f"about {runs:,} a side would"
    one, other = pairs[PERIOD]
    if tells_noise(len(one.runs), len(other.runs)):
        return told
    return f"{told}, if runs differ by {share_text(query.run_noise)} (--run-noise)"
