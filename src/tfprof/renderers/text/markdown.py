"""Markdown, for pull requests and notes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tfprof.renderers.text.bars import bar_lines
from tfprof.renderers.text.cells import cell
from tfprof.renderers.text.cost_views import op_text, tree_text
from tfprof.renderers.text.curves import plot_lines
from tfprof.renderers.text.fit import fitted
from tfprof.renderers.text.fold import folded, shown_rows
from tfprof.renderers.text.footnotes import footnotes
from tfprof.renderers.text.heat import heat_lines
from tfprof.renderers.text.lanes import lane_lines
from tfprof.views.shapes import Bars, Facts, HeatMap, Lanes, Notes, Part, Report, Series, Table
from tfprof.views.trees import CostTreeView, OpCostView

_PLOT_WIDTH = 80
_MARKUP = re.compile(r"[\\`*_\[<|&~]")
_FENCES = re.compile("`+")


def render(report: Report) -> str:
    report = fitted(report)
    lines = [f"# {_safe(report.title)}", ""] if report.title else []
    if report.subtitle:
        lines += [_safe(report.subtitle), ""]
    for part in report.parts:
        lines += [*_lines(part), ""]
    return "\n".join(lines)


def _lines(part: Part) -> Iterator[str]:
    if isinstance(part, Facts):
        yield from _grid(["", ""], [[label, text] for label, text in part.rows], [False, False])
    elif isinstance(part, Notes):
        yield from (f"- {_safe(note)}" for note in part.lines[: part.show])
    elif isinstance(part, Series):
        yield from _fenced("\n".join(plot_lines(part, _PLOT_WIDTH)))
    elif isinstance(part, Lanes):
        yield from _fenced("\n".join(lane_lines(part, _PLOT_WIDTH)))
    elif isinstance(part, Bars | HeatMap):
        draw = (
            bar_lines(part, _PLOT_WIDTH)
            if isinstance(part, Bars)
            else heat_lines(part, _PLOT_WIDTH)
        )
        drawn = ("".join(text for text, _ in line) for line in draw)
        yield from _fenced("\n".join(line.rstrip() for line in drawn))
    elif isinstance(part, CostTreeView | OpCostView):
        text = op_text(part) if isinstance(part, OpCostView) else tree_text(part)
        yield from _fenced(text.rstrip("\n"))
    elif isinstance(part, Table):
        if part.title:
            yield from (f"**{_safe(part.title)}**", "")
        texts = [
            [cell(v, c.unit) for v, c in zip(row, part.columns, strict=True)]
            for row in shown_rows(part)
        ]
        numeric = [column.unit.is_number for column in part.columns]
        yield from _grid([column.title for column in part.columns], texts, numeric)
        rest = folded(part)
        if rest:
            yield from ("", _safe(rest))
        yield from (line for note in footnotes(part) for line in ("", _safe(note)))


def _grid(titles: list[str], rows: list[list[str]], right: list[bool]) -> Iterator[str]:
    yield "| " + " | ".join(_safe(title) for title in titles) + " |"
    yield "|" + "|".join("---:" if flush else "---" for flush in right) + "|"
    for row in rows:
        yield "| " + " | ".join(_safe(text) for text in row) + " |"


def _safe(text: str) -> str:
    """Nothing of a name is taken for markup, HTML or a link."""
    return _MARKUP.sub(r"\\\g<0>", text)


def _fenced(text: str) -> Iterator[str]:
    """As it is, between fences that are longer than any it has."""
    longest = max(map(len, _FENCES.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield from (fence, text, fence)
