"""What is drawn of an answer in a notebook: stacked bars, lanes and curves."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.model import units
from tfprof.renderers.drawing.stacks import means, spans
from tfprof.renderers.text.html_style import area
from tfprof.renderers.text.html_words import safe, tag, width
from tfprof.views.shapes import Bars, Curve, Lanes, Series

_MOST_BARS, _MOST_POINTS, _MOST_LANES = 60, 240, 40
_HIGH = 100


def bars(part: Bars) -> Iterator[str]:
    """A line each; of many, the mean of neighbours."""
    groups = spans(len(part.rows), _MOST_BARS)
    longest = max((row.total for row in part.rows), default=0.0) or 1.0
    kinds = range(len(part.kinds))
    columns = [[*means([row.parts[at] for row in part.rows], groups)] for at in kinds]
    lines = []
    for at, group in enumerate(groups):
        first, last = part.rows[group.start], part.rows[group.stop - 1]
        label = first.label if first is last else f"{first.label} to {last.label}"
        parts = [column[at] for column in columns]
        note = first.note if first is last else f"mean of {len(group)}"
        lines.append(_bar(part, label, parts, longest, note))
    yield tag("table", [tag("caption", safe(part.title)), tag("tbody", lines)])
    used = [kind for at, kind in enumerate(part.kinds) if any(columns[at])]
    yield tag("div", (tag("span", style=area(k.key)) + safe(k.label) for k in used), class_="l")


def _bar(part: Bars, label: str, parts: Sequence[float], longest: float, note: str) -> str:
    pieces = [
        tag("span", style=f"{area(kind.key)};{width(value / longest)}",
            title=f"{kind.label} {units.duration(value)}")
        for kind, value in zip(part.kinds, parts, strict=True)
        if value > 0
    ]  # fmt: skip
    return tag("tr", [
        tag("th", safe(label), scope="row"),
        tag("td", safe(units.duration(sum(parts))), class_="n"),
        tag("td", tag("div", pieces, class_="k"), style="width:60%"),
        tag("td", safe(note), class_="q"),
    ])  # fmt: skip


def lanes(part: Lanes) -> Iterator[str]:
    """How busy each was over the time; dense where it was busy all the time."""
    shown = part.rows[: min(part.show or _MOST_LANES, _MOST_LANES)]
    lines = [
        tag("tr", [
            tag("th", safe(f"{row.host} {row.label}".strip()), scope="row"),
            tag("td", safe(units.share(row.share, 1.0)), class_="n"),
            tag("td", _strip(row.busy), style="width:60%"),
        ])
        for row in shown
    ]  # fmt: skip
    title = f"{part.title}: {part.span[0]} to {part.span[1]}"
    yield tag("table", [tag("caption", safe(title)), tag("tbody", lines)])
    left = len(part.rows) - len(shown) + part.idle
    if left > 0:
        yield tag("div", safe(f"… {left:,} more"), class_="q")


def _strip(busy: Sequence[float]) -> str:
    groups = spans(len(busy), _MOST_POINTS)
    boxes = (
        tag("rect", x=at, y=f"{10 * (1 - share):.2f}", width=1, height=f"{10 * share:.2f}")
        for at, share in enumerate(means(busy, groups))
        if share > 0
    )
    return tag("svg", boxes, viewBox=f"0 0 {max(1, len(groups))} 10", class_="w", role="img",
               preserveAspectRatio="none")  # fmt: skip


def curves(part: Series) -> Iterator[str]:
    """Filled from 0 up to the highest of all; the ends are said below."""
    highest = max((max(curve.values, default=0) for curve in part.curves), default=0)
    if highest <= 0 or not part.points:
        return
    write = units.duration if part.over_time else units.exact
    ends = f"{write(part.points[0])} to {write(part.points[-1])}"
    for curve in part.curves:
        top = max(curve.values, default=0)
        said = f"{curve.name} · at most {units.size(top)} · {ends}".removeprefix(" · ")
        yield tag("div", safe(said), class_="s")
        yield _area(curve, part, highest)


def _area(curve: Curve, part: Series, highest: float) -> str:
    first, last = part.points[0], part.points[-1]
    groups = spans(len(curve.values), _MOST_POINTS)
    corners: list[tuple[float, float]] = []
    before = 0.0
    for group in groups:
        across = 1000 * (part.points[group.start] - first) / max(1, last - first)
        high = _HIGH * (1 - max(curve.values[at] for at in group) / highest)
        # over time a value holds until the next; over batches it is a line
        corners += [(across, before)] if part.over_time and corners else []
        corners.append((across, high))
        before = high
    outline = [(0.0, float(_HIGH)), *corners, (1000.0, corners[-1][1]), (1000.0, float(_HIGH))]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in outline)
    return tag("svg", tag("polygon", points=points), viewBox=f"0 0 1000 {_HIGH}", role="img",
               preserveAspectRatio="none")  # fmt: skip
