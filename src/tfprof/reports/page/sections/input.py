"""The stages of the input pipeline: which one the model waits for, and what to change about it."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.reports import input as of_input
from tfprof.reports.input.session_words import fetch_table
from tfprof.reports.input.words import bottleneck_text, budget_text, function_table, stage_table
from tfprof.reports.page.about import About, NothingToShow
from tfprof.reports.page.answers import advice_of, if_any, input_of
from tfprof.reports.page.overview.verdict import section_of
from tfprof.reports.page.shown import facts_of, notes_of, table_part
from tfprof.reports.shared.words import of_host
from tfprof.results.advice import Finding
from tfprof.results.input import InputPipeline
from tfprof.results.page_input import PipelineShown, StageShown
from tfprof.results.page_parts import FactRow

_INPUT = "input"
# these stand beside each pipeline
_SHOWN_ELSEWHERE = ("Pipeline", "Bottleneck", "Change")
# a run with thousands of pipelines has the same one again and again
_MOST_PIPELINES = 40


def section(about: About) -> Mapping[str, object]:
    answer = about.once(input_of)
    found = answer.data
    report = of_input.view(answer)
    if not found.pipelines and not found.fetches:
        raise NothingToShow("; ".join(notes_of(report)) or "no input was recorded")
    shown = found.pipelines[:_MOST_PIPELINES]
    return {
        "waited": found.waited,
        "hidden_us": found.hidden,
        "verdict": None if found.verdict is None else of_host(found.host, found.verdict),
        "pipelines": [_pipeline(one) for one in shown],
        "more": len(found.pipelines) - len(shown),
        "functions": [table_part(function_table(one)) for one in shown],
        "fetches": table_part(fetch_table(found.fetches)) if found.fetches else None,
        "advised": _advised(about),
        "facts": [one for one in facts_of(report) if not _is_elsewhere(one)],
        "notes": notes_of(report),
    }


def _is_elsewhere(fact: FactRow) -> bool:
    return fact.label.rstrip("0123456789 ") in _SHOWN_ELSEWHERE


def _pipeline(one: InputPipeline) -> PipelineShown:
    slow = one.slow.stage if one.slow is not None else None
    held_up = one.slow.held_up if one.slow is not None else None
    how = [str(row[-1] or "") for row in stage_table(one, "").rows]
    stages = [
        StageShown(stage, stage.depth, how[at], at == slow, at == held_up)
        for at, stage in enumerate(one.stages)
    ]
    return PipelineShown(
        one.number,
        one.host,
        one.calls,
        one.waited.share,
        budget_text(one),
        bottleneck_text(one),
        one.advice,
        tuple(stages),
    )


def _advised(about: About) -> list[Finding]:
    advice = if_any(about, advice_of)
    findings = advice.data.findings if advice is not None else ()
    return [one for one in findings if section_of(one.rule) == _INPUT]
