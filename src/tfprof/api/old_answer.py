"""Answers of questions that are not rebuilt yet."""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tfprof.errors import ExtraMissing, UsageError
from tfprof.renderers import csv, markdown, picture, plain
from tfprof.renderers.cost_table import as_table
from tfprof.renderers.data import json
from tfprof.views.chart import Picture
from tfprof.views.costs import CostTreeView, OpCostView
from tfprof.views.result import Result
from tfprof.views.shapes import Bars, Lanes, Table

if TYPE_CHECKING:
    import pandas as pd


class OldAnswer:
    """What a question came to."""

    def __init__(self, result: Result, chart: Callable[[], Picture] | None = None) -> None:
        self._result = result
        self._chart = chart

    @property
    def warnings(self) -> list[str]:
        return list(self._result.warnings)

    def __str__(self) -> str:
        return plain.render(self._result.view).rstrip("\n")

    def __repr__(self) -> str:
        return f"<tfprof {self._result.command} of {self._result.view.title}>"

    def _repr_html_(self) -> str:
        return f"<pre>{html.escape(str(self))}</pre>"

    def to_dict(self) -> dict[str, Any]:
        """The JSON envelope as a dict."""
        return self._result.envelope()

    def to_json(self) -> str:
        return json.laid_out(self._result.envelope())

    def to_csv(self) -> str:
        return csv.render(self._result.view)

    def to_markdown(self) -> str:
        return markdown.render(self._result.view)

    @property
    def view(self):
        return self._result.view

    def to_text(self, width: int = 80) -> str:
        return plain.render(self.view, width)

    def to_svg(self) -> str:
        """The picture that `tfprof draw` makes, for answers that have one."""
        if self._chart is None:
            raise UsageError(
                f"there is no picture of the {self._result.command}",
                hint="memory() and steps() have one.",
            )
        return picture.render(self._chart())

    def to_pandas(self) -> pd.DataFrame:
        """The answer's first table as a data frame."""
        try:
            import pandas as pd
        except ImportError:
            raise ExtraMissing("to_pandas() needs pandas", hint="pip install pandas") from None
        for part in self._result.view.parts:
            if isinstance(part, Table | Lanes | Bars | CostTreeView | OpCostView):
                table = as_table(part)
                columns = [column.key for column in table.columns]
                return pd.DataFrame([list(row) for row in table.rows], columns=columns)
        return pd.DataFrame()
