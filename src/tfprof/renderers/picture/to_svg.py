"""Any picture as SVG."""

from __future__ import annotations

from tfprof.renderers.picture import line_chart, step_chart
from tfprof.views.chart import Chart, Picture


def render(picture: Picture) -> str:
    return line_chart.render(picture) if isinstance(picture, Chart) else step_chart.render(picture)
