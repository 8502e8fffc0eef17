"""Peak memory of default sessions, next to what tfprof says before anything runs.

    python benchmarks/optimised.py [SAMPLES]

SAMPLES holds `NAME.graph.pb` (or `.gz`), `NAME_vars.json` and `expected.json` with the peaks that
runs took; without it, those of `measure_memory.py` in the repository:
`noopt` with Grappler off, `default` as users run it. A distance is to the nearer end of what was
measured, 0 inside. The last columns are what Grappler changes, measured and ours: they tell the
error of the rewriting from the error of the estimate that it starts from.
"""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import tfprof

CPU = "/cpu:0"
MEASURED = Path(__file__).parents[1] / "tests/wild_measured"
CLOSE, NEAR = 0.05, 0.25


@dataclass(frozen=True)
class Point:
    """Bytes beside the variables."""

    name: str
    batch: int
    without: list[int]
    default: list[int]
    written: int
    optimised: int

    @property
    def distance(self) -> float:
        return distance(self.optimised, self.default)

    @property
    def changes(self) -> tuple[float, float]:
        """What Grappler changes: measured in the median, and ours."""
        return median(self.default) / median(self.without) - 1, self.optimised / self.written - 1


def distance(size: int, band: list[int]) -> float:
    low, high = min(band), max(band)
    return size / low - 1 if size < low else size / high - 1 if size > high else 0.0


def main() -> None:
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else MEASURED
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    print("| model | batch | default | ours | distance | Grappler changes | ours changes |")
    print("|---|---|---|---|---|---|---|")
    points = []
    for name, model in expected.items():
        (graph,) = folder.glob(f"{name}.graph.pb*")
        profile = tfprof.load(graph, vars=folder / f"{name}_vars.json")
        # of the machine that measured, what a step of the model depends on
        machine = {key: model[key] for key in ("last_cache",) if key in model}
        for batch, one in model["points"].items():
            if "default" in one:
                points.append(point(name, profile, int(batch), {**one, **machine}))
                print(row(points[-1]), flush=True)
    print("", summary(points), sep="\n")


def point(name: str, profile: tfprof.Profile, batch: int, one: dict[str, Any]) -> Point:
    asked = {"feeds": one["feeds"]} if one.get("feeds") else {"batch": batch}
    asked |= {key: one[key] for key in ("last_cache",) if key in one}
    found = profile.memory(as_="optimised", **asked).to_dict()["data"]
    ours = found["devices"][CPU]["peak_bytes"]
    # where XLA compiles a call there is no other form beside it
    other = profile.memory(as_="written", **asked).to_dict()["data"]["devices"][CPU]["peak_bytes"]
    return Point(name, batch, one["noopt"]["held"], one["default"]["held"], other, ours)


def row(one: Point) -> str:
    measured, ours = one.changes
    band = f"{min(one.default):,} to {max(one.default):,}"
    return (
        f"| {one.name} | {one.batch} | {band} | {one.optimised:,} | {one.distance:+.1%} "
        f"| {measured:+.1%} | {ours:+.1%} |"
    )


def summary(points: list[Point]) -> str:
    found = [abs(one.distance) for one in points]
    near = sum(one <= NEAR for one in found)
    return (
        f"{len(points)} points: {median(found):.1%} in the median (goal: {CLOSE:.0%}), "
        f"{near} within {NEAR:.0%} (goal: 9 of 10)"
    )


if __name__ == "__main__":
    main()
