"""What a device can do."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DevicePeak:
    """FLOPs and bytes that a device does in a second at its best."""

    name: str
    flops: float
    bytes: float
