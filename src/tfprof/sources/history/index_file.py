"""`.tfprof-log.json`, beside the runs of a history: so that the next look reads only what is new.

Nothing in it is believed: it may be cut, written by hand, by another version or by somebody who
means harm. A place whose entry is not as it should be is read again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.known_run import KnownRun
from tfprof.sources.history.entries import run_from, run_told
from tfprof.wire.json_values import Json, NotBelieved, Object, as_list, as_object, parsed

NAME = ".tfprof-log.json"
MOST_BYTES = 256 << 20
# with every version of tfprof; and when the numbers of one version change
_SCHEMA = "tfprof-log/3"
_MOST_PLACES = 200_000
_LONGEST = 4_096
_STAMP_LETTERS = 32


@frozen_dataclass
class Entry:
    """The runs of a place, as they were when its files had this stamp."""

    stamp: str
    runs: tuple[KnownRun, ...]


@frozen_dataclass
class Index:
    """`damaged` entries were left out; `why` is why none of it could be used."""

    entries: Mapping[str, Entry]
    damaged: int = 0
    why: str = ""


def decoded(data: bytes, version: str) -> Index:
    """`version` is that of tfprof: another one may count otherwise."""
    try:
        values = parsed(data)
    except (ValueError, RecursionError) as fault:  # no JSON, no Unicode, a number nobody means
        why = str(fault) if isinstance(fault, NotBelieved) else "it is no JSON"
        return Index({}, why=f"the index is damaged: {why}")
    if not isinstance(values, dict) or values.get("schema") != _SCHEMA:
        return Index({}, why="the index is damaged: it is not one of tfprof's")
    if values.get("tfprof") != version:
        return Index({}, why="another version of tfprof wrote the index")
    places = as_object(values.get("places"))
    entries: dict[str, Entry] = {}
    damaged = max(0, len(places) - _MOST_PLACES)
    for key, value in [*places.items()][:_MOST_PLACES]:
        entry = _entry(value) if _is_below(key) else None
        if entry is None:
            damaged += 1
        else:
            entries[key] = entry
    return Index(entries, damaged)


def _is_below(key: str) -> bool:
    """A place of this folder; what only looks like one is nobody's."""
    return len(key) <= _LONGEST and not key.startswith("/") and ".." not in key.split("/")


def _entry(value: Json) -> Entry | None:
    found = as_object(value)
    stamp, listed = found.get("stamp"), found.get("runs")
    if not isinstance(stamp, str) or len(stamp) != _STAMP_LETTERS or not isinstance(listed, list):
        return None
    runs = [run_from(one) for one in as_list(listed)]
    known = tuple(one for one in runs if one is not None and _is_below(one.path))
    return Entry(stamp, known) if len(known) == len(runs) else None


def encoded(entries: Mapping[str, Entry], version: str) -> Iterator[bytes]:
    """A line a place, so that tools that compare lines tell what came."""
    head: Object = {"schema": _SCHEMA, "tfprof": version}
    begin = json.dumps(head)[:-1]
    yield f'{begin}, "places": {{'.encode()
    kept = sorted(entries.items())[:_MOST_PLACES]
    for at, (key, entry) in enumerate(kept):
        runs = [run_told(one) for one in entry.runs]
        line = json.dumps({"stamp": entry.stamp, "runs": runs}, allow_nan=False)
        comma = "," if at < len(kept) - 1 else ""
        yield f"\n{json.dumps(key)}: {line}{comma}".encode()
    yield b"\n}}\n"
