"""Captures that hold as much as their writer takes: what came later is probably missing."""

from __future__ import annotations

from pathlib import Path

from tfprof.model.xspace import Space

# what TensorFlow's tracer of GPUs takes, over all of them, of kernels and copies
MOST_GPU_EVENTS = 2 * 1024 * 1024
# what the writers of traces for viewers put into a file, the earliest first
MOST_VIEWED = 1_000_000
_GPU = "/device:GPU"


def said_of_tracer(space: Space, path: Path) -> list[str]:
    count = sum(len(plane.events) for plane in space.devices if plane.name.startswith(_GPU))
    if count < MOST_GPU_EVENTS:
        return []
    said = (
        f"{path}: {count:,} events of GPUs, and TensorFlow's tracer takes no more than "
        f"{MOST_GPU_EVENTS:,}: later ones are probably missing; capture fewer steps"
    )
    return [said]


def said_of_viewed(space: Space, path: Path) -> list[str]:
    if space.event_count != MOST_VIEWED:
        return []
    said = (
        f"{path}: exactly {MOST_VIEWED:,} events, as many as such a file is given: the end of the "
        "capture is probably missing; its .xplane.pb has all of it"
    )
    return [said]
