"""What checkpoints hold on two sides: which tensors changed, and by how much."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.checkpoint import Checkpoint, StoredTensor
from tfprof.wire import dtypes


@frozen_dataclass
class TensorChange:
    """`relative_change`: how far the values moved, as a share of how long the vector was before.

    None where one side does not have the tensor, or it is of another shape or type, or was 0.
    """

    name: str
    before: str | None
    after: str | None
    relative_change: float | None = None
    largest_change: float | None = None


def tensor_changes(
    before: Checkpoint, after: Checkpoint, *, values: bool
) -> Iterator[TensorChange]:
    """In the order of the names; those that are the same are left out."""
    for key in sorted({*before.tensors, *after.tensors}):
        one, other = before.tensors.get(key), after.tensors.get(key)
        told = _told(one), _told(other)
        name = (before.tensors.get(key) or after.tensors[key]).name
        if one is None or other is None or told[0] != told[1]:
            yield TensorChange(name, *told)
        elif values and one.is_plain:
            moved = _moved(before, one, after, other)
            if moved is not None:
                yield TensorChange(name, *told, *moved)


def _told(tensor: StoredTensor | None) -> str | None:
    if tensor is None:
        return None
    return f"{dtypes.name(tensor.dtype)} [{', '.join(map(str, tensor.shape))}]"


def _moved(
    before: Checkpoint, one: StoredTensor, after: Checkpoint, other: StoredTensor
) -> tuple[float | None, float] | None:
    """None where not a bit differs; of what was nothing but 0, no share is known."""
    if before.stored(one).tobytes() == after.stored(other).tobytes():
        return None
    first, second = before.values(one), after.values(other)
    wide = np.complex128 if np.iscomplexobj(first) else np.float64
    with np.errstate(invalid="ignore", over="ignore"):
        moved = np.abs(np.subtract(second, first, dtype=wide))
        length = float(np.linalg.norm(first))
        share = float(np.linalg.norm(moved)) / length if length else None
    return share, float(moved.max(initial=0.0))
