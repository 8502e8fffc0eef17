"""Whether both sides do the same work: what decides if their times can be compared."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping

from tfprof.analyses.runtime.step_samples import ModelOps, model_ops
from tfprof.model import units
from tfprof.model.dims import Dim, formula
from tfprof.model.known_run import Fact
from tfprof.model.quantity import Quantity
from tfprof.reports.diff.exact import layer_names, rewired
from tfprof.reports.diff.sides import Side
from tfprof.results.diff import Likeness

_OPS, CONNECTIONS = "ops of a step", "connections"
# of the time of all ops: an op type that takes less tells nothing about the model
_TELLING = 0.03
# what may differ without the work being another one
_AROUND = ("devices", "hosts", "versions")
_LONGEST = 24
_NAMED = 3


def likenesses(before: Side, after: Side) -> tuple[Likeness, ...]:
    """What at least one side tells."""
    found = told_alike(facts_of(before), facts_of(after))
    ran = None
    if before.measured and after.measured:
        ran = ran_alike(model_ops(before.measured[0][0]), model_ops(after.measured[0][0]))
    return tuple(filter(None, (ran, *found, _connections(before, after))))


def facts_of(side: Side) -> dict[str, Fact]:
    """What a side tells about itself, by what it is about."""
    known = ((what, of(side)) for what, of in _ASKED.items())
    return {what: fact for what, fact in known if fact is not None}


def told_alike(before: Mapping[str, Fact], after: Mapping[str, Fact]) -> Iterator[Likeness]:
    """What at least one of them tells; the order is ours."""
    for what in dict.fromkeys((*_ASKED, *before, *after)):
        was, is_now = before.get(what), after.get(what)
        if was or is_now:
            yield _likeness(what, was, is_now)


def _likeness(what: str, was: Fact | None, is_now: Fact | None) -> Likeness:
    if was is None or is_now is None:
        before, after = (None if one is None else one.text for one in (was, is_now))
        return Likeness(what, before, after, None)
    same = was.value == is_now.value
    if same or was.text != is_now.text:
        return Likeness(what, was.text, is_now.text, same)
    if was.is_number and is_now.is_number:  # what is rounded to the same is not the same
        return Likeness(what, f"{was.value:,}", f"{is_now.value:,}", same)
    return Likeness(what, was.text, f"{is_now.text}, others", same)


def same_work(found: tuple[Likeness, ...]) -> bool | None:
    """None where no side tells, or only one does."""
    told = [one.same for one in found if one.what not in _AROUND and one.same is not None]
    return all(told) if told else None


def _quantity(found: Quantity) -> Fact | None:
    value = found.value
    if value is None:
        return None
    if not isinstance(value, Dim):
        return Fact(value, found.kind.mark + units.count(value))
    text = formula(value)
    if len(text) > _LONGEST:
        text = f"a formula of {', '.join(sorted(value.symbols()))}"
    return Fact(str(value), found.kind.mark + text)


def _ops(side: Side) -> Fact | None:
    """Of a graph its op types, else what a step ran."""
    ops = side.summary.ops
    said = f"{sum(ops.values()):,} ops of {len(ops)} types"
    return Fact(fingerprint(ops), said) if ops else None


def fingerprint(told: Mapping[str, object]) -> str:
    """What is the same for the same, and short."""
    spelt = json.dumps(told, sort_keys=True, default=str)
    return hashlib.blake2b(spelt.encode(errors="backslashreplace"), digest_size=16).hexdigest()


def _connections(before: Side, after: Side) -> Likeness | None:
    """Of layers that both have: whether each reads the same ones."""
    one, other = before.layers, after.layers
    if not one.reads or not other.reads or one.are_classes != other.are_classes:
        return None
    changed = [*rewired(one, other, layer_names(one, other))]
    said = units.plural(len(one.reads), "layer")
    if not changed:
        return Likeness(CONNECTIONS, said, said, same=True)
    of_them = units.plural(len(changed), "layer")
    return Likeness(CONNECTIONS, said, f"{of_them} fed by others", same=False)


def ran_alike(one: ModelOps, other: ModelOps) -> Likeness | None:
    """What a step of the model runs, without its input: op types that take time."""
    if not one.runs or not other.runs:  # a tracer may leave all of them out
        told = [units.plural(sum(s.runs.values()), "op") if s.runs else None for s in (one, other)]
        return Likeness(_OPS, told[0], told[1], None) if any(told) else None
    # what is quick is sometimes left out by a tracer
    shares = {op: max(side.share.get(op, 0.0) for side in (one, other))
              for op in {*one.share, *other.share}}  # fmt: skip
    telling = sorted((op for op in shares if shares[op] >= _TELLING), key=lambda op: -shares[op])
    unlike = [op for op in telling if one.runs.get(op) != other.runs.get(op)]
    if not unlike:
        said = units.plural(sum(one.runs.values()), "op")
        return Likeness(_OPS, said, said, same=True)
    more = f", and {len(unlike) - _NAMED} more" if len(unlike) > _NAMED else ""
    was, is_now = (
        ", ".join(f"{side.runs.get(op, 0)} {op}" for op in unlike[:_NAMED]) + more
        for side in (one, other)
    )
    return Likeness(_OPS, was, is_now, same=False)


def _batch(side: Side) -> Fact | None:
    recorded = side.summary.recorded
    return None if recorded is None else _text(recorded.batch)


def _devices(side: Side) -> Fact | None:
    capture, recorded = side.summary.capture, side.summary.recorded
    kinds = {one.kind: one.count for one in capture.devices} if capture is not None else {}
    kinds = kinds or (dict(recorded.devices) if recorded is not None else {})
    return _text(_listed(kinds) or (None if capture is None else "no device"))


def _hosts(side: Side) -> Fact | None:
    capture = side.summary.capture
    return None if capture is None else _text(len(capture.hosts))


def _versions(side: Side) -> Fact | None:
    capture, recorded = side.summary.capture, side.summary.recorded
    found = {**(recorded.versions if recorded is not None else {})}
    found |= capture.versions if capture is not None else {}
    return _text(", ".join(f"{name} {version}" for name, version in sorted(found.items())) or None)


def _text(said: str | int | None) -> Fact | None:
    return None if said is None else Fact(said, str(said))


def _listed(counts: Mapping[str, int]) -> str | None:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or None


_ASKED: Mapping[str, Callable[[Side], Fact | None]] = {
    "parameters": lambda side: _quantity(side.summary.params.total),
    "FLOPs": lambda side: _quantity(side.summary.costs.flops),
    "graph": _ops,
    "batch": _batch,
    "devices": _devices,
    "hosts": _hosts,
    "versions": _versions,
}


def one_sided(found: tuple[Likeness, ...]) -> bool:
    """Whether something of the work is told by one side only."""
    return any(one.same is None and one.what not in _AROUND for one in found)


def differing(found: tuple[Likeness, ...]) -> Iterator[str]:
    """Other layers are connected in another way: that is said where nothing else is."""
    unlike = [one for one in found if one.same is False]
    told = [one for one in unlike if one.what != CONNECTIONS or len(unlike) == 1]
    yield from (f"{one.what}: {one.before} → {one.after}" for one in told)
