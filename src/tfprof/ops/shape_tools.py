"""What the rules are written with: shapes that broadcast, keep, drop and slide."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from tfprof.model.budget import MOST_DIMENSIONS
from tfprof.model.dims import Open, Shape, Size, ceil_div, elements, product
from tfprof.ops.rule import Call, Count, Infer, Outputs, Value


def times(*factors: Size | None) -> Size | None:
    """The product; None if a factor is not known."""
    return product(factors)


def dimension(shape: Open, index: int) -> Size | None:
    """A dimension; None where it is unknown or a damaged graph has too few of them."""
    if shape is None or not -len(shape) <= index < len(shape):
        return None
    return shape[index]


# --- rules for shapes


def like(index: int = 0, count: int = 1) -> Infer:
    """`count` outputs shaped like one input."""
    return lambda call: [call.input(index)] * count


def fixed(*shapes: Open) -> Infer:
    return lambda _: shapes


def no_output(_: Call) -> Outputs:
    return ()


def by_attribute(name: str = "shape") -> Infer:
    return lambda call: [call.stated(name)]


def by_value(index: int) -> Infer:
    """The output's shape is written in an input."""
    return lambda call: [shape_in(call, index)]


def shape_in(call: Call, index: int) -> Open:
    """The shape that an input holds; its rank at least, if its length is known."""
    value = call.value(index)
    if value is not None:
        return tuple(None if size == -1 else size for size in value)
    length = dimension(call.input(index), 0)
    return (None,) * length if isinstance(length, int) and length <= MOST_DIMENSIONS else None


def broadcasting(count: int = 2) -> Infer:
    """The first `count` inputs, stretched over each other."""
    return lambda call: [broadcast(*(call.input(index) for index in range(count)))]


def broadcast(*shapes: Open) -> Open:
    known = [shape for shape in shapes if shape is not None]
    if len(known) < len(shapes):
        return None
    rank = max((len(shape) for shape in known), default=0)
    padded = [(1,) * (rank - len(shape)) + shape for shape in known]
    return tuple(_stretched(sizes) for sizes in zip(*padded, strict=True))


def _stretched(sizes: Sequence[Size | None]) -> Size | None:
    """One dimension of a broadcast: 1 gives way, a size above 1 wins over what is unknown."""
    others = {size for size in sizes if size != 1}
    if not others:
        return 1
    large = others - {None}
    if None in others:
        plain = [size for size in large if isinstance(size, int)]
        return plain[0] if plain else None
    # a symbol beside a number can only be that number, or 1
    plain = [size for size in large if isinstance(size, int)]
    return plain[0] if plain else next(iter(large)) if len(large) == 1 else None


def merged(one: Open, other: Open) -> Open:
    """Two statements about one shape together; the first wins where they differ."""
    if one is None or other is None:
        return other if one is None else one
    if len(one) != len(other):
        return one
    return tuple(b if a is None else a for a, b in zip(one, other, strict=True))


def axes(call: Call, index: int, rank: int) -> list[int] | None:
    """The axes that an input lists, counted from the front."""
    numbers = call.numbers(index)
    return None if numbers is None else [axis % rank if rank else 0 for axis in numbers]


def reduced(shape: Open, over: Sequence[int] | None, *, keep: bool) -> Open:
    if shape is None:
        return None
    if over is None:
        return (None,) * len(shape) if keep else None
    if keep:
        return tuple(1 if axis in over else size for axis, size in enumerate(shape))
    return tuple(size for axis, size in enumerate(shape) if axis not in over)


def slid(size: Size | None, window: Size | None, stride: int, padding: str) -> Size | None:
    """How often a window fits while it slides; `window` already spread by its dilation."""
    if size is None:
        return None
    if padding == "SAME":
        return ceil_div(size, stride)
    if window is None:
        return None
    return (size - window) // stride + 1


def spatial(layout: str) -> list[int]:
    """Where the dimensions stand that a window slides over: those of NHWC are 1 and 2."""
    return [place for place, letter in enumerate(layout) if letter not in "NC"]


# --- rules for work


def per_element(factor: int = 1) -> Count:
    """So many operations for each element of the first output."""
    return lambda call: times(factor, elements(call.output(0)))


def per_input(factor: int = 1, index: int = 0) -> Count:
    """So many operations for each element of an input."""
    return lambda call: times(factor, elements(call.input(index)))


def all_but_results(call: Call) -> Size | None:
    """One operation less than there are elements, for each result; none where there are none."""
    read, left = elements(call.input(0)), elements(call.output(0))
    if read is None or left is None:
        return None
    fewer = read - left
    return max(0, fewer) if isinstance(fewer, int) else fewer


# --- rules for values


def keep_value(index: int = 0) -> Callable[[Call], list[Value | None]]:
    """The output holds what the input held."""
    return lambda call: [call.value(index)]


def known_rank(shape: Open, rank: int) -> Shape:
    """A shape of that rank, with what is known of it."""
    return shape if shape is not None and len(shape) == rank else (None,) * rank
