"""Boxes in layers, so that what flows goes down: a simple layout of a graph.

Each box stands below all that it reads (longest path), and in its layer near the middle of its
neighbours (barycentres, a few times down and up). A link over several layers has a place in each.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

Pair = tuple[int, int]

_SWEEPS = 6
# who has more neighbours stands aside: lines to it would lie over everything
_MANY = 8
_CROWD = 12


@dataclass(slots=True)
class Layers:
    """`rows` are places from top to bottom; those from `boxes` on are where links pass through.

    `ways` has the places that each link goes through, its ends among them. `aside` are boxes with
    no link that is drawn, by how many they are joined to.
    """

    rows: list[list[int]] = field(default_factory=list)
    ways: dict[Pair, list[int]] = field(default_factory=dict)
    aside: dict[int, int] = field(default_factory=dict)


def layers(boxes: int, links: Sequence[Pair]) -> Layers:
    links = list(dict.fromkeys(pair for pair in links if pair[0] != pair[1]))
    joined = _neighbours(boxes, links)
    many = {one for one in range(boxes) if boxes > _CROWD and len(joined[one]) > _MANY}
    drawn = [(a, b) for a, b in links if a not in many and b not in many]
    down = _without_rounds(boxes, drawn)
    level = _levels(boxes, down)
    used = {end for pair in drawn for end in pair}
    found = Layers()
    found.aside = {one: len(joined[one]) for one in range(boxes) if one not in used}
    found.rows = [[] for _ in range(max((level[one] for one in used), default=-1) + 1)]
    for one in sorted(used):
        found.rows[level[one]].append(one)
    _pass_through(found, boxes, drawn, level)
    _order(found)
    return found


def _neighbours(boxes: int, links: Sequence[Pair]) -> list[set[int]]:
    found: list[set[int]] = [set() for _ in range(boxes)]
    for source, target in links:
        found[source].add(target)
        found[target].add(source)
    return found


def _without_rounds(boxes: int, links: Sequence[Pair]) -> list[Pair]:
    """A link that closes a circle is taken the other way round."""
    reads: list[list[int]] = [[] for _ in range(boxes)]
    for source, target in links:
        reads[source].append(target)
    state = [0] * boxes  # 1 while what is below it is looked at
    back: set[Pair] = set()
    for start in range(boxes):
        path = [(start, iter(reads[start]))] if not state[start] else []
        state[start] = state[start] or 1
        while path:
            one, below = path[-1]
            for other in below:
                if state[other] == 1:
                    back.add((one, other))
                elif not state[other]:
                    state[other] = 1
                    path.append((other, iter(reads[other])))
                    break
            else:
                state[one] = 2
                path.pop()
    return [(b, a) if (a, b) in back else (a, b) for a, b in links]


def _levels(boxes: int, down: Sequence[Pair]) -> list[int]:
    level, waits = [0] * boxes, [0] * boxes
    below: list[list[int]] = [[] for _ in range(boxes)]
    for source, target in down:
        waits[target] += 1
        below[source].append(target)
    ready = [one for one in range(boxes) if not waits[one]]
    for one in ready:
        for other in below[one]:
            level[other] = max(level[other], level[one] + 1)
            waits[other] -= 1
            if not waits[other]:
                ready.append(other)
    # what reads nothing stands right above its first reader, which keeps lines short
    reading = {target for _, target in down}
    for one in range(boxes):
        if below[one] and one not in reading:
            level[one] = min(level[other] for other in below[one]) - 1
    return level


def _pass_through(found: Layers, boxes: int, drawn: Sequence[Pair], level: Sequence[int]) -> None:
    place = boxes
    for source, target in drawn:
        step = 1 if level[target] >= level[source] else -1
        way = [source]
        for row in range(level[source] + step, level[target], step):
            found.rows[row].append(place)
            way.append(place)
            place += 1
        found.ways[source, target] = [*way, target]


def _order(found: Layers) -> None:
    """By the middle of the neighbours in the row before, down and up in turn."""
    above: dict[int, list[int]] = {}
    below: dict[int, list[int]] = {}
    row_of = {one: at for at, row in enumerate(found.rows) for one in row}
    for way in found.ways.values():
        for one, other in pairwise(way):
            upper, lower = (one, other) if row_of[one] < row_of[other] else (other, one)
            below.setdefault(upper, []).append(lower)
            above.setdefault(lower, []).append(upper)
    for sweep in range(_SWEEPS):
        going_down = sweep % 2 == 0
        near = above if going_down else below
        rows = found.rows[1:] if going_down else found.rows[-2::-1]
        for row in rows:
            at = _places(found.rows)
            middle = {one: _middle([at[n] for n in near.get(one, ())], at[one]) for one in row}
            row.sort(key=lambda one: (middle[one], at[one]))


def _places(rows: Sequence[Sequence[int]]) -> dict[int, float]:
    """From 0 to 1 in a row, so that rows of different lengths compare."""
    return {one: (at + 0.5) / len(row) for row in rows for at, one in enumerate(row)}


def _middle(places: Sequence[float], without: float) -> float:
    return sum(places) / len(places) if places else without
