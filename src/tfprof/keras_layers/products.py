"""Products of tensors, as Keras takes them apart: transposed, flattened and multiplied as matrices.

Keras has products of its own for the equations that layers use, and leaves all others to
TensorFlow's `Einsum`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from tfprof.keras_layers.layer import Layer, shape_of
from tfprof.keras_layers.sizes import count
from tfprof.model.dims import Size
from tfprof.ops.rule import Tensor

# in letters by order of appearance; those that flatten need numbers for all but the batch
_TAKEN_APART = frozenset({
    "a,b->ab", "ab,b->a", "ab,bc->ac", "ab,cb->ac", "abc,cd->abd", "abc,dc->abd",
    "abcd,abde->abce", "abcd,abed->abce", "abcd,acbe->adbe", "abcd,adbe->acbe",
    "abcd,aecd->acbe", "abcd,aecd->aceb",
})  # fmt: skip
_FLATTENED = frozenset({
    "abc,cde->abde", "abc,dce->abde", "abc,dec->abde", "abcd,cde->abe", "abcd,ced->abe",
    "abcd,ecd->abe", "abcde,aebf->adbcf", "abcde,afce->acdbf",
})  # fmt: skip


def dot(call: Layer, x: Tensor, matrix: Tensor) -> Tensor:
    """The last dimension of a tensor times a matrix, as `tensordot` does it."""
    *front, width = shape_of(x)
    if len(front) < 2:
        return call.op("MatMul", x, matrix)
    turned = call.transposed(x, *range(len(front) + 1))
    flat = call.reshaped(turned, count(front), width)
    return call.reshaped(call.op("MatMul", flat, matrix), *front, shape_of(matrix)[-1])


def matmul(call: Layer, x: Tensor, y: Tensor) -> Tensor:
    """Matrices, or stacks of them."""
    is_plain = max(len(shape_of(x)), len(shape_of(y))) < 3
    return call.op("MatMul" if is_plain else "BatchMatMulV2", x, y)


def einsum(call: Layer, equation: str, x: Tensor, y: Tensor) -> Tensor:
    """The product of two tensors by letters, without dots."""
    terms, _, made = equation.partition("->")
    left, _, right = terms.partition(",")
    sizes = dict(zip(left + right, (*shape_of(x), *shape_of(y)), strict=True))
    plain = _renamed(equation)
    inner = [size for letter, size in sizes.items() if letter != left[:1]]
    is_flat = plain in _FLATTENED and all(isinstance(size, int) for size in inner)
    if plain not in _TAKEN_APART and not is_flat:
        return call.op("Einsum", x, y, equation=equation)
    return _Product(call, sizes, left, right, made).of(x, y)


def _renamed(equation: str) -> str:
    """With letters in the order of the alphabet."""
    letters: dict[str, str] = {}
    for one in equation:
        if one.isalpha() and one not in letters:
            letters[one] = chr(ord("a") + len(letters))
    return "".join(letters.get(one, one) for one in equation)


class _Product:
    """Letters of both sides are a stack of matrices where the result has them, else summed over."""

    def __init__(
        self, call: Layer, sizes: Mapping[str, Size], left: str, right: str, made: str
    ) -> None:
        self._call, self._sizes = call, sizes
        self._left, self._right, self._made = left, right, made
        self._stack = [one for one in left if one in right and one in made]
        self._summed = [one for one in left if one in right and one not in made]
        self._rows = [one for one in left if one not in right]
        self._columns = [one for one in right if one not in left]

    def of(self, x: Tensor, y: Tensor) -> Tensor:
        # without a stack the rows stay apart, and one matrix serves all of them
        rows = [self._rows] if self._stack else [[one] for one in self._rows]
        stack = [[one] for one in self._stack]
        one = self._laid(x, self._left, [*stack, *rows, self._summed])
        other = self._laid(y, self._right, [*stack, self._summed, self._columns])
        made = matmul(self._call, one, other)
        order = [*self._stack, *self._rows, *self._columns]
        made = self._call.reshaped(made, *(self._sizes[letter] for letter in order))
        return self._turned(made, order, self._made)

    def _laid(self, x: Tensor, letters: str, groups: Sequence[Sequence[str]]) -> Tensor:
        """With one dimension a group of letters."""
        turned = self._turned(x, letters, [one for group in groups for one in group])
        flat = [count([self._sizes[one] for one in group]) for group in groups]
        return self._call.reshaped(turned, *flat)

    def _turned(self, x: Tensor, have: Iterable[str], want: Iterable[str]) -> Tensor:
        have, want = list(have), list(want)
        return x if have == want else self._call.transposed(x, *map(have.index, want))
