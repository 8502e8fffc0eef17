"""Lanes as text: a bar of blocks each, darker where it is busier, names below what is long."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.model.units import plural
from tfprof.renderers.drawing.cut import middle_cut, tail_cut
from tfprof.renderers.text.fold import more
from tfprof.views.shapes import LaneBar, Lanes

_BLOCKS = " ░▒▓█"
_LABEL_SHARE = 3
_PERCENT = 5
# a name with less room says nothing, and what is narrower is not worth one
_NAME_ROOM = 8
_WIDE = 2
_MARK = "└"


def lane_lines(lanes: Lanes, width: int) -> Iterator[str]:
    shown = _busiest(lanes)
    indent = "  " if any(lane.host for lane in shown) else ""
    longest = max((len(indent + lane.label) for lane in shown), default=0)
    label = min(max(longest, len(lanes.title)), width // _LABEL_SHARE)
    bar = width - label - _PERCENT - 4
    begin, end = lanes.span
    axis = begin + end.rjust(max(0, bar - len(begin)))
    yield f"{tail_cut(lanes.title, label).ljust(label)}  {axis}   busy"
    host = ""
    for lane in shown:
        if lane.host != host:
            host = lane.host
            yield tail_cut(host, width)
        share = f"{100 * lane.share:.0f}%"
        name = indent + middle_cut(lane.label, label - len(indent))
        yield f"{name.ljust(label)}  {_bar(lane, bar)}  {share:>5}"
        names = _names(lane, bar)
        if names:
            yield " " * (label + 2) + names
    rest = len(lanes.rows) - len(shown)
    left = [more(rest, "less busy")] if rest else []
    left += [f"{plural(lanes.idle, 'lane')} with nothing that takes time"] if lanes.idle else []
    if left:
        yield " · ".join(left)


def _busiest(lanes: Lanes) -> Sequence[LaneBar]:
    """As many as there is room for, in their order."""
    ranked = sorted(range(len(lanes.rows)), key=lambda at: -lanes.rows[at].share)
    return [lanes.rows[at] for at in sorted(ranked[: lanes.show])]


def _bar(lane: LaneBar, width: int) -> str:
    return "".join(_block(part) for part in _resampled(lane.busy, width))


def _block(part: float) -> str:
    """Blank is nothing at all: a little shows, too."""
    if part <= 0:
        return _BLOCKS[0]
    return _BLOCKS[min(len(_BLOCKS) - 1, 1 + int(part * (len(_BLOCKS) - 1)))]


def _resampled(values: Sequence[float], width: int) -> list[float]:
    count = len(values)
    found = []
    for column in range(width):
        first = column * count // width
        some = values[first : max(first + 1, (column + 1) * count // width)]
        found.append(sum(some) / len(some) if some else 0.0)
    return found


def _names(lane: LaneBar, width: int) -> str:
    """As many as have room, each below the beginning of what it names."""
    line = [" "] * width
    for begin, end, name in lane.named:
        first = min(width - 1, int(begin * width))
        wide = int(end * width) - first >= _WIDE
        room = _free(line, first)
        if not wide or room < min(_NAME_ROOM, len(name) + 2):
            continue
        text = _MARK + tail_cut(name, room - 2)
        line[first : first + len(text)] = text
    return "".join(line).rstrip()


def _free(line: list[str], first: int) -> int:
    """How many places are blank from `first` on; none if it touches the name before."""
    if first and line[first - 1] != " ":
        return 0
    taken = next((at for at in range(first, len(line)) if line[at] != " "), len(line))
    return taken - first
