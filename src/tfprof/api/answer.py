"""An answer in Python: print it, keep it as data, show it in a notebook."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from tfprof.commands.command import Command
from tfprof.commands.registry import command_called, commands
from tfprof.errors import ExtraMissing, UsageError
from tfprof.printable import printable
from tfprof.results.answered import Answered
from tfprof.views.shapes import Report

if TYPE_CHECKING:
    import pandas as pd


class Answer:
    """What a question came to."""

    def __init__(
        self, answered: Answered[object], to_draw: Callable[[], Answered[object]] | None = None
    ) -> None:
        """A curve may need more points than were asked for: `to_draw` asks for them."""
        self.result = answered
        self._to_draw = to_draw

    @cached_property
    def view(self) -> Report:
        """What there is to see, complete; renderers cut it to the screen."""
        return self._command.module().view(self.result)

    @property
    def _command(self) -> Command:
        name = self.result.command
        return command_called(name) or commands()[name]

    @property
    def warnings(self) -> list[str]:
        return list(self.result.warnings)

    def __str__(self) -> str:
        return self.to_text().rstrip("\n")

    def __repr__(self) -> str:
        return f"<tfprof {self.result.command} of {printable(self.view.title)}>"

    def _repr_html_(self) -> str:
        from tfprof.renderers.text import html

        return html.render(self.view)

    def to_dict(self) -> dict[str, Any]:
        """The JSON envelope as a dict."""
        from tfprof.renderers.data.encode import encoded

        found: dict[str, Any] = encoded(self.result)
        return found

    def to_json(self) -> str:
        from tfprof.renderers.data import json

        return json.render(self.result)

    def to_csv(self) -> str:
        from tfprof.renderers.data import csv

        return csv.render(self.view)

    def to_markdown(self) -> str:
        from tfprof.renderers.text import markdown

        return markdown.render(self.view)

    def to_text(self, width: int = 80) -> str:
        from tfprof.renderers.text import plain

        return plain.render(self.view, width)

    def to_svg(self) -> str:
        """The picture that `tfprof draw` makes, for answers that have one."""
        command = self._command
        if command.drawing is None:
            raise UsageError(
                f"there is no picture of the {self.result.command}",
                hint="memory(), steps() and layers() of a run have one.",
            )
        drawn = self.result if self._to_draw is None else self._to_draw()
        from tfprof.renderers.picture import to_svg  # loads XML, and that the network

        return to_svg.render(command.picture(drawn))

    def to_pandas(self) -> pd.DataFrame:
        """The answer's first table as a data frame."""
        try:
            import pandas as pd
        except ImportError:
            raise ExtraMissing("to_pandas() needs pandas", hint="pip install pandas") from None
        from tfprof.renderers.data.cost_table import main_table
        from tfprof.renderers.data.raw import raw

        table = main_table(self.view)
        if table is None:
            return pd.DataFrame()
        rows = [[raw(value) for value in row] for row in table.rows]
        return pd.DataFrame(rows, columns=[column.key for column in table.columns])

    def to_parquet(self) -> bytes:
        """The same table as the bytes of a Parquet file."""
        from tfprof.renderers.data import parquet

        return parquet.render(self.view)

    def to_speedscope(self) -> str:
        """Costs by scope, graph or code as a file for speedscope."""
        from tfprof.renderers.output_formats import speedscope

        return speedscope.render(self, 80)
