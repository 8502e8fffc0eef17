"""What a restore would do, in words and as data."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tfprof.analyses.restore import Restore, restores
from tfprof.answers.digest import Digest

_NAMES_SHOWN = 4


def restores_of(known: Digest) -> list[Restore]:
    """One for each Saver; none without both a graph and a checkpoint."""
    graph, checkpoint = known.data.graph, known.data.checkpoint
    if graph is None or checkpoint is None:
        return []
    return restores(graph, known.parameters.variables, checkpoint)


def restore_facts(found: Sequence[Restore]) -> Iterator[tuple[str, str]]:
    for restore in found:
        of = f" by the Saver {restore.saver}" if restore.saver and len(found) > 1 else ""
        rest = len(restore.missing) + len(restore.mismatched) + len(restore.untouched)
        whole = len(restore.matched) + rest
        text = f"{len(restore.matched):,} of {whole:,} variables{of}"
        yield "Restores", text + (f": {_listed(restore.matched)}" if restore.matched else "")
        if restore.untouched:
            yield "Not restored", f"{_listed(restore.untouched)}: the Saver does not ask for it"
        if restore.missing:
            yield "Not restored", f"{_listed(restore.missing)}: not in the checkpoint"
        for mismatch in restore.mismatched[:_NAMES_SHOWN]:
            both = f"{mismatch.graph} in the graph, {mismatch.checkpoint} in the checkpoint"
            yield "Differs", f"{mismatch.name}: {both}"
        if restore.extra:
            yield "Left over", f"{_listed(restore.extra)}: in the checkpoint, restored into nothing"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMES_SHOWN])
    more = len(names) - _NAMES_SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown


def restore_data(found: Sequence[Restore]) -> dict[str, Any] | None:
    """The first Saver's answer, and every Saver's below it."""
    if not found:
        return None
    return _as_data(found[0]) | {"savers": [{"name": r.saver, **_as_data(r)} for r in found]}


def _as_data(restore: Restore) -> dict[str, Any]:
    return {
        "matched": restore.matched,
        "missing": [*restore.missing, *restore.untouched],
        "not_in_checkpoint": restore.missing,
        "mismatched": [
            {"name": m.name, "graph": m.graph, "checkpoint": m.checkpoint}
            for m in restore.mismatched
        ],
        "extra": restore.extra,
    }
