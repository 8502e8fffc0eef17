"""Levels of detail: what is too short to be seen is merged with what stands beside it.

A level keeps every event that lasts as long as its grain; of those that are shorter, all that begin
in the same two grains of a track become one stretch, which says how many they are and how long they
took together.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass

Ints = npt.NDArray[np.int64]

# a level has at most this part of the one before it
_LESS = 0.3
# a grain is so many times the one before it
_COARSER = 4
# all of it can be drawn
FEW = 20_000


@frozen_dataclass
class Level:
    """By track and start. `count` is 1 for an event itself; `busy` is what those merged took.

    `name` is of the longest of them, `first` the row of the level before that it stands for.
    """

    grain: int
    track: Ints
    start: Ints
    duration: Ints
    name: Ints
    count: Ints
    busy: Ints
    first: Ints

    def __len__(self) -> int:
        return len(self.track)

    @classmethod
    def exact(cls, track: Ints, start: Ints, duration: Ints, name: Ints) -> Level:
        count = np.ones(len(track), np.int64)
        return cls(0, track, start, duration, name, count, duration, np.arange(len(track)))

    def merged(self, grain: int) -> Level:
        if not len(self):
            return self
        short = self.duration < grain
        bucket = self.start // (2 * grain)
        alike = (np.diff(self.track) == 0) & (np.diff(bucket) == 0) & short[1:] & short[:-1]
        first = np.flatnonzero(np.append(True, ~alike))
        run = np.cumsum(np.append(True, ~alike)) - 1
        end = np.maximum.reduceat(self.start + self.duration, first)
        longest = np.maximum.reduceat(self.busy, first)
        # the first of those that are as long as the longest of their run
        tops = np.flatnonzero(self.busy == longest[run])
        top = tops[np.append(True, np.diff(run[tops]) != 0)]
        return Level(
            grain,
            self.track[first],
            self.start[first],
            end - self.start[first],
            self.name[top],
            np.add.reduceat(self.count, first),
            np.add.reduceat(self.busy, first),
            self.first[first],
        )


def at_most(exact: Level, most: int, finest: int) -> Level:
    """The level with the finest grain that has no more rows than that."""
    level, grain = exact, finest
    while len(level) > most:
        level, grain = exact.merged(grain), grain * _COARSER
    return level


def coarser(level: Level, finest: int) -> Iterator[Level]:
    """Those above it, until all of a level can be drawn."""
    grain = max(level.grain * _COARSER, finest)
    while len(level) > FEW:
        wanted = max(FEW, int(len(level) * _LESS))
        before = level
        while len(level) > wanted:
            level, grain = before.merged(grain), grain * _COARSER
        yield level
