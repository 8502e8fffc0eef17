"""JSON as its values, and any other text as its words."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

from fuzz.codec import Place, shuffle_around
from fuzz.odd import FLOATS, NAMES, NUMBERS, Chance, op_types

_ODD_JSON = (None, True, False, [], {}, [[]], "", "NaN", 1e999, -0.0, 10**400, [None], {"": None})
_WORD = re.compile(rb'"(?:[^"\\\n]|\\.)*"|[\w.+-]+|\s+|.', re.DOTALL)
_DIGITS = b"9" * 5000


class JsonCodec:
    def parse(self, data: bytes) -> list[Any]:
        """In a list of one, so that the whole has a place, too."""
        return [json.loads(data)]

    def build(self, tree: list[Any]) -> bytes:
        text = json.dumps(tree[0] if tree else None, ensure_ascii=False)
        return text.encode("utf-8", "surrogatepass")

    def places(self, tree: list[Any]) -> Iterator[Place]:
        stack: list[Any] = [tree]
        while stack:
            held = stack.pop()
            for key in list(held) if isinstance(held, dict) else range(len(held)):
                if held is not tree:
                    yield held, key
                if isinstance(held[key], dict | list):
                    stack.append(held[key])

    def mutate(self, tree: list[Any], chance: Chance) -> None:
        found = list(self.places(tree))
        if not found:
            tree[:] = [chance.choice(_ODD_JSON)]
            return
        held, key = chance.choice(found)
        what = chance.random()
        if what < 0.25 and isinstance(held, list):
            shuffle_around(chance, held, key, copy.deepcopy)
        elif what < 0.35:
            del held[key]
        elif what < 0.5:
            other, key2 = chance.choice(found)
            held[key] = copy.deepcopy(other[key2])
        elif what < 0.55 and isinstance(held, dict):
            held[chance.choice(found)[1] if chance.random() < 0.7 else "x"] = held.pop(key)
        elif what < 0.58:
            for _ in range(chance.choice([3, 100, 900])):
                held[key] = [held[key]] if chance.random() < 0.5 else {"config": held[key]}
        else:
            held[key] = _odd_value(held[key], chance)


def _odd_value(value: object, chance: Chance) -> object:
    """Mostly one of the same type: another is refused early."""
    kind = chance.random()
    if kind < 0.2:
        return copy.deepcopy(chance.choice(_ODD_JSON))
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float) and kind < 0.9:
        return chance.choice((*NUMBERS, *FLOATS, value + 1, -value, value * 10**6))
    if isinstance(value, str) and kind < 0.5:
        return chance.choice([value + "x", value.upper(), value[:-1], str(value) * 3])
    return chance.choice(NAMES).decode("utf-8", "surrogateescape")


class TextCodec:
    """Words, strings, spaces and signs: of a protobuf text, a state file, a log."""

    def parse(self, data: bytes) -> list[bytes]:
        return _WORD.findall(data)

    def build(self, tree: list[bytes]) -> bytes:
        return b"".join(tree)

    def places(self, tree: list[bytes]) -> Iterator[Place]:
        for at in range(len(tree)):
            yield tree, at

    def mutate(self, tree: list[bytes], chance: Chance) -> None:
        if not tree:
            tree.append(chance.choice(NAMES))
            return
        at = chance.randrange(len(tree))
        what = chance.random()
        if what < 0.2:
            shuffle_around(chance, tree, at, bytes)
        elif what < 0.35:
            begin, length = chance.randrange(len(tree)), chance.choice([2, 5, 20, 80])
            tree[at:at] = tree[begin : begin + length]
        elif what < 0.45:
            del tree[at : at + chance.choice([2, 5, 20, 80])]
        else:
            tree[at] = _odd_word(tree[at], tree, chance)


def _odd_word(word: bytes, tree: list[bytes], chance: Chance) -> bytes:
    if chance.random() < 0.1:
        return chance.choice([b"{" * 200, b"}", b"<", b">", b"[", b":", b'"', b"#", b"\\", b"\0"])
    if chance.random() < 0.4:
        strings = [one for one in tree if one[:1] == word[:1]]
        return chance.choice(strings)
    if word.startswith(b'"'):
        name = chance.choice(op_types() if chance.random() < 0.4 else NAMES)
        return b'"' + name.replace(b'"', b"") + b'"'
    if word[:1].isdigit() or word[:1] in b"+-":
        reals = [str(one).encode() for one in (*NUMBERS, *FLOATS)]
        return chance.choice([*reals, _DIGITS, b"-" + _DIGITS, b"0x" + b"f" * 40, b"1e999999"])
    return chance.choice([b"-1", b"true", b"DT_FLOAT", b"nan", word * 2, word[:-1]])
