"""Which nodes count, are shown, hidden, trimmed or started from: the regular expressions."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from tfprof.analyses.accounting.nodes import Nodes
from tfprof.errors import UsageError
from tfprof.model.options import EVERYTHING, Options

Mask = npt.NDArray[np.bool_]
Match = Callable[[str], bool]


def matcher(
    patterns: Sequence[str], option: str, *, lenient: bool, any_case: bool = False
) -> Match:
    """Whether a name fully matches one of the patterns; an empty list matches nothing."""
    if tuple(patterns) == EVERYTHING:
        return lambda _: True
    compiled = []
    for pattern in patterns:
        try:
            compiled.append(re.compile(pattern, re.IGNORECASE if any_case else 0))
        except re.error as fault:
            if not lenient:  # the original's engine takes it as matching nothing
                raise UsageError(
                    f"-{option} has an invalid regular expression {pattern!r}: {fault}",
                    hint="Names and types have to match as a whole; lists are split at commas.",
                ) from None
    return lambda text: any(one.fullmatch(text) for one in compiled)


def accounted(nodes: Nodes, options: Options) -> Mask:
    """The nodes whose op or another of whose types matches an account pattern."""
    if options.account_type_regexes == EVERYTHING:
        return np.ones(len(nodes), bool)
    match = matcher(options.account_type_regexes, "account_type_regexes", lenient=options.compat)
    found = nodes.ops.map(match)
    on = device_matcher(options, "account_type_regexes")
    found |= nodes.devices.map(lambda device: bool(device) and on(device))
    by_type: dict[str, bool] = {}
    for row, types in nodes.types.items():
        if not found[row]:
            for kind in types:
                if kind not in by_type:
                    by_type[kind] = match(kind)
            found[row] = any(by_type[kind] for kind in types)
    return found


def device_matcher(options: Options, option: str) -> Match:
    """Runs and graphs spell one device differently: any case will do, but in the original."""
    patterns = getattr(options, option)
    return matcher(patterns, option, lenient=options.compat, any_case=not options.compat)
