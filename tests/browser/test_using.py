"""Search, collapse, zoom, sort and filter: what somebody does with the sections."""

import pytest


@pytest.fixture
def graph(opened):
    looked = opened("unet", "graph")
    looked.page.wait_for_selector("svg.graph-scene g rect")
    return looked


def _boxes(looked):
    return len(looked.page.query_selector_all("svg.graph-scene rect"))


def _moved(looked):
    """Where and how large the drawing is."""
    return looked.page.evaluate(
        "JSON.stringify(document.querySelector('svg.graph-scene > g').getBoundingClientRect())"
    )


def test_a_link_to_a_scope_opens_it(opened):
    looked = opened("unet", "graph/model/left0")
    looked.page.wait_for_selector("svg.graph-scene g rect")
    assert "left0" in looked.text(".graph-details")
    looked.page.reload()
    looked.page.wait_for_selector("svg.graph-scene g rect")
    assert "left0" in looked.text(".graph-details")


def test_what_is_searched_for_in_the_graph_is_found(graph):
    graph.page.fill(".graph input[type=search], .graph input[role=combobox]", "left0/conv0")
    graph.page.wait_for_timeout(400)
    graph.page.keyboard.press("Enter")
    graph.page.wait_for_timeout(600)
    assert "#graph/" in graph.page.url
    assert "left0" in graph.text(".graph-details")


def test_a_graph_opens_and_closes(opened):
    looked = opened("unet", "graph/model/left0/conv0")
    looked.page.wait_for_selector("svg.graph-scene g rect")
    looked.page.wait_for_timeout(800)
    inside = _boxes(looked)
    looked.page.click("text=Close all")
    looked.page.wait_for_timeout(800)
    assert 0 < _boxes(looked) < inside


@pytest.mark.parametrize("how", ["button", "wheel", "key"])
def test_the_graph_zooms(graph, how):
    graph.page.wait_for_timeout(500)
    before = _moved(graph)
    if how == "button":
        graph.page.click(".graph [aria-label='Zoom in']")
    elif how == "wheel":
        graph.page.hover("svg.graph-scene")
        graph.page.mouse.wheel(0, -240)
    else:
        graph.page.focus("svg.graph-scene")
        graph.page.keyboard.press("+")
    graph.page.wait_for_timeout(500)
    assert _moved(graph) != before


def _ruler(looked):
    """What the canvas shows, as bytes."""
    return looked.page.evaluate("document.querySelector('.timeline-canvas').toDataURL()")


@pytest.mark.parametrize("how", ["button", "wheel", "key"])
def test_the_timeline_zooms_and_comes_back(opened, how):
    looked = opened("slow-cb", "timeline")
    looked.page.wait_for_timeout(500)
    before = _ruler(looked)
    if how == "button":
        looked.page.click(".timeline [aria-label='Zoom in']")
    elif how == "wheel":
        looked.page.hover(".timeline-canvas")
        looked.page.mouse.wheel(0, -240)
    else:
        looked.page.focus(".timeline-canvas")
        looked.page.keyboard.press("w")
    looked.page.wait_for_timeout(500)
    assert _ruler(looked) != before


def test_events_are_found_by_name(opened):
    looked = opened("slow-cb", "timeline")
    looked.page.fill("[aria-label='Search events by name']", "ResizeBilinear")
    looked.page.wait_for_timeout(500)
    assert "events" in looked.text(".timeline-hits")
    looked.page.fill("[aria-label='Search events by name']", "no event is called so")
    looked.page.wait_for_timeout(500)
    assert "nothing found" in looked.text(".timeline-hits")


def _names(looked):
    rows = looked.page.query_selector_all(".table tbody tr[data-at] td:first-child")
    return [row.inner_text() for row in rows]


def test_ops_are_filtered_and_sorted(opened):
    looked = opened("slow-cb", "ops")
    assert len(_names(looked)) > 5
    looked.page.fill(".table-search input", "conv2d")
    looked.page.wait_for_timeout(200)
    found = _names(looked)
    assert found
    assert all("conv2d" in name.lower() for name in found)
    header = looked.page.locator(".table th").first
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "ascending"
    assert _names(looked) == sorted(found)
    header.locator("button").click()
    assert header.get_attribute("aria-sort") == "descending"
    assert _names(looked) == sorted(found, reverse=True)


def test_the_diff_names_both_sides(opened):
    looked = opened("diff", "diff")
    said = looked.text()
    assert "slow-cb" in said
    assert "fast-cb" in said
