"""Which row of one side is which of the other: by name, else by what it is, where that is safe."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.late_pattern import late_pattern

_NUMBERS = late_pattern(r"(?:_\d+)+$")


@frozen_dataclass
class Matched:
    """Names before and after of what is in both, those that were renamed, and of what is in one."""

    both: Sequence[tuple[str, str]]
    renamed: Sequence[tuple[str, str]]
    gone: Sequence[str]
    new: Sequence[str]


def unnumbered(name: str) -> str:
    """Keras numbers what it makes: `adam_1` of one program is `adam_2` of the next."""
    return _NUMBERS.sub("", name)


def matched(
    before: Mapping[str, Hashable], after: Mapping[str, Hashable], *, renames: bool = True
) -> Matched:
    """By name to what tells that it is the same thing; None is: nothing does.

    A name that is gone and one that is new are a renamed row if as many of the same kind went as
    came: in their order. Where names of both sides cannot be the same, such are no `renames`.
    """
    same = [(name, name) for name in before if name in after]
    gone = _by_kind(before, after)
    new = _by_kind(after, before)
    renamed: list[tuple[str, str]] = []
    for kind, names in gone.items():
        if kind is not None and len(new.get(kind, ())) == len(names):
            renamed += zip(names, new[kind], strict=True)
    moved = {name for pair in renamed for name in pair}
    return Matched(
        [*same, *renamed],
        renamed if renames else [],
        [name for name in before if name not in after and name not in moved],
        [name for name in after if name not in before and name not in moved],
    )


def _by_kind(
    rows: Mapping[str, Hashable], others: Mapping[str, Hashable]
) -> dict[Hashable, list[str]]:
    found: dict[Hashable, list[str]] = defaultdict(list)
    for name, kind in rows.items():
        if name not in others:
            found[kind].append(name)
    return found
