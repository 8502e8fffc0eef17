"""What the parent wants of the script it starts: one variable of the environment, in JSON.

This is loaded before the script begins, so it loads next to nothing itself.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Final

from tfprof.frozen_dataclass import frozen_dataclass

VARIABLE: Final = "TFPROF_RUN"
SEARCH: Final = "PYTHONPATH"
TRAINING: Final = "train"
WHAT: Final = (TRAINING, "evaluate", "predict")


@frozen_dataclass
class Wanted:
    """`folder` is that of the run; `parent` the process that waits for the script.

    `what` are the steps that count. `search` is PYTHONPATH as it was, None where it was not set.
    """

    folder: str
    parent: int
    script: str | None = None
    module: str | None = None
    arguments: tuple[str, ...] = ()
    what: str = TRAINING
    steps: tuple[int, int] | None = None
    every: int | None = None
    delay: float | None = None
    duration: float | None = None
    memory: bool = False
    max_bytes: int = 256 << 20
    every_op: bool = False
    follow: bool = False
    search: str | None = None

    def into(self, folder: str) -> Wanted:
        return replace(self, folder=folder)

    def said(self) -> str:
        return json.dumps(asdict(self))

    @classmethod
    def heard(cls, text: str) -> Wanted:
        found = json.loads(text)
        steps = found["steps"]
        found["steps"] = None if steps is None else (steps[0], steps[1])
        found["arguments"] = tuple(found["arguments"])
        return cls(**found)

    def environment(self, site: str, inherited: Mapping[str, str]) -> dict[str, str]:
        """What the script is started with; `site` is the folder that is looked through first."""
        found = dict(inherited)
        found[VARIABLE] = self.said()
        found[SEARCH] = os.pathsep.join([site, self.search] if self.search else [site])
        if self.memory:
            found["TF_CPU_ALLOCATOR_USE_BFC"] = "1"
        return found
