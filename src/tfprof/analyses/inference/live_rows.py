"""Which nodes of a function run: not those that nothing it returns or changes needs."""

from __future__ import annotations

from functools import lru_cache

from tfprof.late_pattern import late_pattern
from tfprof.model.graph import Function

# these run for what they change, whoever reads them
_CHANGES = late_pattern(
    r"(Resource)?(Sparse)?(Assign|Scatter|Apply).*|(Stack|TensorArray|Queue|Barrier|Lookup).*"
    r"|(While|If|Case|StatefulPartitionedCall|Assert|Print.*|PyFunc|EagerPyFunc|_Send|_Recv)"
    r"|(Write|Save|Import|Close|Flush|Create|Destroy|Make|Delete|Initialize).*"
)


@lru_cache(maxsize=1 << 12)
def _changes(op: str) -> bool:
    """The same few ops stand in most functions."""
    return _CHANGES.fullmatch(op) is not None


def live_rows(function: Function) -> list[int]:
    """In the order of the body; the arguments are always among them."""
    body = function.body
    changes = {op for op in body.ops.table if _changes(op)}
    stack = [row for row in range(len(body)) if body.ops[row] in changes] if changes else []
    stack += [body.index.get(where.partition(":")[0], -1) for where in function.results.values()]
    offsets, sources = body.edges.offsets.tolist(), body.edges.node.tolist()
    live = set(range(len(function.arguments)))
    while stack:
        row = stack.pop()
        if row < 0 or row in live:
            continue
        live.add(row)
        stack += sources[offsets[row] : offsets[row + 1]]
    return sorted(live)
