"""Sessions of several hosts for tests: a file and a clock each; inside, all are called alike."""

from __future__ import annotations

import gzip
from collections.abc import Collection
from functools import cache
from pathlib import Path

from conftest import TESTS

from tfprof.wire.schema import message_class

# nanoseconds that the clocks of two hosts are apart
_APART = 1_250_000


def session(
    folder: Path,
    hosts: int = 8,
    *,
    name: str = "slow-cb",
    slow: Collection[int] = (),
    missing: Collection[int] = (),
    cut: Collection[int] = (),
) -> Path:
    """A folder of worker-0, worker-1...: some slow, some not there, of some only the beginning."""
    folder.mkdir(parents=True, exist_ok=True)
    for at in range(hosts):
        if at in missing:
            continue
        data = capture(name, at, stretched=1.5 if at in slow else 1.0)
        if at in cut:
            data = data[: len(data) * 6 // 10]
        (folder / f"worker-{at}.xplane.pb").write_bytes(data)
    return folder


def capture(name: str, at: int, *, stretched: float = 1.0) -> bytes:
    """A real capture as another host would have made it, all of it slower where it is stretched."""
    message = message_class("XSpace").FromString(_bytes(name))
    del message.hostnames[:]
    message.hostnames.append("localhost")
    for plane in message.planes:
        for line in plane.lines:
            if line.timestamp_ns:
                line.timestamp_ns += at * _APART
            for event in line.events if stretched != 1.0 else ():
                event.offset_ps = round(event.offset_ps * stretched)
                event.duration_ps = round(event.duration_ps * stretched)
    return message.SerializeToString()


@cache
def _bytes(name: str) -> bytes:
    return gzip.decompress((TESTS / "data" / "xplane" / f"{name}.xplane.pb.gz").read_bytes())
