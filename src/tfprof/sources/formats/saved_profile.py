"""A saved profile: told by its first member, read as the files that are in it."""

from __future__ import annotations

from pathlib import Path

from tfprof.sources.files.opener import Opener, enter_with
from tfprof.sources.files.registry import Format, reader, register
from tfprof.sources.saved.beginning import is_saved

KIND = "saved profile"


def _members(path: Path) -> Opener | None:
    from tfprof.sources.saved.members import members_of

    return members_of(path)


enter_with(_members)


register(Format(
    name=KIND,
    about="what `tfprof save` keeps: the files of a profile in one",
    names="*.tfprof",
    recognised_by="its first member",
    gives="all that its files gave",
    score=lambda probe: float(is_saved(probe.head)),
    read=reader("saved.saved_profile", "read"),
))  # fmt: skip
