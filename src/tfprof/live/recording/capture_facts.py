"""What the program itself wants to know of a capture that it has just written."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tfprof.model.xspace import Space

_BATCHES: Final = re.compile(r"Iterator::.*Batch[^:]*")
# reading takes its time, and the program waits
_LARGEST: Final = 32 << 20


@dataclass(frozen=True, slots=True)
class CaptureFacts:
    """None where the capture does not tell."""

    input_share: float | None = None  # how much of a step waits for input
    batch: int | None = None


def capture_facts(capture: Path) -> CaptureFacts:
    """Of the folder of one capture; nothing of one that is large."""
    from tfprof.reports import steps
    from tfprof.reports.steps.query import Query
    from tfprof.results.steps import StepsResult
    from tfprof.sources.find.load import Request, read_one

    if sum(file.stat().st_size for file in capture.glob("*.xplane.pb")) > _LARGEST:
        return CaptureFacts()
    data = read_one(Request([capture]), None)
    found = steps.ask(data, Query()).data
    share = found.input_bound.value if isinstance(found, StepsResult) else None
    known = min(1.0, max(0.0, share)) if isinstance(share, int | float) else None
    space = data.trace.space if data.trace is not None else None
    return CaptureFacts(known, None if space is None else _batch(space))


def _batch(space: Space) -> int | None:
    """What the stage of the input that makes batches says, the nearest to the program."""
    found: Counter[tuple[int, int]] = Counter()
    for plane in space.planes:
        for name in plane.event_names.name:
            if _BATCHES.fullmatch(name):
                sizes = plane.stat_of_rows("batch_size", plane.named(name)).ints().tolist()
                found.update((name.count("::"), size) for size in sizes)
    nearest = min((depth for depth, _ in found), default=None)
    sizes = {size: count for (depth, size), count in found.items() if depth == nearest}
    return max(sizes, key=lambda size: sizes[size], default=None)
