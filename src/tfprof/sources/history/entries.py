"""A known run as JSON, and back: what is not as it should be makes the whole run unknown."""

from __future__ import annotations

import math
from datetime import UTC, datetime

from tfprof.model.dims import Dim, Floor, Monomial, Size, made
from tfprof.model.hosts import LeftOut
from tfprof.model.known_run import Fact, KnownRun, Moment, TimeSource
from tfprof.model.quantity import Kind, Quantity
from tfprof.wire.json_values import Json, Object, as_list, as_object

# of steps that are compared; a capture of more is thinned out
MOST_PERIODS = 1_000
MOST_OPS = 300
_MOST_TERMS = 64
_LONGEST = 4_096
_LARGEST = 1e30
_MOST_POWER = 64
_QUANTITIES = ("params", "flops", "step_us", "input_bound", "peak_bytes")


class _Odd(ValueError):
    """Nothing that we would have written."""


def run_told(run: KnownRun) -> Object:
    told: Object = {"path": run.path, "kind": run.kind}
    if run.moment is not None:
        told["when"] = run.moment.at.timestamp()
        told["when_from"] = run.moment.source.value
    for key in _QUANTITIES:
        told[key] = _quantity_told(getattr(run, key))
    told["periods_us"] = [*run.periods_us]
    told["breakdown_us"] = {**run.breakdown_us}
    told["facts"] = {what: [fact.value, fact.text] for what, fact in run.facts.items()}
    told["ops"] = {op: [runs, share] for op, (runs, share) in run.ops.items()}
    told |= {key: one for key, one in (("state", run.state), ("why", run.why)) if one is not None}
    if run.left_out:
        told["left_out"] = [[one.host, one.why] for one in run.left_out]
    return told


def run_from(value: Json) -> KnownRun | None:
    """None where anything in it is odd."""
    try:
        return _run(as_object(value))
    except (_Odd, OverflowError, ValueError):
        return None


def _run(told: Object) -> KnownRun:
    periods = as_list(told.get("periods_us"))
    ops = as_object(told.get("ops"))
    if len(periods) > MOST_PERIODS or len(ops) > MOST_OPS:
        raise _Odd
    params, flops, step_us, input_bound, peak_bytes = (_quantity(told.get(k)) for k in _QUANTITIES)
    return KnownRun(
        _text(told.get("path")),
        _text(told.get("kind")),
        _moment(told),
        params,
        flops,
        step_us,
        input_bound,
        peak_bytes,
        tuple(_number(one) for one in periods),
        {key: _number(one) for key, one in as_object(told.get("breakdown_us")).items()},
        {what: _fact(one) for what, one in as_object(told.get("facts")).items()},
        {op: _op(one) for op, one in ops.items()},
        _maybe_text(told.get("state")),
        _maybe_text(told.get("why")),
        tuple(_left_out(one) for one in as_list(told.get("left_out"))),
    )


def _left_out(value: Json) -> LeftOut:
    match as_list(value):
        case [host, why]:
            return LeftOut(_text(host), _text(why))
    raise _Odd


def _moment(told: Object) -> Moment | None:
    if "when" not in told:
        return None
    seconds = _number(told["when"])
    return Moment(datetime.fromtimestamp(seconds, UTC), TimeSource(told.get("when_from")))


def _quantity_told(one: Quantity) -> Json:
    """A plain number as it is; else with its kind, and the reason."""
    if one.value is None:
        return {"reason": one.reason}
    value = _terms_told(one.value) if isinstance(one.value, Dim) else one.value
    told: Object = {"value": value, "kind": one.kind.value}
    return {**told, "reason": one.reason} if one.reason else told


def _quantity(value: Json) -> Quantity:
    told = as_object(value)
    reason = _maybe_text(told.get("reason")) or ""
    if "value" not in told:
        if not reason:
            raise _Odd
        return Quantity.unknown(reason)
    kind = Kind(told.get("kind"))
    if kind is Kind.UNKNOWN:
        raise _Odd
    found = told["value"]
    return Quantity(_size(found) if isinstance(found, list) else _exact(found), kind, reason)


def without_floors(quantity: Quantity) -> Quantity:
    """A formula that can be kept; one with roundings in it is too long for a table anyway."""
    value = quantity.value
    if not isinstance(value, Dim):
        return quantity
    atoms = (atom for monomial in value.terms for atom, _ in monomial)
    if len(value.terms) <= _MOST_TERMS and not any(isinstance(one, Floor) for one in atoms):
        return quantity
    return Quantity.unknown(f"it depends on {', '.join(sorted(value.symbols()))}")


def _terms_told(value: Dim) -> Json:
    return [
        [count, {str(atom): power for atom, power in monomial}]
        for monomial, count in value.sorted_terms()
    ]


def _size(terms: list[Json]) -> Size:
    if len(terms) > _MOST_TERMS:
        raise _Odd
    found: dict[Monomial, int] = {}
    for term in terms:
        if not isinstance(term, list) or len(term) != 2:
            raise _Odd
        powers = as_object(term[1])
        monomial = tuple((_symbol(name), _power(powers[name])) for name in sorted(powers))
        found[monomial] = _whole(term[0])
    return made(found)


def _symbol(name: str) -> str:
    if not name.isidentifier() or len(name) > 40:
        raise _Odd
    return name


def _power(value: Json) -> int:
    power = _whole(value)
    if not 1 <= power <= _MOST_POWER:
        raise _Odd
    return power


def _whole(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > _LARGEST:
        raise _Odd
    return value


def _exact(value: Json) -> int | float:
    """A count stays one; no number here is below nothing."""
    if isinstance(value, int):
        whole = _whole(value)
        if whole < 0:
            raise _Odd
        return whole
    return _number(value)


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _Odd
    if not math.isfinite(value) or not 0 <= value <= _LARGEST:
        raise _Odd
    return float(value)


def _fact(value: Json) -> Fact:
    if not isinstance(value, list) or len(value) != 2:
        raise _Odd
    told = value[0]
    if isinstance(told, str):
        return Fact(_text(told), _text(value[1]))
    if isinstance(told, bool) or not isinstance(told, int | float) or not math.isfinite(told):
        raise _Odd
    return Fact(told, _text(value[1]))


def _op(value: Json) -> tuple[int, float]:
    if not isinstance(value, list) or len(value) != 2:
        raise _Odd
    return _whole(value[0]), _number(value[1])


def _text(value: object) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST:
        raise _Odd
    return value


def _maybe_text(value: object) -> str | None:
    return None if value is None else _text(value)
