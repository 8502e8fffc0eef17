"""The answer about input on a screen: facts, and a tree for every pipeline."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tfprof.reports.input.session_words import fetch_facts, fetch_table
from tfprof.reports.input.words import (
    bottleneck_text,
    budget_text,
    function_table,
    stage_table,
    waiting_text,
)
from tfprof.results.answered import Answered
from tfprof.results.input import InputPipeline, InputResult
from tfprof.views.shapes import Facts, Notes, Part, Report, without_empty

_SHOWN = 3


def view(answered: Answered[InputResult]) -> Report:
    found = answered.data
    several = len(found.pipelines) > 1
    parts: list[Part] = [Facts(list(_facts(found)))]
    if found.fetches:
        parts.append(fetch_table(found.fetches))
    shown = _shown(found)
    for number, one in enumerate(found.pipelines, 1):
        stages = stage_table(one, f"stage of {number}" if several else "stage")
        on_screen = number in shown
        parts += [replace(table, on_screen=on_screen) for table in (stages, function_table(one))]
    said = list(answered.notes)
    rest = len(found.pipelines) - _SHOWN
    if rest > 0:
        said.append(f"… {rest:,} more pipelines: --json and .csv have them all.")
    return Report(*answered.subject.lines, without_empty([*parts, Notes(said)]))


def _facts(found: InputResult) -> Iterator[tuple[str, str]]:
    for host in found.hosts:
        if host.waiting is not None and (host.pipelines or host.waiting.waited):
            of = f"{host.host}: " if len(found.hosts) > 1 else ""
            yield "Waiting", of + waiting_text(host.waiting)
    if found.fetches:
        yield from fetch_facts(found.fetches, found.waited.share)
    several = len(found.pipelines) > 1
    for number, one in _shown(found).items():
        of = f"{one.host}: " if found.host is not None else ""
        yield f"Pipeline{f' {number}' if several else ''}", of + budget_text(one)
        yield from _pipeline_facts(one)


def _shown(found: InputResult) -> dict[int, InputPipeline]:
    """By their numbers: of several hosts, those of the one that waits longest are among them."""
    every = [*enumerate(found.pipelines, 1)]
    first = sorted(every, key=lambda one: one[1].host != found.host)[:_SHOWN]
    return dict(sorted(first, key=lambda one: one[0]))


def _pipeline_facts(found: InputPipeline) -> Iterator[tuple[str, str]]:
    yield "Bottleneck", bottleneck_text(found)
    for text in found.advice:
        yield "Change", text
