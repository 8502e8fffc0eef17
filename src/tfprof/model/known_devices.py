"""What well-known accelerators do at their best, as their makers state it.

Dense FLOPs a second in 32 bits on ordinary cores and in 16 bits on tensor or matrix cores, bytes a
second of the memory of the device. Of a TPU, and of an MI250X, it is what one device of a capture
is: a core of v2 and v3, half a package.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.device import DevicePeak

_T, _G = 1e12, 1e9


@frozen_dataclass
class KnownDevice:
    """`pattern` is what a capture may call it; `version` and `cores` what its plane states."""

    name: str
    pattern: str
    version: tuple[int, int] | None
    cores: int
    flops_32: float
    flops_16: float
    bytes: float
    source: str

    def peak(self, *, half: bool) -> DevicePeak:
        return DevicePeak(self.name, self.flops_16 if half else self.flops_32, self.bytes)


_NVIDIA = "NVIDIA's data sheet of the"
_AMD = "AMD's data sheet of the"
_GOOGLE = "Google Cloud, TPU system architecture:"
# name, pattern, compute capability, multiprocessors; TFLOP/s in 32 and 16 bits, GB/s; source
_ROWS = (
    ("P100", r"P100", (6, 0), 56, 10.6, 21.2, 732, f"{_NVIDIA} Tesla P100 (SXM2)"),
    ("V100", r"V100", (7, 0), 80, 15.7, 125, 900, f"{_NVIDIA} Tesla V100 (SXM2)"),
    ("T4", r"\bT4\b", (7, 5), 40, 8.1, 65, 320, f"{_NVIDIA} T4"),
    ("A100-80GB", r"A100.*80\s*GB", None, 0, 19.5, 312, 2039, f"{_NVIDIA} A100 80GB (SXM)"),
    ("A100", r"A100", (8, 0), 108, 19.5, 312, 1555, f"{_NVIDIA} A100 40GB"),
    ("A10", r"\bA10G?\b", (8, 6), 72, 31.2, 125, 600, f"{_NVIDIA} A10"),
    ("A6000", r"RTX A6000", (8, 6), 84, 38.7, 154.8, 768, f"{_NVIDIA} RTX A6000"),
    ("RTX3090", r"RTX 3090", (8, 6), 82, 35.6, 71, 936, "NVIDIA's white paper of GA102"),
    ("L4", r"\bL4\b", (8, 9), 58, 30.3, 121, 300, f"{_NVIDIA} L4"),
    ("L40S", r"L40S", (8, 9), 142, 91.6, 362, 864, f"{_NVIDIA} L40S"),
    ("RTX4090", r"RTX 4090", (8, 9), 128, 82.6, 165.2, 1008, "NVIDIA's white paper of AD102"),
    ("H100-PCIe", r"H100 PCIe", (9, 0), 114, 51, 756, 2000, f"{_NVIDIA} H100 (PCIe)"),
    ("H200", r"H200", None, 0, 67, 989, 4800, f"{_NVIDIA} H200 (SXM)"),
    ("H100", r"H100", (9, 0), 132, 67, 989, 3350, f"{_NVIDIA} H100 (SXM)"),
    ("B200", r"B200", (10, 0), 148, 80, 2250, 8000, "NVIDIA's data sheet of the DGX B200, by GPU"),
    ("MI250X", r"MI250X", (9, 0), 110, 23.9, 191.5, 1638, f"{_AMD} Instinct MI250X, by half"),
    ("MI300X", r"MI300X", (9, 4), 304, 163.4, 1307, 5300, f"{_AMD} Instinct MI300X"),
    ("MI355X", r"MI355X", (9, 5), 256, 157.3, 2500, 8000, f"{_AMD} Instinct MI355X"),
    ("TPUv2", r"TPU v2", None, 0, 22.5, 22.5, 350, f"{_GOOGLE} v2, by core"),
    ("TPUv3", r"TPU v3", None, 0, 61.5, 61.5, 450, f"{_GOOGLE} v3, by core"),
    ("TPUv4", r"TPU v4", None, 0, 275, 275, 1228, f"{_GOOGLE} v4"),
    ("TPUv5e", r"TPU v5 ?(?:e|lite)", None, 0, 197, 197, 819, f"{_GOOGLE} v5e"),
    ("TPUv5p", r"TPU v5p?", None, 0, 459, 459, 2765, f"{_GOOGLE} v5p"),
    ("TPUv6e", r"TPU v6 ?(?:e|lite)", None, 0, 918, 918, 1640, f"{_GOOGLE} v6e"),
)

KNOWN: Mapping[str, KnownDevice] = {
    name: KnownDevice(name, pattern, version, cores, f32 * _T, f16 * _T, moved * _G, source)
    for name, pattern, version, cores, f32, f16, moved, source in _ROWS
}


def called(text: str) -> KnownDevice | None:
    """The device that a capture names, or who asks."""
    exact = [one for name, one in KNOWN.items() if name.lower() == text.strip().lower()]
    found = (one for one in KNOWN.values() if re.search(one.pattern, text, re.IGNORECASE))
    return exact[0] if exact else next(found, None)


def built_like(version: tuple[int, int], cores: int, bandwidth: float) -> KnownDevice | None:
    """The device with so many multiprocessors; of two the one whose memory is as fast."""
    alike = [one for one in KNOWN.values() if one.version == version and one.cores == cores]
    if not alike:
        return None
    return min(alike, key=lambda one: abs(one.bytes - bandwidth))
