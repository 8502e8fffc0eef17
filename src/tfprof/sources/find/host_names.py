"""What the hosts of a run are called: a host is a file. And which seem to be missing."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tfprof.late_pattern import late_pattern
from tfprof.model.hosts import LeftOut
from tfprof.model.run_record import RunRecord
from tfprof.model.trace import Trace
from tfprof.sources.files.file_ref import FileRef
from tfprof.sources.find.folders import FoundFile
from tfprof.sources.find.many_hosts import CaptureOfHost
from tfprof.sources.find.trace_files import TraceFile

# of these, each file is a host; of other runs, each is a step of one
CAPTURES = ("XPlane", "Chrome trace")
_RUN = "RunMetadata"
_SUFFIX = late_pattern(r"\.xplane\.(pb|riegeli)$")
# a series has at least so many members, and so many for each that is missing; one that is counted
# from the beginning, as ranks are, is believed sooner
_SERIES, _FOR_ONE = 3, 4
_RANKS, _FOR_ONE_RANK = 2, 1
# in numbers longer than this, gaps mean nothing
_DIGITS = 6


def host_name(file: FoundFile, trace: Trace) -> str:
    """Of a capture alone: as it says itself."""
    hosts = trace.space.hosts if trace.space is not None else ()
    known = hosts[0] if len(hosts) == 1 else ""
    return known or _file_name(file)


def _file_name(file: FoundFile) -> str:
    return _SUFFIX.sub("", file.path.name)


def captures_of_hosts(files: Sequence[FoundFile]) -> dict[FoundFile, FileRef | None]:
    """The captures of several hosts; what viewers show is one where there is no other.

    Run metadata beside them comes first, unless one run wrote both.
    """
    for kind in CAPTURES:
        found = [one for one in files if one.kind == kind]
        if found:
            break
    recorded = all(one.rank is not None for one in found)
    if len(found) < 2 or (any(one.kind == _RUN for one in files) and not recorded):
        return {}
    return dict.fromkeys(found)


def named_captures(
    files: Mapping[FoundFile, FileRef], record: RunRecord | None
) -> dict[FoundFile, CaptureOfHost]:
    """By rank and name. Two of one name are two: they are told apart by their ranks."""
    found = [*files]
    names = [_file_name(one) for one in found]
    ranks = [one.rank or 0 for one in found]
    if len(set(names)) < len(names):
        if len(set(ranks)) == len(ranks):
            names = _process_names(ranks, record)
        else:
            names = [f"{name} (rank {at})" for at, name in enumerate(names)]
    order = sorted(
        range(len(names)), key=lambda place: (ranks[place], _numbers_apart(names[place]), place)
    )
    return {
        found[place]: CaptureOfHost(
            rank,
            TraceFile(files[found[place]], found[place].format, 0, names[place]),
            str(found[place].path),
        )
        for rank, place in enumerate(order)
    }


def _process_names(ranks: Sequence[int], record: RunRecord | None) -> list[str]:
    """By rank and task; by rank and address where each process has its own."""
    known = {one.rank: one for one in (record.processes if record is not None else ())}
    addresses = {one.host for one in known.values() if one.host}
    if len(addresses) == len(known) > 1:
        known = {rank: replace(one, task=one.task or one.host) for rank, one in known.items()}
    return [known[rank].name if rank in known else f"rank {rank}" for rank in ranks]


def _numbers_apart(name: str) -> list[tuple[int, str]]:
    """To sort by: worker-2 comes before worker-10."""
    return [(int(part) if part.isdecimal() else -1, part) for part in re.split(r"(\d+)", name)]


def missing_between(names: Sequence[str]) -> Iterator[LeftOut]:
    """Those of a series, such as worker-0 to worker-9, that are not there.

    Numbers that are no series, such as those of addresses, have more gaps than members. Behind the
    last one there may be more: nothing tells.
    """
    for before, after, members in _series(names):
        first, last = min(members), max(members)
        missing = [at for at in range(first, last) if at not in members]
        fewest, for_one = (
            (_RANKS, _FOR_ONE_RANK) if _are_ranks(first, before, after) else (_SERIES, _FOR_ONE)
        )
        if len(members) < fewest or len(missing) * for_one > len(members):
            continue
        width = min(map(len, members.values())) if _padded(members) else 0
        there = f"{before}{members[first]}{after} to {before}{members[last]}{after}"
        why = f"no capture of it, though there are {there}"
        yield from (LeftOut(f"{before}{at:0{width}}{after}", why) for at in missing)


def _are_ranks(first: int, before: str, after: str) -> bool:
    """Counted from 0 or 1, and no part of an address or a date: ip-10-0-0-1, 10.0.0.1."""
    part = re.search(r"\d[-._]$", before) or re.match(r"[-._]\d", after)
    return first <= 1 and part is None


def _padded(members: Mapping[int, str]) -> bool:
    return any(text != str(number) for number, text in members.items())


def _series(names: Sequence[str]) -> Iterator[tuple[str, str, dict[int, str]]]:
    """Names that are alike but for one number: what stands around it, and the numbers."""
    found: dict[tuple[str, str], dict[int, str]] = {}
    for name in names:
        numbers = [one for one in re.finditer(r"\d+", name) if len(one[0]) <= _DIGITS]
        for one in numbers[-2:]:
            place = name[: one.start()], name[one.end() :]
            found.setdefault(place, {})[int(one[0])] = one[0]
    for (before, after), members in found.items():
        yield before, after, members
