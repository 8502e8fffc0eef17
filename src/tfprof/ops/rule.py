"""What is known of an op: its outputs, its work, its memory. One rule serves a family of op types.

A rule is registered in the file of its family (`ops/convolutions.py`, ...) and read by everything:
shapes, FLOPs, memory. An op type without one is reported, never guessed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from types import MappingProxyType
from typing import Any, Literal

from tfprof.frozen_dataclass import frozen_dataclass, mutable_dataclass
from tfprof.model.budget import believed_count
from tfprof.model.dims import Open, Size
from tfprof.model.graph import as_shape
from tfprof.wire import dtypes as t
from tfprof.wire.schema import Proto

# the entries of a small tensor of whole numbers, row by row; None where one is not known
Value = tuple[Size | None, ...]
_LONGEST_VALUE = 1024


# one an output: nobody changes it, and frozen it would take four times as long to make
@mutable_dataclass(unsafe_hash=True)
class Tensor:
    """What is known of a tensor before it runs.

    `value` is kept of small tensors of whole numbers, since shapes are made of them. `holds` is
    what a handle leads to: a variable, or the elements of a list, of which there are `length`.
    `dead` is what the branch not taken computes. `variable` names the variable that a handle leads
    to or that a value was read from.
    """

    shape: Open = None
    dtype: int = 0
    value: Value | None = None
    holds: Tensor | None = None
    length: Size | None = None
    dead: bool = False
    variable: str = ""


UNKNOWN = Tensor()


class Call:
    """One op as a rule sees it: inputs, attributes and, once they are known, outputs.

    Calls that are `alike` have one object there: op, attributes, shapes and types of all that goes
    in and comes out are the same, and so is all that follows from them.
    """

    __slots__ = ("_attributes", "_load", "alike", "inputs", "name", "op", "outputs")

    def __init__(
        self,
        name: str,
        op: str,
        inputs: Sequence[Tensor],
        load: Callable[[], Mapping[str, Proto]] = dict,
    ) -> None:
        self.name, self.op, self.inputs = name, op, inputs
        self.outputs: Sequence[Tensor] = ()
        self._load = load
        self._attributes: Mapping[str, Proto] | None = None
        self.alike: object = None

    @property
    def attributes(self) -> Mapping[str, Proto]:
        """Attribute name to AttrValue message, decoded on first use."""
        if self._attributes is None:
            self._attributes = self._load()
        return self._attributes

    @property
    def input_count(self) -> int:
        return len(self.inputs)

    def input(self, index: int) -> Open:
        """The shape of an input."""
        return self.inputs[index].shape if index < len(self.inputs) else None

    def output(self, index: int) -> Open:
        return self.outputs[index].shape if index < len(self.outputs) else None

    def value(self, index: int) -> Value | None:
        """The entries of an input, if they are known."""
        return self.inputs[index].value if index < len(self.inputs) else None

    def scalar(self, index: int) -> Size | None:
        value = self.value(index)
        return value[0] if value is not None and len(value) == 1 else None

    def numbers(self, index: int) -> list[int] | None:
        """The entries of an input, if all of them are plain numbers."""
        value = self.value(index)
        if value is None:
            return None
        whole = [entry for entry in value if isinstance(entry, int)]
        return whole if len(whole) == len(value) else None

    # attributes, with what stands for an absent one

    def integer(self, name: str, absent: int = 0) -> int:
        value = self.attributes.get(name)
        return absent if value is None else int(value.i)

    def count(self, name: str) -> int:
        """How many outputs an attribute asks for."""
        return believed_count(self.integer(name))

    def integers(self, name: str) -> list[int]:
        value = self.attributes.get(name)
        return [] if value is None else [int(entry) for entry in value.list.i]

    def flag(self, name: str) -> bool:
        value = self.attributes.get(name)
        return value is not None and bool(value.b)

    def text(self, name: str, absent: str = "") -> str:
        value = self.attributes.get(name)
        return absent if value is None else bytes(value.s).decode(errors="replace")

    def dtype(self, name: str) -> int:
        value = self.attributes.get(name)
        return 0 if value is None else int(value.type)

    def stated(self, name: str = "shape") -> Open:
        """A shape attribute."""
        value = self.attributes.get(name)
        return None if value is None or not value.HasField("shape") else as_shape(value.shape)


# a shape is enough for most outputs; a whole Tensor where there is more to say
Outputs = Sequence[Open | Tensor]
Infer = Callable[[Call], Outputs]
Count = Callable[[Call], Size | None]  # None: a dimension that is needed is not known
Fold = Callable[[Call], Sequence[Value | None]]


@frozen_dataclass
class Rule:
    """`dtype` is the data type of the outputs: a number, or the attribute that says it.

    `macs` are multiplications with an addition each; `work` counts every other floating-point
    operation. `float_ops` is what the original tool counts: 0 if that is plainly nothing, None if
    nobody says. An op whose output shares the buffer of an input is an `alias` of it; one that may
    write over an input which nobody else needs lists it in `reuse`.
    """

    ops: tuple[str, ...]
    family: str
    shapes: Infer
    values: Fold | None = None
    dtype: str | int | Sequence[str | int] = "T"
    # names of the output arguments, where an op has several: inside functions they are asked for
    outputs: tuple[str, ...] = ()
    macs: Count | None = None
    work: Count | None = None
    float_ops: Count | Literal[0] | None = None
    alias: int | None = None
    reuse: tuple[int, ...] = ()
    allocates: bool = True
    scratch: Count | None = None
    # bytes of its scratch that a kernel writes to, where it takes more than it uses
    scratch_used: Count | None = None
    # of a kernel that takes as much as fills the last cache of the machine, which it is told
    cache_scratch: Callable[[Call, int], Size | None] | None = None

    def scratch_of(self, call: Call, last_cache: int) -> Size | None:
        """Bytes that the kernel takes while it runs; None if nobody knows, or it takes none."""
        if self.cache_scratch is not None:
            return self.cache_scratch(call, last_cache)
        return None if self.scratch is None else self.scratch(call)

    @property
    def has_scratch(self) -> bool:
        return self.scratch is not None or self.cache_scratch is not None

    def infer(self, call: Call) -> list[Tensor]:
        """The outputs of a call; a rule that stumbles over a damaged graph knows nothing."""
        try:
            found = list(self.shapes(call))
            folded = list(self.values(call)) if self.values is not None else []
        except _STUMBLES:
            return []
        tensors = []
        for place, one in enumerate(found):
            value = folded[place] if place < len(folded) else None
            if not isinstance(one, Tensor):
                tensors.append(Tensor(one, self._dtype(call, place), _short(value)))
                continue
            value = value if place < len(folded) else one.value
            dtype = one.dtype or self._dtype(call, place)
            held = (one.holds, one.length, one.dead, one.variable)
            tensors.append(Tensor(one.shape, dtype, _short(value), *held))
        return tensors

    def flops(self, call: Call) -> Size | None:
        """Two for each MAC, and all other work."""
        macs = 0 if self.macs is None else self.macs(call)
        work = 0 if self.work is None else self.work(call)
        return None if macs is None or work is None else macs * 2 + work

    def _dtype(self, call: Call, place: int) -> int:
        dtype = self.dtype
        if isinstance(dtype, str):
            return call.dtype(dtype)
        if isinstance(dtype, int):
            return dtype
        dtype = dtype[min(place, len(dtype) - 1)]
        return dtype if isinstance(dtype, int) else call.dtype(dtype)


def _short(value: Value | None) -> Value | None:
    """A value that is short enough to be kept."""
    return None if value is not None and len(value) > _LONGEST_VALUE else value


_RULES: dict[str, Rule] = {}
# what a rule raises over a graph whose attributes or shapes are damaged
_STUMBLES = (ArithmeticError, LookupError, TypeError, ValueError)
_COUNTS = ("macs", "work", "scratch", "float_ops")


def _careful(count: Count) -> Count:
    """A count that stumbles over a damaged graph is not known, like the shapes."""

    def counted(call: Call) -> Size | None:
        try:
            return count(call)
        except _STUMBLES:
            return None

    return counted


@frozen_dataclass
class Family:
    """Where the rules of a file are registered: `rule = Family("convolutions")`."""

    name: str
    registry: dict[str, Rule] = field(default_factory=lambda: _RULES)

    def __call__(self, ops: str, shapes: Infer, **facts: Any) -> None:  # noqa: ANN401
        """The rule of some op types, split at blanks; two rules for one are a mistake.

        `float_ops` is not said of the names behind a bar: the original tool does not know them.
        """
        facts |= {name: _careful(facts[name]) for name in _COUNTS if facts.get(name)}
        known, _, others = ops.partition("|")
        self._register(Rule(tuple(known.split()), self.name, shapes, **facts))
        if others:
            facts["float_ops"] = None
            self._register(Rule(tuple(others.split()), self.name, shapes, **facts))

    def idle(self, ops: str, shapes: Infer, **facts: Any) -> None:  # noqa: ANN401
        """The rule of op types that plainly calculate nothing: they hold, move, name or order data.

        An op type of which nobody says `float_ops` is listed as not counted, so only what is
        certain is idle. Calls and loops are not: what they run is not nothing.
        """
        self(ops, shapes, float_ops=0, **facts)

    def _register(self, rule: Rule) -> None:
        for op in rule.ops:
            if op in self.registry:
                raise ValueError(f"the op {op!r} has two rules")
            self.registry[op] = rule


def flops(call: Call) -> Size | None:
    """The `float_ops` of an op type that the original counts as its rule does."""
    return _RULES[call.op].flops(call)


def op_rule(ops: str, shapes: Infer, **facts: Any) -> None:  # noqa: ANN401
    """A rule of the user's own, for op types that tfprof does not know: the facts are Rule's.

    >>> from tfprof.ops.shape_tools import like, per_element
    >>> op_rule("MyActivation MyActivationV2", like(0), work=per_element(3))
    """
    rules()  # first the known ones: a second rule for one of them is refused
    Family("yours")(ops, shapes, **facts)


def rules() -> Mapping[str, Rule]:
    """Every rule by op type."""
    from tfprof.ops import every_family  # noqa: F401  (registers them)

    return MappingProxyType(_RULES)


BOOL, INT32, INT64, FLOAT = t.BOOL, t.INT32, t.INT64, t.FLOAT
