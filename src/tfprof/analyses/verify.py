"""Whether a checkpoint's bytes are still those that were written."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.errors import TfprofError
from tfprof.model.checkpoint import Checkpoint
from tfprof.wire import dtypes


def damaged_tensors(checkpoint: Checkpoint) -> Iterator[TfprofError]:
    """Reads every tensor against its checksum; one error for each that fails."""
    for tensor in checkpoint.tensors.values():
        try:
            if dtypes.name(tensor.dtype) == "string":
                checkpoint.strings(tensor)
            else:
                for _ in checkpoint.chunks(tensor):
                    pass
        except TfprofError as fault:
            yield fault
