"""Calls that are like one before: a large graph has very many ops, and few kinds of them.

What a rule says hangs on the op, its attributes and the shapes that go in. So it is asked once for
all that are alike, and so is whoever works out their costs (`Call.alike`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.providers import Attributes
from tfprof.ops.rule import Call, Tensor
from tfprof.wire.schema import Proto

# of more kinds none is met often
_MOST_KINDS = 1 << 14
Kind = tuple[object, ...]


class NodeCall(Call):
    """The call of a node. There is one for every node: what is not in it is not made."""

    __slots__ = ("_row", "_source")

    def __init__(
        self, name: str, op: str, inputs: Sequence[Tensor], source: Attributes, row: int
    ) -> None:
        self.name, self.op, self.inputs = name, op, inputs
        self.outputs, self.alike = (), None
        self._attributes, self._source, self._row = None, source, row

    @property
    def attributes(self) -> Mapping[str, Proto]:
        if self._attributes is None:
            self._attributes = self._source.of(self._row)
        return self._attributes


@frozen_dataclass(eq=False)
class Alike:
    """What came out of the first of them, and how much of the budget it took."""

    outputs: Sequence[Tensor]
    steps: int
    # of all of them; held here, since they are told apart by where it lies
    attributes: Mapping[str, Proto]

    def made(self) -> list[Tensor]:
        """Of the next one: a tensor is what one op makes, so these are others."""
        if len(self.outputs) == 1:
            return [Tensor(self.outputs[0].shape, self.outputs[0].dtype)]
        return [Tensor(one.shape, one.dtype) for one in self.outputs]


def keep_alike(
    known: dict[Kind | None, Alike], key: Kind, call: Call, outputs: Sequence[Tensor], steps: int
) -> None:
    """The first of its kind, unless more than shapes comes out."""
    if len(known) < _MOST_KINDS and all(map(_is_shaped, outputs)):
        call.alike = known[key] = Alike(list(outputs), steps, call.attributes)


def key_of(call: Call) -> Kind | None:
    """None where more than shapes goes in: entries, handles, lists."""
    inputs = call.inputs
    if len(inputs) == 1:
        (one,) = inputs
        if one.value is not None or one.holds is not None or one.length is not None:
            return None
        return call.op, id(call.attributes), one.shape, one.dtype, not one.variable
    found: list[object] = [call.op, id(call.attributes)]
    for one in inputs:
        if one.value is not None or one.holds is not None or one.length is not None:
            return None
        found += (one.shape, one.dtype, not one.variable)
    return tuple(found)


def _is_shaped(tensor: Tensor) -> bool:
    """Whether its shape and its type say all that is known of it, and leave nothing open."""
    if tensor.shape is None or None in tensor.shape or tensor.dead or tensor.variable:
        return False
    return tensor.value is None and tensor.holds is None and tensor.length is None
