"""What the sections of a page are made from: the profile, and answers that several of them need."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar, cast

from tfprof.model.profile import ProfileData
from tfprof.reports.page.query import Query

T = TypeVar("T")
# a million take a minute and a half, and 5 GB
_MOST_NODES = 1_500_000


class NothingToShow(Exception):
    """A section has nothing of this profile: the reason, and what would help."""


@dataclass(slots=True)
class About:
    data: ProfileData
    query: Query
    # how many bytes this section may take in the file; what can be thinned out keeps to it
    room: int = 0
    # what is said about the whole page: what was thinned out, and by how much
    notes: list[str] = field(default_factory=list)
    _answers: dict[object, object] = field(default_factory=dict)

    def refuse_huge(self) -> None:
        """What goes through all nodes several times is not for graphs that take gigabytes then."""
        nodes = len(self.data.graph) if self.data.graph is not None else 0
        if nodes > _MOST_NODES:
            raise NothingToShow(
                f"{nodes:,} nodes are more than a page is made of ({_MOST_NODES:,}). "
                "`tfprof scope -max_depth 3` and `tfprof op` tell what they cost."
            )

    def once(self, make: Callable[[About], T]) -> T:
        """What `make` makes of this profile, made when the first section asks."""
        if make not in self._answers:
            self._answers[make] = make(self)
        return cast("T", self._answers[make])
