"""A graph in layers: what flows goes down, and no box lies on another."""

import random
import re
from itertools import pairwise

import pytest

from tfprof.renderers.picture import graph_chart
from tfprof.renderers.picture.layers import layers
from tfprof.views.chart import GraphBox, GraphChart, GraphLink


def _random_links(seed, boxes):
    rng = random.Random(seed)  # noqa: S311
    count = rng.randrange(boxes * 2)
    return [(rng.randrange(boxes), rng.randrange(boxes)) for _ in range(count)]


def _rows(found, boxes):
    return {one: at for at, row in enumerate(found.rows) for one in row if one < boxes}


@pytest.mark.parametrize("seed", range(40))
def test_every_box_is_there_once_and_ways_go_from_row_to_row(seed):
    boxes = 25
    found = layers(boxes, _random_links(seed, boxes))
    placed = [one for row in found.rows for one in row if one < boxes] + list(found.aside)
    assert sorted(placed) == list(range(boxes))
    row_of = {one: at for at, row in enumerate(found.rows) for one in row}
    for (source, target), way in found.ways.items():
        assert (way[0], way[-1]) == (source, target)
        steps = [abs(row_of[a] - row_of[b]) for a, b in pairwise(way)]
        assert set(steps) <= {1}


def test_a_chain_goes_down_and_a_source_stands_above_its_reader():
    rows = _rows(layers(5, [(0, 1), (1, 2), (2, 3), (4, 3)]), 5)
    assert rows == {0: 0, 1: 1, 2: 2, 3: 3, 4: 2}


def test_a_circle_is_drawn_all_the_same():
    found = layers(3, [(0, 1), (1, 2), (2, 0)])
    assert len(found.ways) == 3
    assert len(set(_rows(found, 3).values())) == 3


def test_who_has_many_neighbours_stands_aside():
    found = layers(20, [(at, at + 1) for at in range(18)] + [(at, 19) for at in range(18)])
    assert found.aside == {19: 18}


def test_the_longest_chain_does_not_end_in_a_recursion():
    assert len(layers(1500, [(at, at + 1) for at in range(1499)]).rows) == 1500


def _chart(boxes, links):
    made = [GraphBox(f"scope/<{at}>", "1 µs", at / boxes, "all", True) for at in range(boxes)]
    return GraphChart("T", "S", made, [GraphLink(a, b, "B×3", 1) for a, b in links])


@pytest.mark.parametrize("seed", range(15))
def test_no_box_lies_on_another_and_all_are_on_the_paper(seed):
    text = graph_chart.render(_chart(25, _random_links(seed, 25)))
    height = float(re.search(r'viewBox="0 0 800 ([\d.]+)"', text)[1])
    found = re.findall(r'<rect class="dot1"[^>]* x="([\d.]+)" y="([\d.]+)"', text)
    places = sorted((float(x), float(y)) for x, y in found)
    assert len(places) == 25
    for at, (x, y) in enumerate(places):
        assert 0 <= x <= 800 - 172
        assert 0 <= y <= height - 40
        for other_x, other_y in places[at + 1 :]:
            assert abs(other_x - x) >= 172 or abs(other_y - y) >= 40


def test_names_are_text():
    assert "scope/&lt;0&gt;" in graph_chart.render(_chart(1, []))
