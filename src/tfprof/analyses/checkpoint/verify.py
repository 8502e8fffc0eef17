"""Whether a checkpoint's bytes are still those that were written."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.errors import PathNotFound, TfprofError, ValuesNotSaved
from tfprof.model.checkpoint import Checkpoint
from tfprof.wire import dtypes


def damaged_tensors(checkpoint: Checkpoint) -> Iterator[TfprofError]:
    """Reads every tensor against its checksum; one error for each that fails.

    A shard that is not there at all, or was saved without values, fails many tensors, and is
    named once.
    """
    absent: set[str] = set()
    for tensor in checkpoint.tensors.values():
        try:
            if dtypes.name(tensor.dtype) in ("string", "variant"):
                checkpoint.strings(tensor)
            elif tensor.is_plain:
                for _ in checkpoint.chunks(tensor):
                    pass
        except (PathNotFound, ValuesNotSaved) as fault:
            if fault.where not in absent:
                absent.add(fault.where)
                yield fault
        except TfprofError as fault:
            yield fault
