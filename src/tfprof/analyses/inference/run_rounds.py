"""How often a loop went round in a run: its condition is asked once more than its body runs."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from tfprof.late_pattern import late_pattern
from tfprof.model.trace import Trace

# behind what TensorFlow makes of a While stands a number
_CONDITION = late_pattern(r"(.+)/LoopCond(?:/_\d+)?")
_ENTERED = late_pattern(r"(.+)/(?:Enter|enter)(?:_\d+)?(?:/_\d+)?")


class RunRounds:
    """By the name of the loop; one that had more rounds at one time than at another has none."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace

    def of(self, loop: str) -> int | None:
        asked, entered = self._asked.get(loop, 0), self._entered.get(loop, 0)
        if not entered or asked < entered or asked % entered:
            return None
        return asked // entered - 1

    @cached_property
    def _asked(self) -> dict[str, int]:
        return self._counted(_CONDITION)

    @cached_property
    def _entered(self) -> dict[str, int]:
        return self._counted(_ENTERED)

    def _counted(self, pattern: re.Pattern[str]) -> dict[str, int]:
        """The most executions of any node that is called so, on one device."""
        found: dict[str, int] = {}
        for name, count in self._executions.items():
            match = pattern.fullmatch(name)
            if match:
                found[match[1]] = max(found.get(match[1], 0), count)
        return found

    @cached_property
    def _executions(self) -> dict[str, int]:
        rows = self._trace.executions
        devices = max(1, len(rows.device.table))
        both = rows.node.codes.astype(np.int64) * devices + rows.device.codes
        keys, counts = np.unique(both, return_counts=True)
        found: dict[str, int] = {}
        for key, count in zip(keys.tolist(), counts.tolist(), strict=True):
            name = rows.node.table[key // devices]
            found[name] = max(found.get(name, 0), count)
        return found
