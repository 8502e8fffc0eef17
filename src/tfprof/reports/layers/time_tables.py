"""The tables of time: measured of ops and kernels, and estimated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

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
_HOST = Column("host_us", "host", Unit.MICROS)
_OVER_DEVICES = (
    Column("device_min_us", "least", Unit.MICROS),
    Column("device_max_us", "most", Unit.MICROS),
)
_RATES = (
    Column("flops_per_second", "FLOP/s", Unit.SCALED),
    Column("bytes_per_second", "B/s", Unit.SCALED),
)
# of what the device does at its best, in arithmetic or in memory: whichever it is nearer to
_BEST = Column("best", "of best", Unit.SHARE)
_OF_WORK = {column.key for column in (*_WORK, *_RATES, _PEAK, _BEST)}
_EMPTY_AT_ZERO = _OF_WORK | {column.key for column in (_HOST, *_OVER_DEVICES)}
_TOTAL = Column("total_us", "total", Unit.MICROS)
_SPREAD = (Column("median_us", "median", Unit.MICROS), Column("max_us", "max", Unit.MICROS))
_KERNEL = Column("kernel", "kernel", Unit.PROSE)
_WHOLE_NAME = Column("name", "whole name", Unit.PROSE)
_KERNEL_COLUMNS = (
    Column("op", "op"),
    Column("runs", "runs", Unit.COUNT),
    Column("total_us", "time", Unit.MICROS),
    Column("share", "share", Unit.SHARE),
    Column("registers", "regs", Unit.COUNT),
    Column("shared_bytes", "shared", Unit.BYTES),
    Column("grid", "grid"),
    Column("block", "block"),
    Column("occupancy", "occup", Unit.SHARE),
    Column("tensor_cores", "TC"),
)
_OF_LAUNCH = ("registers", "shared_bytes", "grid", "block", "occupancy")
_ONLY_WIDE = ("shared_bytes", "grid", "block")
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
    whole = sum(row.self_us - row.own_copies_us for row in time.rows)
    # looked up once: whether there is any work is asked of all rows
    others = (*_beside(time), *_own_columns(time))
    columns = [Column("name", time.by), *_names(time), _SHARE, *others]
    name_of = _thread if time.by == "thread" else str
    rows: list[list[Value]] = [
        [
            name_of(row.name),
            row.runs,
            row.self_us,
            _share(row, whole),
            *(_cell(row, column) for column in others),
        ]
        for row in time.rows
    ]
    return Table(columns, rows, fold=Fold(_SHOWN, _SHARE.key, 1.0))


def _names(time: MeasuredTime) -> tuple[Column, ...]:
    return _NAMES if time.device_us is None else (_NAMES[0], replace(_NAMES[1], title="device"))


def _share(row: OpTime, whole: float) -> Value:
    """Of kernels: copies go on beside them, and are no part of their time."""
    own = row.self_us - row.own_copies_us
    if not own and row.own_copies_us:
        return ""
    return own / whole if whole else 0.0


def _beside(time: MeasuredTime) -> tuple[Column, ...]:
    """What launching took, and how far devices are apart."""
    if time.device_us is None:
        return ()
    apart = time.devices > 1 and time.by not in ("device", "thread") and not _has_work(time)
    return ((_HOST,) if time.host_us else ()) + (_OVER_DEVICES if apart else ())


def _has_work(time: MeasuredTime) -> bool:
    return any(row.flops.number or row.bytes.number for row in time.rows)


def _own_columns(time: MeasuredTime) -> tuple[Column, ...]:
    """What fits a line besides."""
    if _has_work(time):
        if time.device_us is not None:
            return (*_RATES, _BEST) if time.peak is not None else _RATES
        return (*_WORK, _PEAK) if time.peak is not None else _WORK
    if time.devices > 1:
        return ()
    nests = any(row.total_us > row.self_us for row in time.rows)
    return (_TOTAL, *_SPREAD) if nests else _SPREAD


def _cell(row: OpTime, column: Column) -> Value:
    """Many ops only move data: where there is no work, nothing stands."""
    value: Value
    if row.own_unknown_us and not row.flops.known and column.key in _OF_WORK:
        return None
    if column is _BEST:
        value = max(row.peak_share or 0.0, row.bandwidth_share or 0.0)
    else:
        value = getattr(row, column.key)
    return "" if not value and column.key in _EMPTY_AT_ZERO else value


def _thread(name: str) -> str:
    """The pool, and as much of the number behind it as tells threads apart."""
    pool, slash, number = name.rpartition("/")
    return f"{pool}/…{number[-4:]}" if slash and len(number) > _LONG_NUMBER else name


def kernels_table(found: Sequence[KernelTime], *, wide: bool) -> Table:
    """A name as people say it; if the table may be `wide`, the whole one behind all else.

    What a tracer writes of no kernel needs no column.
    """
    whole = sum(one.total_us for one in found if not one.is_copy)
    rows: list[list[Value]] = [
        [
            "" if one.is_copy else one.op,
            one.runs,
            one.total_us,
            "" if one.is_copy else one.total_us / whole if whole else 0.0,
            *(getattr(one.launch, key) if not one.is_copy else "" for key in _OF_LAUNCH),
            _tensor_cores(one),
        ]
        for one in found
    ]
    kept = [
        at
        for at, column in enumerate(_KERNEL_COLUMNS)
        if any(row[at] not in (None, "") for row in rows) and (wide or column.key not in _ONLY_WIDE)
    ]
    return Table(
        [_KERNEL, *(_KERNEL_COLUMNS[at] for at in kept), *([_WHOLE_NAME] if wide else [])],
        [
            [one.short_name, *(row[at] for at in kept), *([one.kernel] if wide else [])]
            for one, row in zip(found, rows, strict=True)
        ],
        fold=Fold(_SHOWN, _SHARE.key, 1.0),
        wide=wide,
    )


def _tensor_cores(one: KernelTime) -> str:
    if one.launch.uses_tensor_cores is None:
        return "?"
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
