"""Steps of a loop that nobody marks: from calls that update a model and the data between them.

A step begins where the next batch is asked for, or with the first call that updates variables, and
ends with the last of such calls. Several that follow each other are one step (the discriminator and
the generator of a GAN), until one of them comes again or another batch is asked for. Which call is
the last one, and which `next()` in the program leads to a step at all, is learned from the step
before: the line of a loop over validation data is followed by no update. So is how many batches one
step takes: gradients may be summed up over some before they are applied.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

from tfprof.live.live_objects import Live
from tfprof.live.run.watch import Watch


@dataclass(slots=True)
class Loop:
    """What goes on in one thread.

    `updates` are the calls of the step that goes on, or of the last one. `asked` counts for each
    place in the program the batches since the last update, `batches` how many of them led to one.
    """

    watch: Watch
    token: Live = None
    updates: list[Hashable] = field(default_factory=list)
    last_update: Hashable = None
    batches: dict[Hashable, int] = field(default_factory=dict)
    asked: dict[Hashable, int] = field(default_factory=dict)
    opened_at: Hashable = None
    is_over: bool = True
    is_fed: bool = False
    kind: str = "function"
    name: str = ""

    def batch_asked(self, place: Hashable) -> None:
        """Before a dataset gives the next batch."""
        count = self.asked[place] = self.asked.get(place, 0) + 1
        if count > self.batches.get(place, 0):
            self.batches[place] = 0  # asked once more, and nothing came of it
        if self.token is not None and not self.updates:
            if self.opened_at is not None and (self.opened_at != place or self.batches[place]):
                return  # another batch or another dataset of the same step
            self._was_none()
        elif self.token is not None:
            self._end()
        if self.batches[place]:
            self._begin(place)
        else:
            self.is_over = True
            self.updates = []
            self.watch.pause()

    def batch_missing(self) -> None:
        """There is none: the epoch is over, or the pipeline failed."""
        if self.token is not None and not self.updates and self.opened_at is not None:
            self._was_none()
        self.asked = {}

    def update_begins(self, update: Hashable, kind: str, name: str) -> None:
        """A call that updates variables; also told afterwards of a call that was not known."""
        if self.token is None and self._follows(update):
            self.updates.append(update)
            return
        self.kind, self.name = kind, name
        if self.token is not None and update in self.updates:
            self._end()
        if self.token is None:
            self._begin(None)
        self.updates.append(update)
        self.is_fed = bool(self.asked) or (self.is_fed and len(self.updates) > 1)
        for place, count in self.asked.items():
            self.batches[place] = max(count, self.batches.get(place, 0))
        self.asked = {}

    def update_ends(self, update: Hashable, failed: bool = False) -> None:  # noqa: FBT001, FBT002
        """If the step before ended with this call, so does this one."""
        if self.token is None or (update != self.last_update and not failed):
            return
        self._end(failed=failed)
        if self.kind == "eager" and not self.is_fed and not failed:
            self._begin(None)  # all that comes before the next update belongs to it

    def leave(self) -> None:
        """Something else goes on from here: a fit, or the end."""
        if self.token is not None and self.updates:
            self._end()
        elif self.token is not None:
            self._was_none()
        self.updates = []
        self.asked = {}
        self.is_over = True

    def _follows(self, update: Hashable) -> bool:
        """Whether it belongs to the step whose last call seemed to be through."""
        return bool(self.updates) and update not in self.updates and not self.is_over

    def _begin(self, place: Hashable) -> None:
        self.last_update = self.updates[-1] if self.updates else self.last_update
        self.updates = []
        self.opened_at = place
        self.token = self.watch.begin(self.kind, self.name)
        self.is_over = False

    def _end(self, *, failed: bool = False) -> None:
        self.watch.end(self.token, failed=failed)
        self.token = None

    def _was_none(self) -> None:
        self.watch.cancel(self.token)
        self.token = None
