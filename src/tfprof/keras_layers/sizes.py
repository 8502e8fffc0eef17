"""What rules are written with: sizes, axes, and shapes that stretch over each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfprof.model.dims import Size, is_positive, product
from tfprof.ops.rule import Tensor


class Unknown(Exception):
    """Something that the file does not tell; the text says what, and why it is needed."""


def count(shape: Sequence[Size]) -> Size:
    found = product(tuple(shape))
    return 1 if found is None else found


def whole(size: Size, what: str) -> int:
    """A size that has to be a number."""
    if isinstance(size, int) and size >= 0:
        return size
    raise Unknown(f"{what} is {size}, which is not a number of its own")


def positive(size: Size, what: str) -> Size:
    """A size, unless it is surely none."""
    if isinstance(size, int) and not is_positive(size):
        raise Unknown(f"{what} would be {size}")
    return size


def tensors(value: object) -> list[Tensor]:
    """The tensors in nested lists and dicts, in order."""
    found: list[Tensor] = []
    stack: list[object] = [value]
    while stack:
        one = stack.pop()
        if isinstance(one, Tensor):
            found.append(one)
        elif isinstance(one, dict):
            stack += reversed(list(one.values()))
        elif isinstance(one, list | tuple):
            stack += reversed(one)
    return found


def axis_of(axis: object, rank: int) -> int:
    if not isinstance(axis, int) or not -rank <= axis < rank:
        raise Unknown(f"there is no axis {axis} in {rank} dimensions")
    return axis % rank


def axes_of(axis: object, rank: int) -> list[int]:
    """One axis, several, or all."""
    if axis is None:
        return list(range(rank))
    listed = axis if isinstance(axis, list | tuple) else [axis]
    return sorted({axis_of(one, rank) for one in listed})


def broadcast(same: Callable[[Size, Size], Size], *shapes: Sequence[Size]) -> tuple[Size, ...]:
    """Shapes stretched over each other; sizes that are both open have to be the `same`."""
    rank = max((len(shape) for shape in shapes), default=0)
    padded = [(1,) * (rank - len(shape)) + tuple(shape) for shape in shapes]
    result = []
    for sizes in zip(*padded, strict=True):
        size: Size = 1
        for one in sizes:
            if one != 1:
                size = one if size == 1 else same(size, one)
        result.append(size)
    return tuple(result)
