"""A profile for pprof: one sample a graph node, on the stack of the code that made it."""

from __future__ import annotations

import gzip
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

from tfprof.model import metrics
from tfprof.results.tree_exports import PprofFrame, PprofSample
from tfprof.wire.pprof_messages import encoded

_SAMPLED = {metric.name: metric for metric in metrics.METRICS if metric.sample}
METRICS = tuple(_SAMPLED)

_NODE_LABEL = "graph node:"


def profile(samples: Iterable[PprofSample], metric: str) -> bytes:
    """The gzipped profile; `metric` is one of METRICS."""
    return gzip.compress(_message(samples, metric), mtime=0)


def _message(samples: Iterable[PprofSample], metric: str) -> bytes:
    tables = _Tables()
    by_key: dict[str, dict[str, Any]] = {}
    for sample in samples:
        key = sample.node
        while key in by_key:
            key += "@"
        # a stack of pprof begins with the innermost frame
        by_key[key] = {
            "location_id": tables.stack(sample.frames)[::-1],
            "value": [1, sample.value],
            "label": [{"key": tables.string(_NODE_LABEL), "str": tables.string(sample.node)}],
        }
    kinds = [
        {"type": tables.string(kind), "unit": tables.string(unit)}
        for kind, unit in (("count", "count"), (metric, _SAMPLED[metric].unit))
    ]
    comment = tables.string(_SAMPLED[metric].sample)
    values = {
        "sample_type": kinds,
        "sample": [sample for _, sample in sorted(by_key.items())],
        "location": [location for _, location in sorted(tables.locations.items())],
        "function": [function for _, function in sorted(tables.functions.items())],
        "string_table": list(tables.strings),
        "comment": [comment],
    }
    return encoded("Profile", values)


@dataclass(slots=True)
class _Tables:
    """What samples share. Numbers are given in order of creation, strings from 0, others from 1."""

    strings: dict[str, int] = field(default_factory=lambda: {"": 0})
    functions: dict[tuple[str, str, int], dict[str, int]] = field(default_factory=dict)
    locations: dict[tuple[str, str, int], dict[str, Any]] = field(default_factory=dict)

    def string(self, text: str) -> int:
        return self.strings.setdefault(text, len(self.strings))

    def stack(self, frames: Sequence[PprofFrame]) -> list[int]:
        """Locations outermost first: each function called, at the line that called it."""
        return [self._location(caller, called) for caller, called in pairwise(frames)]

    def _location(self, caller: PprofFrame, called: PprofFrame) -> int:
        key = (caller.file, called.function, _unsigned(caller.line))
        if key not in self.locations:
            line = {"function_id": self._function(called), "line": caller.line}
            self.locations[key] = {"id": len(self.locations) + 1, "line": [line]}
        number: int = self.locations[key]["id"]
        return number

    def _function(self, frame: PprofFrame) -> int:
        key = (frame.file, frame.function, _unsigned(frame.function_line))
        if key not in self.functions:
            module = frame.file.rpartition("/")[2].rsplit(".", 1)[0]
            self.functions[key] = {
                "id": len(self.functions) + 1,
                "name": self.string(f"{module}:{frame.function}"),
                "filename": self.string(frame.file),
                "start_line": frame.function_line,
            }
        return self.functions[key]["id"]


def _unsigned(line: int) -> int:
    """The original orders by the bits of a line: an unknown one, -1, comes last."""
    return line & (1 << 64) - 1
