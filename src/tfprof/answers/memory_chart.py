"""The curves of a memory answer as a picture: peaks over the batch, or totals below a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import PurePath
from typing import Any

from tfprof.model import units
from tfprof.views.chart import Chart, Limit
from tfprof.views.result import Result
from tfprof.views.shapes import Curve, Notes, Series

Ask = Callable[[Sequence[int]], Result]
_A_FEW = 8


def memory_chart(
    ask: Ask, batches: Sequence[int] = (), budget: int | None = None, given: Sequence[str] = ()
) -> Chart:
    """`ask` is the memory question for any batches; `given` are sizes the graph leaves open."""
    drawn = sorted(set(batches))
    if len(drawn) < 2:
        fit = _fitting(_data(ask(drawn))) if budget is not None else []
        drawn = _enough_for_a_curve(drawn, fit)
    result = ask(drawn)
    data = _data(result)
    models = [data, *([data["against"]] if "against" in data else [])]
    curves = _curves(result)
    files = [curve.name for curve in curves[: len(models)]]
    what = " and ".join(dict.fromkeys(model["computed"] for model in models))
    if budget is not None:  # what fits is decided on the total
        curves = [
            _with_variables(curve, models[min(at, len(models) - 1)])
            for at, curve in enumerate(curves)
        ]
    return Chart(
        f"Peak memory of {what}",
        " · ".join([" and ".join(files), *given, f"model {data['model']}"]),
        "batch",
        f"peak memory {'with' if budget is not None else 'beside'} the variables",
        Series(drawn, _short(curves)),
        _limit(data, budget) if budget is not None else None,
        [*_said_of_curves(data, curves), *_notes(result)],
    )


def _enough_for_a_curve(asked: Sequence[int], fit: Sequence[int]) -> list[int]:
    """From 1 past the batch that was asked for, and past those that fit: in round steps."""
    end = max([_A_FEW, *asked, *fit])
    step = int(units.round_step(end / _A_FEW))
    beyond = step if end in fit else 0
    return sorted({1, end, *asked, *fit, *range(step, end + beyond + 1, step)})


def _fitting(data: Mapping[str, Any]) -> list[int]:
    """The largest batches that fit: of the model, and of each what-if."""
    return [most for one in (data, *data.get("what_if", ())) if (most := one["max_batch"])]


def _curves(result: Result) -> Sequence[Curve]:
    """A model's own and its what-ifs, or that of each model."""
    series = next(part for part in result.view.parts if isinstance(part, Series))
    return [
        Curve(curve.name.removeprefix("first: ").removeprefix("second: "), curve.values)
        for curve in series.curves
    ]


def _with_variables(curve: Curve, model: Mapping[str, Any]) -> Curve:
    """On the device that needs most, whose peak the curve is."""
    held = []
    for row in model["batches"]:
        device = max(row["peak_bytes"], key=row["peak_bytes"].__getitem__)
        held.append(row["persistent_bytes"][device])
    return Curve(curve.name, [peak + more for peak, more in zip(curve.values, held, strict=True)])


def _short(curves: Sequence[Curve]) -> list[Curve]:
    """Files by their names, as long as these tell the curves apart."""
    names = [PurePath(curve.name).name for curve in curves]
    if len(set(names)) < len(names):
        return list(curves)
    return [Curve(name, curve.values) for name, curve in zip(names, curves, strict=True)]


def _limit(data: Mapping[str, Any], budget: int) -> Limit:
    level = f"device memory {units.size(budget)}"
    fits, safe = data["max_batch"], data["safe_batch"]
    if fits is None:
        return Limit(budget, level)
    if not fits:
        return Limit(budget, f"{level}: not even one sample fits")
    safely = f"{safe:,}" if safe else "none"
    return Limit(budget, f"{level}: batch {fits:,} fits, {safely} is safe", fits)


def _said_of_curves(data: Mapping[str, Any], curves: Sequence[Curve]) -> list[str]:
    """What the picture alone does not show."""
    said = [
        f"{curve.name}: batch {changed['max_batch']:,} fits"
        for curve, changed in zip(curves[1:], data.get("what_if", ()), strict=False)
        if changed["max_batch"]
    ]
    if len(data["devices"]) > 1:
        said.append(f"Of {len(data['devices'])} devices the one that needs most.")
    return said


def _notes(result: Result) -> list[str]:
    """What is to be known of the numbers; the last line of an answer says where they come from."""
    lines = [line for part in result.view.parts if isinstance(part, Notes) for line in part.lines]
    return [*result.warnings, lines[-1]]


def _data(result: Result) -> dict[str, Any]:
    data: dict[str, Any] = result.envelope()["data"]
    return data
