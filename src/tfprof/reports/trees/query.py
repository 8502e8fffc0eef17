"""What is asked of one of the four views."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.analyses.inference.sites import Given
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.options import Options, options_from, traced
from tfprof.model.profile import ProfileData


@frozen_dataclass
class Query:
    """`options` are all of them, or only those that were said: the rest follows from the profile.

    `view` is scope, graph, op or code; `given` what was said of sizes that the graph leaves open.
    """

    view: str
    options: Options | Mapping[str, object]
    given: Given | None = None

    def settled(self, data: ProfileData) -> Options:
        if isinstance(self.options, Options):
            return self.options
        only_ran = data.graph is None and data.trace is not None
        return options_from(self.options, traced() if only_ran else None)
