"""Patterns that match nothing: without a word, the empty answer to a typo looks like a result."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from tfprof.analyses.accounting.nodes import Nodes
from tfprof.analyses.accounting.regexes import matcher
from tfprof.model.options import EARLY_ACCOUNT, EVERYTHING, Options

_NEAR_AMONG = 20_000
_NAMED = 3


def unmatched(view: str, nodes: Nodes, options: Options) -> list[str]:
    """A sentence for each; the original's engine takes them as they are."""
    if options.compat or not len(nodes):
        return []
    return [*_types(nodes, options), *_names(view, nodes, options), *_devices(nodes, options)]


def _types(nodes: Nodes, options: Options) -> Iterator[str]:
    """The usual list is of several versions' types: one of them is enough."""
    asked = options.account_type_regexes
    held = {kind for kinds in nodes.types.values() for kind in kinds}
    types = sorted({*nodes.ops.counts(), *held})
    devices = [name for name in nodes.devices.table if name]
    lost = [one for one in asked if not _any("account_type_regexes", one, types, devices)]
    if not lost or (asked == EARLY_ACCOUNT and len(lost) < len(asked)):
        return
    common = ", ".join(list(nodes.ops.counts())[:_NAMED])
    hint = "" if asked == EARLY_ACCOUNT else _nearest(lost[0], types)
    hint = hint or f"types here are {common}, ..."
    yield f"no type matches {', '.join(lost)}; {hint}"


def _names(view: str, nodes: Nodes, options: Options) -> Iterator[str]:
    """Of nodes, of scopes, or of types, as the view has them."""
    if view == "code":  # its names are lines of programs
        return
    for option in ("start_name_regexes", "show_name_regexes"):
        asked: Sequence[str] = getattr(options, option)
        if asked == EVERYTHING:
            continue
        names = {"op": lambda: list(nodes.ops.counts()), "scope": lambda: nodes.scopes[0]}
        found = names.get(view, lambda: nodes.names)()
        for one in asked:
            if not _any(option, one, found):
                hint = _nearest(one, found)
                yield f"no name matches -{option} {one}" + (f"; {hint}" if hint else "")


def _devices(nodes: Nodes, options: Options) -> Iterator[str]:
    if options.device_regexes == EVERYTHING:
        return
    devices = [name for name in nodes.devices.table if name]
    for one in options.device_regexes:
        if not _any("device_regexes", one, (), devices):
            listed = ", ".join(devices[:_NAMED]) or "none"
            yield f"no device matches {one}; devices here: {listed}"


def _any(option: str, pattern: str, names: Iterable[str], devices: Iterable[str] = ()) -> bool:
    match = matcher([pattern], option, lenient=False)
    on = matcher([pattern], option, lenient=False, any_case=True)
    return any(map(match, names)) or any(map(on, devices))


def _nearest(pattern: str, names: Sequence[str]) -> str:
    """What may have been meant; empty where nothing is near."""
    import difflib  # where something is misspelt

    near = difflib.get_close_matches(pattern, islice(names, _NEAR_AMONG), 1)
    if near:
        return f"did you mean {near[0]}?"
    found = re.compile(pattern).search
    if any(map(found, names)):
        return f"names match as a whole: did you mean .*{pattern}.*?"
    return ""
