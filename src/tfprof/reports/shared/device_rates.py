"""The device that a question names."""

from __future__ import annotations

from tfprof.errors import UsageError
from tfprof.late_pattern import late_pattern
from tfprof.model.device import DevicePeak
from tfprof.model.known_devices import KNOWN

_SCALES = {"": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15}
_NUMBER = late_pattern(r"(\d+(?:\.\d+)?)([kMGTP]?)")
# a laptop's: four cores at 2.5 GHz with eight-wide multiply-adds, two channels of memory
_CPU = DevicePeak("cpu", 160e9, 32e9)
_KINDS = ("cpu", "gpu")


def device_of(text: str) -> DevicePeak:
    """`cpu`, a well-known device, `V100`, or `gpu:19.5T,1555G`: FLOPs and bytes a second."""
    kind, _, numbers = text.partition(":")
    if kind == "cpu" and not numbers:
        return _CPU
    known = {name.lower(): one for name, one in KNOWN.items()}.get(text.strip().lower())
    if known is not None:
        return known.peak(half=True)
    parts = [_NUMBER.fullmatch(part.strip()) for part in numbers.split(",")]
    values = [float(part[1]) * _SCALES[part[2]] for part in parts if part is not None]
    if kind not in _KINDS or len(values) != 2 or len(parts) != 2 or not all(values):
        raise UsageError(
            f"--device does not know {text!r}",
            hint="cpu, or cpu:FLOPS,BYTES and gpu:FLOPS,BYTES a second: gpu:19.5T,1555G. "
            f"By name, in 16 bits: {', '.join(KNOWN)}.",
        )
    return DevicePeak(kind, values[0], values[1])
