"""Any picture as SVG."""

from __future__ import annotations

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
    StepChart,
)


def render(picture: Picture) -> str:
    if isinstance(picture, Chart):
        return line_chart.render(picture)
    if isinstance(picture, StepChart):
        return step_chart.render(picture)
    if isinstance(picture, FlameChart):
        return flame.render(picture)
    if isinstance(picture, HeatChart):
        return heat_chart.render(picture)
    if isinstance(picture, GraphChart):
        return graph_chart.render(picture)
    if isinstance(picture, HistoryChart):
        return history_chart.render(picture)
    return roofline.render(picture)
