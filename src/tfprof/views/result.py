"""An answer, ready for any renderer: the view to draw and the data behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tfprof.views.shapes import Report

SCHEMA = "tfprof/1"


@dataclass(frozen=True, slots=True)
class Result:
    """`data` may be a function where it is large and only one of the formats needs it."""

    command: str
    inputs: Sequence[tuple[str, str]]  # path, format
    warnings: Sequence[str]
    data: Mapping[str, Any] | Callable[[], Mapping[str, Any]]
    view: Report

    def envelope(self) -> dict[str, Any]:
        """The JSON object every command answers with."""
        return {
            "schema": SCHEMA,
            "command": self.command,
            "inputs": [{"path": path, "format": kind} for path, kind in self.inputs],
            "warnings": list(self.warnings),
            "data": dict(self.data() if callable(self.data) else self.data),
        }
