"""The parts of a run's record, taken from JSON: what is not as it should be is not known."""

from __future__ import annotations

import math
from collections.abc import Mapping
from datetime import UTC, datetime

from tfprof.model.run_record import (
    EarlierSession,
    RecordedCapture,
    RecordedDevice,
    RecordedEpoch,
    RecordedFunction,
    RecordedLayer,
    RecordedModel,
    RecordedSteps,
)
from tfprof.wire.json_values import Json, Object, as_list, as_object

_LARGEST = 1 << 62
# of texts that are shown; a name of a node may be long, nobody reads more
_LONGEST_TEXT = 2_000
# a year
_MOST_SECONDS = 366 * 24 * 3600.0
_MOST_PERIODS = 10_000
_EPOCH_PARTS = ("data_s", "step_s", "callbacks_s", "validation_s", "checkpoint_s")


def text(values: Object, key: str) -> str | None:
    found = values.get(key)
    return found[:_LONGEST_TEXT] if isinstance(found, str) and found else None


def texts(values: Object, key: str) -> tuple[str, ...]:
    found = as_list(values.get(key))
    return tuple(one[:_LONGEST_TEXT] for one in found if isinstance(one, str))


def whole(values: Object, key: str) -> int | None:
    """From 0 on."""
    found = values.get(key)
    is_one = isinstance(found, int) and not isinstance(found, bool)
    return found if is_one and isinstance(found, int) and 0 <= found < _LARGEST else None


def seconds(values: Object, key: str) -> float | None:
    return _time(values.get(key), _MOST_SECONDS)


def _time(found: Json, most: float) -> float | None:
    if not isinstance(found, int | float) or isinstance(found, bool):
        return None
    if isinstance(found, float) and not math.isfinite(found):
        return None
    return float(found) if 0 <= found <= most else None


def moment(values: Object, key: str) -> datetime | None:
    said = values.get(key)
    if not isinstance(said, str):
        return None
    try:
        found = datetime.fromisoformat(said)
        return found.replace(tzinfo=UTC) if found.tzinfo is None else found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None


def _micros(values: Object, key: str) -> tuple[float, ...]:
    listed = as_list(values.get(key))[-_MOST_PERIODS:]
    known = (_time(one, _MOST_SECONDS * 1e6) for one in listed)
    return tuple(one for one in known if one is not None)


def _objects(values: Object, key: str) -> list[Object]:
    return [one for one in as_list(values.get(key)) if isinstance(one, dict)]


def versions(values: Object) -> Mapping[str, str]:
    found = as_object(values.get("versions"))
    return {name: one[:_LONGEST_TEXT] for name, one in found.items() if isinstance(one, str)}


def devices(values: Object) -> tuple[RecordedDevice, ...]:
    return tuple(
        RecordedDevice(name, text(one, "kind"), text(one, "model"))
        for one in _objects(values, "devices")
        if (name := text(one, "name")) is not None
    )


def model(values: Object) -> RecordedModel | None:
    found = values.get("model")
    if not isinstance(found, dict):
        return None
    layers = tuple(
        RecordedLayer(name, text(one, "class"), text(one, "scope"))
        for one in _objects(found, "layers")
        if (name := text(one, "name")) is not None
    )
    return RecordedModel(text(found, "name"), layers)


def steps(values: Object) -> RecordedSteps | None:
    found = values.get("steps")
    if not isinstance(found, dict):
        return None
    return RecordedSteps(
        text(found, "kind"),
        text(found, "name"),
        whole(found, "count"),
        whole(found, "per_execution") or None,
        whole(found, "warm_up"),
        _micros(found, "untraced_us"),
        _micros(found, "untraced_cpu_us"),
    )


def captures(values: Object) -> tuple[RecordedCapture, ...]:
    return tuple(
        RecordedCapture(
            folder,
            whole(one, "first_step"),
            whole(one, "last_step"),
            complete if isinstance(complete := one.get("complete"), bool) else None,
            moment(one, "started"),
            seconds(one, "seconds"),
            whole(one, "bytes"),
            text(one, "why"),
            whole(one, "events_dropped"),
            _micros(one, "step_us"),
            text(one, "kept_as"),
        )
        for one in _objects(values, "captures")
        if (folder := text(one, "folder")) is not None
    )


def functions(values: Object) -> tuple[RecordedFunction, ...]:
    return tuple(
        RecordedFunction(
            name,
            text(one, "graph"),
            text(one, "variables"),
            text(one, "role"),
            whole(one, "calls"),
            whole(one, "traces"),
        )
        for one in _objects(values, "functions")
        if (name := text(one, "name")) is not None
    )


def epochs(values: Object) -> tuple[RecordedEpoch, ...]:
    return tuple(
        RecordedEpoch(number, lasted, _parts(one))
        for one in _objects(values, "epochs")
        if (number := whole(one, "epoch")) is not None
        and (lasted := seconds(one, "seconds")) is not None
    )


def _parts(epoch: Object) -> Mapping[str, float]:
    known = ((key.removesuffix("_s"), seconds(epoch, key)) for key in _EPOCH_PARTS)
    return {name: lasted for name, lasted in known if lasted is not None}


def options(values: Object) -> Mapping[str, object]:
    """Numbers and words; a time only if it is one."""
    found = as_object(values.get("options"))
    plain = {key: one for key, one in found.items() if not isinstance(one, dict | list | float)}
    return {**plain, "duration_s": seconds(found, "duration_s")}


def left_out(values: Object) -> tuple[tuple[str, str], ...]:
    return tuple(
        (host, text(one, "why") or "")
        for one in _objects(values, "left_out")
        if (host := text(one, "host")) is not None
    )


def previous(values: Object) -> tuple[EarlierSession, ...]:
    return tuple(
        EarlierSession(moment(one, "started"), moment(one, "ended"), whole(one, "last_step"))
        for one in _objects(values, "previous")
    )
