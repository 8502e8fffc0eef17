"""What the program itself wants to know of a capture that it has just written."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tfprof.model.profile import ProfileData
    from tfprof.model.xspace import Space

_BATCHES: Final = re.compile(r"Iterator::.*Batch[^:]*")
# reading takes its time, and the program waits
_LARGEST: Final = 32 << 20


def input_share_of(capture: Path) -> float | None:
    """How much of a step waits for input; of the folder of one capture."""
    from tfprof.reports import steps
    from tfprof.reports.steps.query import Query
    from tfprof.results.steps import StepsResult

    data = _read(capture)
    found = steps.ask(data, Query()).data if data is not None else None
    share = found.input_bound.value if isinstance(found, StepsResult) else None
    return min(1.0, max(0.0, share)) if isinstance(share, int | float) else None


def batch_in(capture: Path) -> int | None:
    """How many samples the input pipeline puts together."""
    data = _read(capture)
    space = data.trace.space if data is not None and data.trace is not None else None
    return None if space is None else _batch(space)


def _read(capture: Path) -> ProfileData | None:
    """None of one that is large, or that cannot be read: nothing depends on it."""
    from tfprof.sources.find.load import Request, read_one

    if sum(file.stat().st_size for file in capture.glob("*.xplane.pb")) > _LARGEST:
        return None
    try:
        return read_one(Request([capture]), None)
    except Exception:  # noqa: BLE001  (as it says)
        return None


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
