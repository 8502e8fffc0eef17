"""What a user or the original tool wrote beside a graph: types, FLOPs and code lines by node."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

TRAINABLE = "_trainable_variables"


@dataclass(frozen=True, slots=True)
class CodeFrame:
    file: str
    line: int
    function: str
    text: str
    function_line: int


@dataclass(frozen=True, slots=True)
class OpLog:
    types: Mapping[str, Sequence[str]]
    float_ops: Mapping[str, int]
    # node name to its stack, outermost frame first; decoded when asked for
    code: Callable[[str], Sequence[CodeFrame]] = field(default=lambda _: ())
    has_code: bool = False

    @property
    def trainable(self) -> set[str]:
        return {name for name, types in self.types.items() if TRAINABLE in types}
