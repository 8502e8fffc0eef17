"""A job of many hosts, made of a real capture: some slow, one missing, of one only a part.

    python benchmarks/_session.py CAPTURE FOLDER HOSTS

Eight clocks and one that is slow are written; the other hosts are links to them.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from tfprof.wire.schema import message_class

CLOCKS, APART_NS, SLOWER = 8, 1_250_000, 1.5


def special(hosts: int) -> tuple[set[int], int, int]:
    """The slow ones, the one that is missing, and the one that was cut off."""
    return {hosts // 7, hosts // 3, hosts // 2 + 1}, hosts // 5, hosts - 3


def name(at: int) -> str:
    return f"worker-{at:04}"


def write(capture: Path, folder: Path, hosts: int) -> None:
    folder.mkdir(parents=True)
    slow, missing, cut = special(hosts)
    kinds: dict[int, Path] = {}
    for at in range(hosts):
        if at == missing:
            continue
        path = folder / f"{name(at)}.xplane.pb"
        kind = -1 if at in slow else at % CLOCKS
        if at == cut:
            whole = kinds[0].read_bytes()
            path.write_bytes(whole[: len(whole) // 2])
        elif kind in kinds:
            os.link(kinds[kind], path)
        else:
            path.write_bytes(_of_host(capture, kind))
            kinds[kind] = path


def write_whole(capture: Path, folder: Path, hosts: int) -> None:
    """All of them are there, none is slow, and each is a file of its own."""
    folder.mkdir(parents=True)
    for at in range(hosts):
        (folder / f"{name(at)}.xplane.pb").write_bytes(_of_host(capture, at))


def _of_host(capture: Path, kind: int) -> bytes:
    """As a host with another clock would have written it; inside, all have the same name."""
    space = message_class("XSpace").FromString(capture.read_bytes())
    del space.hostnames[:]
    space.hostnames.append("localhost")
    for plane in space.planes:
        for line in plane.lines:
            if line.timestamp_ns:
                line.timestamp_ns += max(0, kind) * APART_NS
            for event in line.events if kind < 0 else ():
                event.offset_ps = round(event.offset_ps * SLOWER)
                event.duration_ps = round(event.duration_ps * SLOWER)
    made: bytes = space.SerializeToString()
    return made


if __name__ == "__main__":
    source, target, count = sys.argv[1:]
    write(Path(source), Path(target), int(count))
