"""A profile as it can be given away: what `save --confidential` writes, read again."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from tfprof.model.profile import Input, ProfileData
from tfprof.sources.find.load import Request, read_one
from tfprof.sources.find.reading import ProgressOf
from tfprof.sources.find.saving import to_save


@contextmanager
def without_confidential(
    data: ProfileData, version: str, progress: ProgressOf | None = None
) -> Iterator[ProfileData]:
    """Files are read when they are needed: the copy is there as long as somebody asks."""
    saved = to_save(data, version, confidential=True, progress=progress)
    title = saved.manifest.title
    with TemporaryDirectory() as folder:
        place = Path(folder) / f"{Path(title).name}.tfprof"
        with place.open("wb") as file:
            file.writelines(saved.chunks())
        yield _without_place(read_one(Request([place]), progress), place, title)


def _without_place(data: ProfileData, place: Path, title: str) -> ProfileData:
    """Where the copy lies for a moment is nobody's business either."""

    def neutral(one: Input) -> Input:
        path = one.path.relative_to(place) if one.path.is_relative_to(place) else one.path
        return replace(one, path=path, why=one.why.replace(str(place), title))

    return replace(
        data,
        title=title,
        inputs=tuple(neutral(one) for one in data.inputs if one.path != place),
        warnings=tuple(one.replace(str(place), title) for one in data.warnings),
    )
