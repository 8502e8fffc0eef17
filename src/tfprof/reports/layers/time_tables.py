"""The tables of time: measured of ops and kernels, and estimated."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.model.quantity import Quantity
from tfprof.results.kernels import KernelTime
from tfprof.results.layers import EstimatedTime
from tfprof.results.op_times import MeasuredTime, OpTime
from tfprof.views.shapes import Column, Fold, Table, Unit, Value

_SHOWN = 40
_LONG_NUMBER = 6
_NAMES = (Column("runs", "runs", Unit.COUNT), Column("self_us", "self", Unit.MICROS))
_SHARE = Column("share", "share", Unit.SHARE)
_WORK = (
    Column("flops_per_second", "FLOP/s", Unit.SCALED),
    Column("intensity", "FLOP/B", Unit.NUMBER),
)
_PEAK = Column("peak_share", "of peak", Unit.SHARE)
_OF_WORK = {column.key for column in (*_WORK, _PEAK)}
_TOTAL = Column("total_us", "total", Unit.MICROS)
_SPREAD = (Column("median_us", "median", Unit.MICROS), Column("max_us", "max", Unit.MICROS))
_KERNEL_COLUMNS = (
    Column("kernel", "kernel"),
    Column("runs", "runs", Unit.COUNT),
    Column("total_us", "time", Unit.MICROS),
    Column("registers", "regs", Unit.COUNT),
    Column("shared_bytes", "shared", Unit.BYTES),
    Column("grid", "grid"),
    Column("block", "block"),
    Column("occupancy", "occup", Unit.SHARE),
    Column("tensor_cores", "TC"),
)
_ESTIMATED_COLUMNS = (
    Column("count", "ops", Unit.COUNT),
    Column("time_us", "time", Unit.MICROS),
    Column("share", "share", Unit.SHARE),
    Column("cumulative", "so far", Unit.SHARE),
    Column("bound", "bound by"),
)
_AT_BEST = (Column("upper_us", "in turn", Unit.MICROS),)
_INTERVAL = (Column("low_us", "from", Unit.MICROS), Column("high_us", "to", Unit.MICROS))
_BESIDE_MEASURED = (
    Column("measured_us", "measured", Unit.MICROS),
    Column("efficiency", "of best", Unit.SHARE),
)


def measured_table(time: MeasuredTime) -> Table:
    """FLOPs a second where they are known, else how much times differ."""
    whole = sum(row.self_us for row in time.rows)
    own = _own_columns(time)
    columns = [Column("name", time.by), *_NAMES, _SHARE, *own]
    name_of = _thread if time.by == "thread" else str
    rows: list[list[Value]] = [
        [
            name_of(row.name),
            row.runs,
            row.self_us,
            row.self_us / whole if whole else 0.0,
            *(_cell(row, column) for column in own),
        ]
        for row in time.rows
    ]
    return Table(columns, rows, fold=Fold(_SHOWN, "self_us", whole))


def _own_columns(time: MeasuredTime) -> tuple[Column, ...]:
    if any(row.flops.number for row in time.rows):
        return (*_WORK, _PEAK) if time.peak is not None else _WORK
    nests = any(row.total_us > row.self_us for row in time.rows)
    return (_TOTAL, *_SPREAD) if nests else _SPREAD


def _cell(row: OpTime, column: Column) -> Value:
    """Many ops only move data: where there is no work, nothing stands."""
    value: Value = getattr(row, column.key)
    return "" if not value and column.key in _OF_WORK else value


def _thread(name: str) -> str:
    """The pool, and as much of the number behind it as tells threads apart."""
    pool, slash, number = name.rpartition("/")
    return f"{pool}/…{number[-4:]}" if slash and len(number) > _LONG_NUMBER else name


def kernels_table(found: Sequence[KernelTime]) -> Table:
    rows: list[list[Value]] = [
        [
            one.kernel,
            one.runs,
            one.total_us,
            one.launch.registers,
            one.launch.shared_bytes,
            one.launch.grid,
            one.launch.block,
            one.launch.occupancy,
            _tensor_cores(one),
        ]
        for one in found
    ]
    whole = sum(one.total_us for one in found)
    return Table(_KERNEL_COLUMNS, rows, fold=Fold(_SHOWN, "total_us", whole))


def _tensor_cores(one: KernelTime) -> str:
    if one.launch.uses_tensor_cores:
        return "yes"
    return "no" if one.launch.could_use_tensor_cores else ""


def estimated_table(time: EstimatedTime, title: str) -> Table:
    """A device's best has no interval: arithmetic and traffic in turn stand there instead."""
    found = time.rows
    bounds = _AT_BEST if time.calibration is None else _INTERVAL
    is_measured = any(one.measured_us is not None for one in found)
    beside = _BESIDE_MEASURED if is_measured else ()
    whole = sum(one.time_us.number or 0.0 for one in found)
    rows: list[list[Value]] = []
    so_far = 0.0
    for one in found:
        own = one.time_us.number or 0.0
        so_far += own
        shares = (own / whole, so_far / whole) if whole else (0.0, 0.0)
        ends = [one.upper_us] if time.calibration is None else map(_end, one.time_interval_us)
        row: list[Value] = [one.name, one.count, one.time_us, *shares, one.bound, *ends]
        rows.append([*row, one.measured_us, one.efficiency] if is_measured else row)
    fold = Fold(_SHOWN) if title == "node" else None
    return Table([Column("name", title), *_ESTIMATED_COLUMNS, *bounds, *beside], rows, fold=fold)


def _end(micros: float | None) -> Quantity:
    return Quantity.unknown("a part is not known") if micros is None else Quantity.estimated(micros)
