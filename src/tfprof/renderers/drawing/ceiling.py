"""How high a drawing of bars has to be for most of them to be seen."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

_FAR = 4
_MOST_CUT = 10


def ceiling(totals: Sequence[float]) -> float:
    """The highest of them; without the few that would press all the others flat, if there are.

    The first step of a run, with all its compilations, can take a hundred times as long as another.
    """
    far = _FAR * median(totals)
    cut = sum(total > far for total in totals)
    if not far or not cut or cut > max(1, len(totals) // _MOST_CUT):
        return max(totals)
    return max(total for total in totals if total <= far)
