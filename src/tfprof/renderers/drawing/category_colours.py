"""How each kind of time looks, in a terminal and in a picture: the same everywhere.

No two colours of a list are closer than 12 in CIE Lab, also for those who see no red, no green or
no blue; a test works that out. Where there is no colour, the letters differ: the fuller, the more
is computed.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Look:
    light: str  # on white paper
    dark: str  # on dark paper, and in a terminal
    fill: str


LOOKS = {
    "device_compute_16": Look("#45d5ff", "#c6f4ff", "▓"),
    "device_compute_32": Look("#0f63c1", "#4e8cef", "█"),
    "output": Look("#e1a500", "#dbe82a", "<"),
    "device_to_device": Look("#594000", "#945a0c", "="),
    "input": Look("#cf5c0a", "#ff852f", "░"),
    "collectives": Look("#9c68a4", "#eb90d8", "+"),
    "kernel_launch": Look("#380aa9", "#6d46f3", "^"),
    "host_to_device": Look("#d4c169", "#ffdb8f", ">"),
    "compilation": Look("#5c0a22", "#a82a40", "%"),
    "host_model": Look("#008f58", "#13b87c", "▒"),
    "host_tf_data": Look("#a1d4a0", "#80f5bd", "~"),
    "host_python": Look("#565a5f", "#8d9199", "-"),
    "other": Look("#959aa0", "#5f6168", "?"),
    "idle": Look("#e6e8ec", "#32384c", "."),
}
