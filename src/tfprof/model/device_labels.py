"""What the time of a device is called that belongs to no op: a row of its own in every table."""

from __future__ import annotations

import re

from tfprof.late_pattern import late_pattern

NO_OP = "(not attributed)"
TO_DEVICE = "(copies to the device)"
TO_HOST = "(copies to the host)"
ON_DEVICE = "(copies on the device)"
BETWEEN = "(copies between devices)"
MEMSET = "(memset)"

LABELS = frozenset((NO_OP, TO_DEVICE, TO_HOST, ON_DEVICE, BETWEEN, MEMSET))

# CUPTI's names, those of older tracers, and of TensorFlow 1
_COPY = late_pattern(r"(?:.*:)?memcpy.*|copy(?:host|device).*", re.IGNORECASE)
_MEMSET = late_pattern(r"(?:.*:)?memset.*", re.IGNORECASE)
_DIRECTIONS = {
    TO_DEVICE: "H2D|HtoD|HostToDevice|kind_src:(?!device).*kind_dst:device",
    TO_HOST: "D2H|DtoH|DeviceToHost|kind_src:device.*kind_dst:(?!device)",
    BETWEEN: "P2P|PtoP|PeerToPeer",
}
_WAYS = {label: late_pattern(words, re.IGNORECASE) for label, words in _DIRECTIONS.items()}


def is_copy(event: str) -> bool:
    """By the name of what a device recorded: a copy by an engine of its own, not by a kernel."""
    return _COPY.fullmatch(event) is not None


def is_memset(event: str) -> bool:
    return _MEMSET.fullmatch(event) is not None


def copy_label(text: str) -> str:
    """By the name of a copy, or by what the tracer wrote of it."""
    return next((label for label, way in _WAYS.items() if way.search(text)), ON_DEVICE)


def label_of(event: str, details: str = "") -> str:
    """What an event without an op is."""
    if is_memset(event):
        return MEMSET
    if not is_copy(event):
        return NO_OP
    found = copy_label(event)
    return copy_label(details) if found == ON_DEVICE and details else found
