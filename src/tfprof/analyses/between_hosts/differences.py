"""Hosts that are not like most of them: in versions, devices, programs, or where ops ran."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from tfprof.model.units import plural
from tfprof.results.between_hosts import HostDifference
from tfprof.results.host_brief import HostBrief
from tfprof.results.meetings import HostTraits

_NAMED = 3
_PROGRAM = "program"

# types of ops and how many nodes, or where and of which type
_Counts = Mapping[str, int]


def differences(hosts: Sequence[HostBrief]) -> list[HostDifference]:
    traits = [one.traits for one in hosts]
    names = [one.host for one in hosts]
    found = []
    for key in sorted({key for one in traits for key in one.versions}):
        found += _unlike(key, names, [one.versions.get(key) for one in traits])
    found += _unlike("devices", names, [_devices(one) for one in traits])
    programs = [_program(one) for one in traits]
    found += list(_of_counts(_PROGRAM, names, programs))
    # ops of another program run elsewhere for that reason
    usual = _most_common([repr(one) for one in programs if one])
    placed = [
        _placement(one) if repr(program) == usual else None
        for one, program in zip(traits, programs, strict=True)
    ]
    found += list(_of_counts("placement", names, placed))
    compiled = [", ".join(one.programs) or None for one in traits]
    found += _unlike("compiled programs", names, compiled)
    return found


def _devices(one: HostTraits) -> str | None:
    """None where nothing is known of the host at all."""
    if not one.devices:
        return "no device" if one.ops else None
    return ", ".join(f"{count} {kind}" for kind, count in one.devices.items())


def _program(one: HostTraits) -> _Counts | None:
    found: Counter[str] = Counter()
    for (_, kind), count in one.ops.items():
        found[kind] += count
    return dict(sorted(found.items())) or None


def _placement(one: HostTraits) -> _Counts:
    return {f"{kind} on {place}": count for (place, kind), count in sorted(one.ops.items())}


def _unlike(what: str, names: Sequence[str], values: Sequence[str | None]) -> list[HostDifference]:
    """A row for each value that is not the usual one; who does not say it is left out."""
    usual = _most_common([value for value in values if value is not None])
    groups: dict[str, list[str]] = {}
    for name, value in zip(names, values, strict=True):
        if value is not None and value != usual:
            groups.setdefault(value, []).append(name)
    return [
        HostDifference(what, tuple(hosts), value, usual or "")
        for value, hosts in sorted(groups.items(), key=lambda item: (item[1], item[0]))
    ]


def _of_counts(
    what: str, names: Sequence[str], counts: Sequence[_Counts | None]
) -> Iterator[HostDifference]:
    """What there is more of, and less, than on most hosts."""
    known = {repr(one): one for one in counts if one}
    usual = known.get(_most_common([repr(one) for one in counts if one]) or "")
    if usual is None:
        return
    keys = [None if not one else repr(one) for one in counts]
    for row in _unlike(what, names, keys):
        has = known[row.has]
        changed = {
            key: has.get(key, 0) - usual.get(key, 0)
            for key in sorted({*has, *usual})
            if has.get(key, 0) != usual.get(key, 0)
        }
        yield HostDifference(what, row.hosts, _changes(changed), _whole(usual))


def _changes(counts: _Counts) -> str:
    """Those with most nodes: 120 more Mul, 60 fewer AddV2 and 2 other types."""
    ordered = sorted(counts.items(), key=lambda item: (-abs(item[1]), item[0]))
    said = ", ".join(
        f"{abs(count):,} {'more' if count > 0 else 'fewer'} {kind}"
        for kind, count in ordered[:_NAMED]
    )
    rest = len(ordered) - _NAMED
    return said + (f" and {plural(rest, 'other type')}" if rest > 0 else "")


def _whole(counts: _Counts) -> str:
    return f"{plural(sum(counts.values()), 'node')} of {plural(len(counts), 'type')}"


def _most_common(values: Sequence[str]) -> str | None:
    """Of two that are as common, the one that comes first in the alphabet."""
    counts = Counter(values)
    return min(counts, key=lambda value: (-counts[value], value), default=None)
