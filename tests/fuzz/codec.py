"""A file as a tree that can be changed: what a mutation and the minimiser work on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol

from fuzz.odd import Chance

# lists and dicts hold the parts; what they are depends on the codec
Tree = Any
# where a part stands: what holds it, and its key there
Place = tuple[Any, Any]


class Codec(Protocol):
    """How files of one format become a tree and come back; damage may make a parse fail."""

    def parse(self, data: bytes) -> Tree: ...
    def build(self, tree: Tree) -> bytes: ...
    def mutate(self, tree: Tree, chance: Chance) -> None:
        """Change the tree at one place."""

    def places(self, tree: Tree) -> Iterator[Place]:
        """Every part that can be taken away, the large ones before what is in them."""


def shuffle_around(chance: Chance, held: list[Any], at: int, copy: Callable[[Any], Any]) -> None:
    """What can be done to a list whatever is in it: twice, gone, moved, in another order."""
    match chance.randrange(5):
        case 0:
            held.insert(chance.randrange(len(held) + 1), copy(held[at]))
        case 1:
            del held[at]
        case 2:
            held.insert(chance.randrange(len(held)), held.pop(at))
        case 3:
            held.reverse()
        case 4:
            held[at:at] = [copy(held[at]) for _ in range(chance.choice([2, 5, 40]))]
