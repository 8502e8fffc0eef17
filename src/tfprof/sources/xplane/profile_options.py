"""What a capture was told to record. Read by itself: loading protobuf for it takes 16 ms."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.xspace import ProfileOptions
from tfprof.sources.files.reader import corrupt
from tfprof.wire.fields import WireFault, whole

# fields of the message ProfileOptions
_HOST_LEVEL, _DEVICE_LEVEL, _PYTHON_LEVEL = 2, 3, 4
# they are numbers of 32 bits: what a damaged file has above them is not theirs
_BITS: Final = 0xFFFF_FFFF


@frozen_dataclass
class PackedOptions:
    """A ProfileOptions message that is read when somebody asks for it."""

    data: bytes
    path: Path

    def __call__(self) -> ProfileOptions:
        try:
            fields = whole(self.data)
        except WireFault as fault:
            raise corrupt(fault, self.path) from None
        levels = (_HOST_LEVEL, _DEVICE_LEVEL, _PYTHON_LEVEL)
        return ProfileOptions(*(int(fields.ints(level, 1)[0]) & _BITS for level in levels))
