"""What it is and costs, what takes most, what to change."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.reports import summary
from tfprof.reports.page.about import About
from tfprof.reports.page.answers import advice_of, if_any, input_of, steps_of, summary_of
from tfprof.reports.page.overview.cards import MICROS, SCALED, cards
from tfprof.reports.page.overview.verdict import section_of, verdict
from tfprof.reports.page.shown import facts_of, notes_of, tables_of
from tfprof.results.page_overview import Advised, PhasePart
from tfprof.results.page_parts import Amount
from tfprof.results.steps import StepsResult
from tfprof.results.summary import SummaryResult

# these have a place of their own
_SHOWN_ELSEWHERE = ("Advice", "Hint")


def section(about: About) -> Mapping[str, object]:
    answer = about.once(summary_of)
    found = answer.data
    asked = if_any(about, steps_of)
    steps = asked.data if asked is not None and isinstance(asked.data, StepsResult) else None
    fed, advice = if_any(about, input_of), if_any(about, advice_of)
    findings = advice.data.findings if advice is not None else ()
    report = summary.view(answer)
    return {
        "cards": cards(found, steps),
        "verdict": verdict(
            found, steps, fed.data if fed is not None else None, next(iter(findings), None)
        ),
        "advised": [Advised(one, section_of(one.rule)) for one in findings],
        "rules": advice.data.rules if advice is not None else None,
        "step": steps.average if steps is not None else None,
        "phases": _phases(found),
        "top": tables_of(report)[:1],
        "facts": [one for one in facts_of(report) if one.label not in _SHOWN_ELSEWHERE],
        "notes": notes_of(report),
    }


def _phases(found: SummaryResult) -> list[PhasePart]:
    """Of a step that trains; of one that only predicts there is nothing to tell."""
    time = found.time.phases
    if time is not None and (time.backward or time.update):
        copies = found.run.copy_us if found.run is not None else 0.0
        parts = {
            "forward": time.forward,
            "backward": time.backward,
            "update": time.update,
            "other": max(0.0, time.other - copies),
        }
        return [PhasePart(name, Amount.measured(us, MICROS)) for name, us in parts.items() if us]
    computed = found.costs.phases or {}
    if len(computed) > 1:
        return [PhasePart(name, Amount.of(one.macs, SCALED)) for name, one in computed.items()]
    return []
