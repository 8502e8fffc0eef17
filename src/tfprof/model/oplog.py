"""What a user or the original tool wrote beside a graph: types, FLOPs and code lines by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.providers import CodeSource

TRAINABLE = "_trainable_variables"


@frozen_dataclass
class CodeFrame:
    file: str
    line: int
    function: str
    text: str
    function_line: int


@frozen_dataclass
class NoCode:
    """The code of a log that has none."""

    def __call__(self, node: str) -> Sequence[CodeFrame]:  # noqa: ARG002  (no node has any)
        return ()


@frozen_dataclass
class OpLog:
    """`uncounted` are the nodes whose FLOPs could not be found out; None where nobody tried."""

    types: Mapping[str, Sequence[str]]
    float_ops: Mapping[str, int]
    code: CodeSource = NoCode()
    has_code: bool = False
    uncounted: frozenset[str] | None = None

    @property
    def tells_flops(self) -> bool:
        return bool(self.float_ops) or self.uncounted is not None

    @property
    def trainable(self) -> set[str]:
        return {name for name, types in self.types.items() if TRAINABLE in types}
