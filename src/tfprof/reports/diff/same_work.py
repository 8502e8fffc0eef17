"""Whether both sides do the same work: what decides if their times can be compared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tfprof.analyses.runtime.step_samples import model_ops
from tfprof.model import units
from tfprof.reports.diff.sides import Side, told
from tfprof.results.diff import Likeness

_OPS = "ops of a step"
# of the time of all ops: an op type that takes less tells nothing about the model
_TELLING = 0.03
# what may differ without the work being another one
_AROUND = ("devices", "hosts", "versions")


def likenesses(before: Side, after: Side) -> tuple[Likeness, ...]:
    """What at least one side tells."""
    pairs = ((what, of(before), of(after)) for what, of in _ASKED.items())
    found = [
        Likeness(what, was, is_now, was == is_now if was and is_now else None)
        for what, was, is_now in pairs
        if was or is_now
    ]
    ran = _ran(before, after)
    return tuple(found if ran is None else [ran, *found])


def same_work(found: tuple[Likeness, ...]) -> bool | None:
    """None where no side tells, or only one does."""
    told = [one.same for one in found if one.what not in _AROUND and one.same is not None]
    return all(told) if told else None


def _params(side: Side) -> str | None:
    params = side.summary.params.total
    return None if not params.known else units.count(params.number or 0)


def _flops(side: Side) -> str | None:
    flops = told(side.summary.costs.flops)
    return None if flops is None else flops if isinstance(flops, str) else units.count(flops)


def _ops(side: Side) -> str | None:
    """Of a graph its op types, else what a step ran."""
    ops = side.summary.ops
    return f"{sum(ops.values()):,} ops of {len(ops)} types" if ops else None


def _ran(before: Side, after: Side) -> Likeness | None:
    """What a step of the model runs, without its input: op types that take time."""
    if not before.measured or not after.measured:
        return None
    one, other = model_ops(before.measured[0][0]), model_ops(after.measured[0][0])
    # what is quick is sometimes left out by a tracer
    telling = sorted(
        op for side in (one, other) for op, share in side.share.items() if share >= _TELLING
    )
    unlike = [op for op in dict.fromkeys(telling) if one.runs.get(op) != other.runs.get(op)]
    if not unlike:
        said = units.plural(sum(one.runs.values()), "op")
        return Likeness(_OPS, said, said, same=True)
    was, is_now = (
        ", ".join(f"{side.runs.get(op, 0)} {op}" for op in unlike) for side in (one, other)
    )
    return Likeness(_OPS, was, is_now, same=False)


def _batch(side: Side) -> str | None:
    recorded = side.summary.recorded
    return None if recorded is None or recorded.batch is None else str(recorded.batch)


def _devices(side: Side) -> str | None:
    capture, recorded = side.summary.capture, side.summary.recorded
    kinds = {one.kind: one.count for one in capture.devices} if capture is not None else {}
    kinds = kinds or (dict(recorded.devices) if recorded is not None else {})
    return _listed(kinds) or (None if capture is None else "no device")


def _hosts(side: Side) -> str | None:
    capture = side.summary.capture
    return None if capture is None else str(len(capture.hosts))


def _versions(side: Side) -> str | None:
    capture, recorded = side.summary.capture, side.summary.recorded
    found = {**(recorded.versions if recorded is not None else {})}
    found |= capture.versions if capture is not None else {}
    return ", ".join(f"{name} {version}" for name, version in sorted(found.items())) or None


def _listed(counts: Mapping[str, int]) -> str | None:
    return ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or None


_ASKED: Mapping[str, Callable[[Side], str | None]] = {
    "parameters": _params,
    "FLOPs": _flops,
    "graph": _ops,
    "batch": _batch,
    "devices": _devices,
    "hosts": _hosts,
    "versions": _versions,
}


def differing(found: tuple[Likeness, ...]) -> Iterator[str]:
    for one in found:
        if one.same is False:
            yield f"{one.what}: {one.before} → {one.after}"
