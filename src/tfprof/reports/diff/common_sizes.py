"""Sizes that one side leaves open and another one states: both are compared at the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tfprof.analyses.graph.inputs import model_inputs
from tfprof.analyses.graph.reach import extent
from tfprof.model.dims import letters_of
from tfprof.model.graph import Shape
from tfprof.model.profile import ProfileData

_Inputs = Mapping[str, Shape]


def common_sizes(sides: Sequence[ProfileData], said: Mapping[str, int]) -> list[dict[str, int]]:
    """Of each side the letters that others know: of inputs of one name, or of the only ones.

    What the others do not agree on stays open, and what the user `said` is his.
    """
    inputs = [_inputs(side) for side in sides]
    if not all(inputs):
        return [{} for _ in sides]
    if all(len(one) == 1 for one in inputs):
        inputs = [dict(zip([""], one.values(), strict=True)) for one in inputs]
    return [_taken(mine, inputs, said) for mine in inputs]


def _inputs(data: ProfileData) -> _Inputs:
    if data.graph is not None:
        specs = model_inputs(data.graph, extent(data))
        return {one.name: one.shape for one in specs if one.shape}
    # each input of a Keras file has letters of its own
    inputs = data.keras.inputs if data.keras is not None else ()
    return {one.name: one.shape for one in inputs if one.shape} if len(inputs) == 1 else {}


def _taken(mine: _Inputs, all_: Sequence[_Inputs], said: Mapping[str, int]) -> dict[str, int]:
    found: dict[str, set[int]] = {}
    for name, shape in mine.items():
        for letter, place in _open(shape):
            sizes = (other[name][place] for other in all_ if len(other.get(name, ())) == len(shape))
            found.setdefault(letter, set()).update(size for size in sizes if size is not None)
    return {
        letter: size for letter, sizes in found.items() if letter not in said and len(sizes) == 1
        for size in sizes if size > 0
    }  # fmt: skip


def _open(shape: Shape) -> Iterator[tuple[str, int]]:
    letters = letters_of(len(shape))
    yield from ((letters[at], at) for at, size in enumerate(shape) if size is None)
