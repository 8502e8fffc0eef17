"""A graph of boxes as SVG: inputs on top, what flows written beside the lines."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise

from tfprof.renderers.drawing.cut import head_cut, tail_cut
from tfprof.renderers.picture import chart_frame, svg
from tfprof.renderers.picture.chart_frame import EDGE, LINE
from tfprof.renderers.picture.layers import Layers, layers
from tfprof.views.chart import GraphBox, GraphChart, GraphLink

_TOP = 88.0
_WIDTH, _HEIGHT = 172.0, 40.0
_GAP, _PASSING = 12.0, 14.0
_BETWEEN_ROWS, _BETWEEN_LAYERS = 28.0, 34.0
_LABEL, _COST, _SHAPE = 12.0, 11.0, 10.0
_IN_A_ROW = 4
_HOTTEST, _COLDEST = 0.6, 0.07

Point = tuple[float, float]


def render(chart: GraphChart) -> str:
    found = layers(len(chart.boxes), [(one.source, one.target) for one in chart.links])
    places, bottom = _places(found, len(chart.boxes))
    bottom = _aside(found.aside, places, bottom)
    links = {(one.source, one.target): one for one in chart.links}
    room = svg.letters_in(svg.WIDTH - 2 * EDGE, chart_frame.SMALL)
    notes = [
        svg.text(EDGE, bottom + 20 + at * LINE, tail_cut(note, room), "quiet", font_size=12.0)
        for at, note in enumerate(chart.notes)
    ]
    parts = [
        *chart_frame.heading(chart.title, chart.subtitle),
        *_lines(found, links, places, len(chart.boxes)),
        *(part for at, box in enumerate(chart.boxes) for part in _box(box, places[at], found, at)),
        *notes,
    ]
    height = bottom + EDGE + len(notes) * LINE
    return svg.document(height, f"{chart.title}. {chart.subtitle}", parts)


def _places(found: Layers, boxes: int) -> tuple[dict[int, Point], float]:
    """The upper left of each box, and where lines pass; a layer with many boxes takes some rows."""
    places: dict[int, Point] = {}
    y = _TOP
    for row in found.rows:
        parts = _parts(row, boxes)
        for part in parts:
            widths = [_WIDTH if one < boxes else _PASSING for one in part]
            x = (svg.WIDTH - sum(widths) - _GAP * (len(part) - 1)) / 2
            for one, width in zip(part, widths, strict=True):
                places[one] = (x, y)
                x += width + _GAP
            y += _HEIGHT + _BETWEEN_ROWS
        y += _BETWEEN_LAYERS - _BETWEEN_ROWS
    return places, y - _BETWEEN_LAYERS + _BETWEEN_ROWS if found.rows else y


def _parts(row: Sequence[int], boxes: int) -> list[list[int]]:
    """As many beside each other as the paper is wide."""
    parts: list[list[int]] = [[]]
    used = 0.0
    for one in row:
        width = (_WIDTH if one < boxes else _PASSING) + _GAP
        if parts[-1] and used + width > svg.WIDTH - EDGE:
            parts.append([])
            used = 0.0
        parts[-1].append(one)
        used += width
    return parts


def _aside(aside: Mapping[int, int], places: dict[int, Point], bottom: float) -> float:
    """Below the rest, in rows: what has no line of its own."""
    if not aside:
        return bottom
    first = bottom + _BETWEEN_LAYERS if places else bottom
    for at, one in enumerate(aside):
        row, column = divmod(at, _IN_A_ROW)
        x = EDGE + column * (_WIDTH + (svg.WIDTH - 2 * EDGE - _IN_A_ROW * _WIDTH) / (_IN_A_ROW - 1))
        places[one] = (x, first + row * (_HEIGHT + _BETWEEN_ROWS))
    return first + -(-len(aside) // _IN_A_ROW) * (_HEIGHT + _BETWEEN_ROWS)


def _box(box: GraphBox, place: Point, found: Layers, at: int) -> Iterator[str]:
    x, y = place
    known = box.heat is not None
    look: dict[str, str | float] = (
        {"fill_opacity": _COLDEST + (_HOTTEST - _COLDEST) * (box.heat or 0.0)}
        if known
        else {"fill_opacity": 0.0, "stroke_dasharray": "3 3"}
    )
    corner = 4.0 if box.is_scope else 14.0
    shape: dict[str, str | float] = {"x": x, "y": y, "width": _WIDTH, "height": _HEIGHT}
    # lines go behind boxes: paper first
    yield svg.element("rect", "paper", "", rx=corner, **shape)
    said = svg.tooltip(box.said)
    yield svg.element("rect", "dot1", said, stroke="#8b949e", rx=corner, **look, **shape)
    joined = found.aside.get(at, 0)
    mark = f"⇄ {joined}" if joined else ""
    room = svg.letters_in(_WIDTH - 16 - svg.text_width(mark, _COST), _LABEL)
    weight: dict[str, str | float] = {"font_weight": 600} if box.is_scope else {}
    unseen: dict[str, str | float] = {"pointer_events": "none"}
    label = head_cut(box.label, room)
    yield svg.text(x + 8, y + 16, label, "ink", font_size=_LABEL, **weight, **unseen)
    if mark:
        end = x + _WIDTH - 8
        yield svg.text(end, y + 16, mark, "quiet", font_size=_COST, text_anchor="end", **unseen)
    cost = tail_cut(box.cost, svg.letters_in(_WIDTH - 16, _COST))
    yield svg.text(x + 8, y + 31, cost, "quiet", font_size=_COST, **unseen)


def _lines(
    found: Layers,
    links: Mapping[tuple[int, int], GraphLink],
    places: Mapping[int, Point],
    boxes: int,
) -> Iterator[str]:
    taken: list[tuple[float, float, float]] = []
    labels = []
    for pair, way in found.ways.items():
        link = links[pair]
        points = _points(way, places, boxes)
        said = svg.tooltip(f"{link.label or 'shape not known'}, {link.count} in all")
        width = min(4.0, 1.0 + link.count.bit_length() * 0.3)
        yield svg.element("path", "axis", said, d=_curve(points), fill="none", stroke_width=width)
        yield _arrow(points)
        label = _label(link, points, taken)
        if label:
            labels.append(label)
    yield from labels


def _points(way: Sequence[int], places: Mapping[int, Point], boxes: int) -> list[Point]:
    """From below a box, through the places on the way, to above the other."""
    down = places[way[-1]][1] >= places[way[0]][1]
    found = []
    for at, one in enumerate(way):
        x, y = places[one]
        if one >= boxes:
            found.append((x + _PASSING / 2, y + _HEIGHT / 2))
            continue
        leaves = at == 0
        found.append((x + _WIDTH / 2, y + _HEIGHT if leaves == down else y))
    return found


def _curve(points: Sequence[Point]) -> str:
    path = f"M{points[0][0]:.1f} {points[0][1]:.1f}"
    for (x, y), (to_x, to_y) in pairwise(points):
        middle = (y + to_y) / 2
        path += f"C{x:.1f} {middle:.1f} {to_x:.1f} {middle:.1f} {to_x:.1f} {to_y:.1f}"
    return path


def _arrow(points: Sequence[Point]) -> str:
    x, y = points[-1]
    back = -6.0 if points[-2][1] <= y else 6.0
    path = f"M{x:.1f} {y:.1f}l-3 {back:.1f}h6z"
    return svg.element("path", "axis", d=path, fill="#8b949e")


def _label(
    link: GraphLink, points: Sequence[Point], taken: list[tuple[float, float, float]]
) -> str | None:
    """Beside the end of the line; left out where another one stands: the tooltip has it."""
    if not link.label:
        return None
    x, y = points[-1]
    at, half = y - 14, svg.text_width(link.label, _SHAPE) / 2
    if any(
        abs(at - other) < _SHAPE + 2 and x - half < to and x + half > by for by, to, other in taken
    ):
        return None
    taken.append((x - half, x + half, at))
    paper: dict[str, str | float] = {"x": x - half, "y": at - 9, "width": 2 * half, "height": 12.0}
    words = svg.text(x, at, link.label, "quiet", font_size=_SHAPE, text_anchor="middle")
    return svg.element("rect", "paper", "", **paper) + words
