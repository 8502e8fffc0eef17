"""A large XPlane file: a real one whose events are repeated, each time later.

    python benchmarks/_xplane.py small.xplane.pb large.xplane.pb 16

Names, threads, nesting and stats stay those of a real capture; only its length grows.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from tfprof.wire.schema import message_class


def grow(data: bytes, times: int) -> bytes:
    """The XSpace with each line's events `times` times, one round after the other."""
    space = message_class("XSpace").FromString(data)
    round_ps = max((_end_ps(line) for plane in space.planes for line in plane.lines), default=0)
    grown = message_class("XSpace")()
    for plane in space.planes:
        lines = b"".join(_field(3, _repeated(line, times, round_ps)) for line in plane.lines)
        del plane.lines[:]
        # messages that follow one another on the wire are one message
        grown.planes.add().MergeFromString(lines + plane.SerializeToString())
    del space.planes[:]
    grown.MergeFrom(space)
    result: bytes = grown.SerializeToString()
    return result


def _end_ps(line: Any) -> int:
    return max((event.offset_ps + event.duration_ps for event in line.events), default=0)


def _repeated(line: Any, times: int, round_ps: int) -> bytes:
    only_events = message_class("XLine")(events=line.events)
    del line.events[:]
    rounds = [line.SerializeToString()]
    for _ in range(times):
        rounds.append(only_events.SerializeToString())
        for event in only_events.events:
            event.offset_ps += round_ps
    return b"".join(rounds)


def _field(number: int, content: bytes) -> bytes:
    size, prefix = len(content), bytearray([number << 3 | 2])
    while size > 0x7F:
        prefix.append(size & 0x7F | 0x80)
        size >>= 7
    prefix.append(size)
    return bytes(prefix) + content


if __name__ == "__main__":
    source, target, rounds = sys.argv[1:]
    Path(target).write_bytes(grow(Path(source).read_bytes(), int(rounds)))
