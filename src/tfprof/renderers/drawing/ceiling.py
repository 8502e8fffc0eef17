"""How high a drawing of bars has to be for most of them to be seen."""

from __future__ import annotations

from collections.abc import Sequence

_FAR = 4
_MOST_CUT = 10


def ceiling(totals: Sequence[float]) -> float:
    """The highest of them; without the few that would press all the others flat, if there are.

    The first step of a run, with all its compilations, can take a hundred times as long as another.
    """
    ranked, middle = sorted(totals), len(totals) // 2
    # the median: `statistics` has it, and loads fractions and decimals
    far = _FAR * (ranked[middle] + ranked[~middle]) / 2
    cut = sum(total > far for total in totals)
    if not far or not cut or cut > max(1, len(totals) // _MOST_CUT):
        return max(totals)
    return max(total for total in totals if total <= far)
