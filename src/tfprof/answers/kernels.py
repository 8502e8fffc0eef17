"""The kernels of GPUs as a table and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tfprof.analyses.kernels import Kernel, kernels
from tfprof.answers.common import fold
from tfprof.model import units
from tfprof.model.devices import short_names
from tfprof.model.trace import Trace
from tfprof.views.shapes import Column, Table, Unit, Value

_SHOWN = 40
_ALL_STREAMS = "/stream:all"


def kernels_of(trace: Trace) -> list[Kernel]:
    return kernels(trace.space) if trace.space is not None else []


def kernel_facts(trace: Trace) -> Iterator[tuple[str, str]]:
    """One line of a summary, if a GPU ran anything."""
    found = kernels_of(trace)
    if not found:
        return
    whole = sum(one.total_us for one in found)
    launches = units.plural(sum(one.launches for one in found), "run")
    names = units.plural(len({one.name for one in found}), "kernel")
    text = f"{units.duration(whole)} in {launches} of {names}"
    idle = sum(one.total_us for one in found if _tensor_cores(one) == "no")
    if idle:
        text += f"; {units.share(idle, whole)} could use tensor cores and does not"
    yield "Kernels", f"{text}: `tfprof layers --by kernel`"


def kernels_table(found: Sequence[Kernel]) -> Table:
    columns = [
        Column("kernel", "kernel"),
        Column("runs", "runs", Unit.COUNT),
        Column("total_us", "time", Unit.MICROS),
        Column("registers", "regs", Unit.COUNT),
        Column("shared_bytes", "shared", Unit.BYTES),
        Column("grid", "grid"),
        Column("block", "block"),
        Column("occupancy", "occup", Unit.SHARE),
        Column("tensor_cores", "TC"),
    ]
    whole = sum(one.total_us for one in found)
    rows: list[list[Value]] = [
        [
            one.name,
            one.launches,
            one.total_us,
            one.registers,
            one.shared_bytes,
            one.grid,
            one.block,
            one.occupancy,
            _tensor_cores(one),
        ]
        for one in found[:_SHOWN]
    ]
    return Table(columns, rows, "", fold([one.total_us for one in found[_SHOWN:]], whole))


def _tensor_cores(one: Kernel) -> str:
    if one.uses_tensor_cores:
        return "yes"
    return "no" if one.could_use_tensor_cores else ""


def kernels_data(found: Sequence[Kernel]) -> list[dict[str, Any]]:
    short = short_names(one.device for one in found)
    return [
        {
            "kernel": one.name,
            "op": one.op or None,
            "device": short[one.device].removesuffix(_ALL_STREAMS),
            "runs": one.launches,
            "total_us": one.total_us,
            "min_us": one.least_us,
            "mean_us": one.total_us / one.launches,
            "max_us": one.most_us,
            "registers": one.registers,
            "shared_bytes": one.shared_bytes,
            "grid": one.grid,
            "block": one.block,
            "occupancy": one.occupancy,
            "uses_tensor_cores": one.uses_tensor_cores,
            "could_use_tensor_cores": one.could_use_tensor_cores,
        }
        for one in found
    ]
