"""What a restore would do, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tfprof.results.doctor import RestoredBy

_NAMES_SHOWN = 4


def restore_facts(savers: Sequence[RestoredBy]) -> Iterator[tuple[str, str]]:
    for saver in savers:
        found = saver.restored
        of = f" by the Saver {saver.name}" if saver.name and len(savers) > 1 else ""
        whole = len(found.matched) + len(found.missing) + len(found.mismatched)
        text = f"{len(found.matched):,} of {whole:,} variables{of}"
        yield "Restores", text + (f": {_listed(found.matched)}" if found.matched else "")
        if found.not_asked_for:
            yield "Not restored", f"{_listed(found.not_asked_for)}: the Saver does not ask for it"
        if found.not_in_checkpoint:
            yield "Not restored", f"{_listed(found.not_in_checkpoint)}: not in the checkpoint"
        for mismatch in found.mismatched[:_NAMES_SHOWN]:
            both = f"{mismatch.graph} in the graph, {mismatch.checkpoint} in the checkpoint"
            yield "Differs", f"{mismatch.name}: {both}"
        if found.extra:
            yield "Left over", f"{_listed(found.extra)}: in the checkpoint, restored into nothing"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_NAMES_SHOWN])
    more = len(names) - _NAMES_SHOWN
    return f"{shown} and {more:,} more" if more > 0 else shown
