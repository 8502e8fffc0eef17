"""Any picture as SVG."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tfprof.renderers.picture import (
    flame,
    graph_chart,
    heat_chart,
    history_chart,
    line_chart,
    roofline,
    step_chart,
)
from tfprof.views.chart import (
    Chart,
    FlameChart,
    GraphChart,
    HeatChart,
    HistoryChart,
    Picture,
    RooflineChart,
    StepChart,
)

_BY_KIND: dict[type[Picture], Callable[[Any], str]] = {
    Chart: line_chart.render,
    FlameChart: flame.render,
    GraphChart: graph_chart.render,
    HeatChart: heat_chart.render,
    HistoryChart: history_chart.render,
    RooflineChart: roofline.render,
    StepChart: step_chart.render,
}


def render(picture: Picture) -> str:
    return _BY_KIND[type(picture)](picture)
