"""How each kind of time looks, in a terminal and in a picture: the same everywhere.

No two colours of a list are closer than 12 in CIE Lab, also for those who see no red, no green or
no blue; a test works that out. Where there is no colour, the letters differ: the fuller, the more
is computed.
"""

from __future__ import annotations

from tfprof.frozen_dataclass import frozen_dataclass


@frozen_dataclass
class CategoryLook:
    light: str  # on white paper
    dark: str  # on dark paper, and in a terminal
    fill: str


LOOKS = {
    "device_compute_16": CategoryLook("#45d5ff", "#c6f4ff", "▓"),
    "device_compute_32": CategoryLook("#0f63c1", "#4e8cef", "█"),
    "output": CategoryLook("#e1a500", "#dbe82a", "<"),
    "device_to_device": CategoryLook("#594000", "#945a0c", "="),
    "input": CategoryLook("#cf5c0a", "#ff852f", "░"),
    "collectives": CategoryLook("#9c68a4", "#eb90d8", "+"),
    "kernel_launch": CategoryLook("#380aa9", "#6d46f3", "^"),
    "host_to_device": CategoryLook("#d4c169", "#ffdb8f", ">"),
    "compilation": CategoryLook("#5c0a22", "#a82a40", "%"),
    "host_model": CategoryLook("#008f58", "#13b87c", "▒"),
    "host_tf_data": CategoryLook("#a1d4a0", "#80f5bd", "~"),
    "host_python": CategoryLook("#565a5f", "#8d9199", "-"),
    "other": CategoryLook("#959aa0", "#5f6168", "?"),
    "idle": CategoryLook("#e6e8ec", "#32384c", "."),
}
