"""What ran when, on every thread and stream."""

from __future__ import annotations

from collections.abc import Mapping

from tfprof.reports.page.about import About
from tfprof.reports.timeline.in_tracks import in_tracks


def section(about: About) -> Mapping[str, object]:
    found = in_tracks(about.data, about.room)
    about.notes += [note for note in found.notes if "merged" in note]
    return {"timeline": found}
