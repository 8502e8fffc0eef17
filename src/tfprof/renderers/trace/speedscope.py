"""Costs by scope or line of code as a file for speedscope: a flame graph for each metric."""

from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt

from tfprof.model.metrics import METRICS, OF_BYTES, OF_TIME
from tfprof.printable import printable
from tfprof.results.trees import CostRows, CostTreeResult

Ints = npt.NDArray[np.int64]

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_UNITS = {OF_BYTES: "bytes", OF_TIME: "microseconds"}


def render(title: str, result: CostTreeResult) -> str:
    """A profile for every metric that the view shows and something has any of."""
    rows = result.nodes
    stacks = _stacks(rows)
    profiles = [
        _profile(metric.name, _UNITS.get(metric.unit, "none"), stacks, own)
        for metric in METRICS
        if metric.name in result.select and metric.name not in rows.unknown
        if (own := rows.rest_of(metric.name)).any()
    ]
    return json.dumps(
        {
            "$schema": _SCHEMA,
            "exporter": "tfprof",
            "name": printable(title),
            "shared": {"frames": [{"name": printable(name)} for name in rows.short_names()]},
            "profiles": profiles,
        }
    )


def _stacks(rows: CostRows) -> list[list[int]]:
    """The rows above each, itself last; a parent always comes before."""
    found: list[list[int]] = []
    for at, parent in enumerate(rows.parent.tolist()):
        found.append([*found[parent], at] if parent >= 0 else [at])
    return found


def _profile(name: str, unit: str, stacks: list[list[int]], own: Ints) -> dict[str, object]:
    some = np.flatnonzero(own).tolist()
    return {
        "type": "sampled",
        "name": name,
        "unit": unit,
        "startValue": 0,
        "endValue": int(own.sum()),
        "samples": [stacks[at] for at in some],
        "weights": own[some].tolist(),
    }
