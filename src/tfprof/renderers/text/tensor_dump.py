"""The values of a tensor as the original prints them: a bracket a dimension, two decimals."""

from __future__ import annotations

from collections.abc import Sequence

from tfprof.printable import printable

_MOST = 10_000
_CUT = "...omitted from display\n\n"


def tensor_dump(values: Sequence[object], shape: tuple[int, ...]) -> str:
    """`[1.80 2.10 ],` for a vector; nested brackets for more dimensions; a scalar like a vector."""
    dims = shape or (1,)
    text = ""
    position = 0
    # how many elements of each dimension are still open, outermost first
    left: list[int] = []
    while True:
        while len(left) < len(dims) and (not left or left[-1] > 0):
            text += "["
            left.append(dims[len(left)])
        while len(left) == len(dims) and left[-1] > 0:
            text += _written(values[position])
            position += 1
            left[-1] -= 1
            if len(text) >= _MOST:
                return text[:_MOST] + "],\n" + _CUT
        if not left:
            break
        left.pop()
        text += "],\n"
        if not left:
            break
        left[-1] -= 1
    return text


def _written(value: object) -> str:
    if isinstance(value, bytes):
        return f"'{printable(value.decode('utf-8', 'replace'))}' "
    return f"{value:.2f} " if isinstance(value, float) else f"{value} "
