"""What an op log would say, found out from the graph where there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tfprof.analyses.cost.float_ops import count_float_ops
from tfprof.analyses.graph.roles import Role
from tfprof.analyses.graph.variables import find_variables
from tfprof.analyses.inference.sites import Given
from tfprof.model.oplog import TRAINABLE, OpLog
from tfprof.model.profile import ProfileData

# how a warning is known that matters only to those who ask for FLOPs
NO_FLOPS = "have no FLOPs"
_NAMED = 5


def fill_oplog(
    data: ProfileData,
    *,
    float_ops: bool = True,
    trained: bool = True,
    given: Given | None = None,
) -> ProfileData:
    """With the FLOPs and the trained variables that no op log gave; warns of what is not known."""
    if data.graph is None:
        return data
    log = data.oplog or OpLog({}, {})
    if float_ops:
        counted = count_float_ops(data, given)
        counts = {**log.float_ops, **counted.by_node}  # the log's own are in both
        warnings = (*data.warnings, *_without_shapes(counted.unknown))
        uncounted = frozenset(name for names in counted.unknown.values() for name in names)
        log = replace(log, float_ops=counts, uncounted=uncounted - counts.keys())
        data = replace(data, warnings=warnings)
    if trained:
        types = {name: list(kinds) for name, kinds in log.types.items()}
        for name in _trained(data):
            if TRAINABLE not in types.get(name, ()):
                types.setdefault(name, []).append(TRAINABLE)
        log = replace(log, types=types)
    return replace(data, oplog=log)


def _without_shapes(unknown: Mapping[str, Sequence[str]]) -> list[str]:
    if not unknown:
        return []
    count = sum(len(names) for names in unknown.values())
    types = ", ".join(sorted(unknown, key=lambda op: -len(unknown[op]))[:_NAMED])
    what = f"{count} ops {NO_FLOPS} since their shapes are not known ({types})"
    return [f"{what}: say --batch N, or hand over run metadata"]


def _trained(data: ProfileData) -> list[str]:
    """What the graph itself says is trained, where nothing else does."""
    said = any(v.trainable is not None for v in data.declared.variables.values())
    if said or (data.oplog is not None and data.oplog.trainable):
        return []
    return [v.name for v in find_variables(data) if v.role is Role.TRAINABLE]
