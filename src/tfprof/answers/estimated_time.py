"""How long the ops of a model would take on a device at best; the columns of a cost report."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tfprof.analyses.roofline import Device, Estimate
from tfprof.errors import UsageError
from tfprof.model import units
from tfprof.views.shapes import Column, Table, Unit, Value

_SCALES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)([kMGTP]?)")
# a laptop's: four cores at 2.5 GHz with eight-wide multiply-adds, two channels of memory
_CPU = Device("cpu", 160e9, 32e9)
_KINDS = ("cpu", "gpu")


def device_of(text: str) -> Device:
    """`cpu`, or `gpu:19.5T,1555G`: FLOPs and bytes a second."""
    kind, _, numbers = text.partition(":")
    if kind in _KINDS and not numbers and kind == "cpu":
        return _CPU
    parts = [_NUMBER.fullmatch(part.strip()) for part in numbers.split(",")]
    values = [float(part[1]) * _SCALES[part[2]] for part in parts if part is not None]
    if kind not in _KINDS or len(values) != 2 or len(parts) != 2 or not all(values):
        raise UsageError(
            f"--device does not know {text!r}",
            hint="cpu, or cpu:FLOPS,BYTES and gpu:FLOPS,BYTES a second: gpu:19.5T,1555G.",
        )
    return Device(kind, values[0], values[1])


def in_words(device: Device, found: Sequence[Estimate]) -> str:
    lower, upper = sum(e.lower for e in found), sum(e.upper for e in found)
    return (
        f"{units.duration(lower)} to {units.duration(upper)} estimated on a {device.name} of "
        f"{units.count(device.flops)}FLOP/s and {units.size(device.bytes)}/s"
    )


def estimates_table(found: Sequence[Estimate], title: str) -> Table:
    whole = sum(one.lower for one in found)
    columns = [
        Column("name", title),
        Column("count", "ops", Unit.COUNT),
        Column("time_us", "time", Unit.MICROS),
        Column("share", "share", Unit.SHARE),
        Column("cumulative", "so far", Unit.SHARE),
        Column("upper_us", "at most", Unit.MICROS),
        Column("bound", "bound by"),
    ]
    measured = any(one.measured is not None for one in found)
    if measured:
        columns += [
            Column("measured_us", "measured", Unit.MICROS),
            Column("efficiency", "of best", Unit.SHARE),
        ]
    rows: list[list[Value]] = []
    so_far = 0.0
    for one in found:
        so_far += one.lower
        share = one.lower / whole if whole else 0.0
        cumulative = so_far / whole if whole else 0.0
        row: list[Value] = [
            one.name, one.count, one.lower, share, cumulative, one.upper, one.bound,
        ]  # fmt: skip
        rows.append([*row, one.measured, one.efficiency] if measured else row)
    return Table(columns, rows)


def estimates_data(device: Device, found: Sequence[Estimate]) -> dict[str, Any]:
    return {
        "device": {"name": device.name, "flops": device.flops, "bytes": device.bytes},
        "kind": "estimated",
        "rows": [
            {
                "name": one.name,
                "count": one.count,
                "time_us": one.lower,
                "upper_us": one.upper,
                "compute_us": one.compute,
                "memory_us": one.memory,
                "bound": one.bound,
                "measured_us": one.measured,
                "efficiency": one.efficiency,
            }
            for one in found
        ],
    }
