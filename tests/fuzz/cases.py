"""The inputs: a seed of a target, changed at a few places. The same number is the same input."""

from __future__ import annotations

import os
import random
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from fuzz.codec import Codec
from fuzz.container_codecs import BytesCodec
from fuzz.odd import NAMES, Chance, damaged
from fuzz.packing import packed
from fuzz.targets import Files, Target, targets

_CHANGES = (1, 1, 1, 2, 2, 3, 5, 12)
_DEEP = 20_000


@dataclass(frozen=True)
class Case:
    """`words` is what is asked: the file, or the folder if there are several."""

    target: str
    files: Files

    def asked(self, folder: Path) -> Path:
        return folder / next(iter(self.files)) if len(self.files) == 1 else folder

    def write(self, folder: Path) -> Path:
        """Into an emptied folder: a file that is still mapped must not be written over."""
        shutil.rmtree(folder, ignore_errors=True)
        for name, data in self.files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        folder.mkdir(parents=True, exist_ok=True)
        return self.asked(folder)


def chance_of(seed: str, target: str, number: int) -> Chance:
    return random.Random(f"{seed} {target} {number}")  # noqa: S311


def case_of(seed: str, target: Target, number: int) -> Case:
    chance = chance_of(seed, target.name, number)
    files = target.seed(chance)
    for name in chance.sample(sorted(files), min(len(files), chance.choice([1, 1, 2]))):
        files[name] = changed(files[name], codec_of(target.name, name), chance)
    if len(files) > 1 and chance.random() < 0.15:
        _mix_up(files, chance)
    elif chance.random() < 0.06:
        name = chance.choice(sorted(files))
        files[f"{name}.gz"] = packed(files.pop(name), chance)
    elif chance.random() < 0.02:
        name = chance.choice(sorted(files))
        files[odd_name(chance) + name.rpartition("/")[2]] = files.pop(name)
    return Case(target.name, files)


def codec_of(target: str, file: str) -> Codec:
    """A file may have been renamed by then."""
    return targets()[target].codecs.get(file, BytesCodec())


def changed(data: bytes, codec: Codec, chance: Chance) -> bytes:
    with deep_recursion():
        tree = codec.parse(data)
        for _ in range(chance.choice(_CHANGES)):
            codec.mutate(tree, chance)
        try:
            data = codec.build(tree)
        except (ValueError, TypeError, KeyError, OverflowError):
            # a library of the format refuses to write it: only a hand could
            data = damaged(data, chance)
    return damaged(data, chance) if chance.random() < 0.1 else data


def _mix_up(files: Files, chance: Chance) -> None:
    """What happens to folders: a file is gone, empty, twice, or under another's name."""
    name, other = chance.choice(sorted(files)), chance.choice(sorted(files))
    match chance.randrange(5):
        case 0:
            del files[name]
        case 1:
            files[name] = b""
        case 2:
            files[f"copy/{name}"] = files[name]
        case 3:
            files[name] = files[other]
        case 4:
            files[odd_name(chance) + "x"] = files.pop(name)


def odd_name(chance: Chance) -> str:
    """As the system may have it: any bytes but two."""
    letters = chance.choice(NAMES).replace(b"/", b"").replace(b"\0", b"").strip(b".")[:99]
    return os.fsdecode(letters)


@contextmanager
def deep_recursion() -> Iterator[None]:
    """For our own trees; what is tried has Python's usual limit."""
    usual = sys.getrecursionlimit()
    sys.setrecursionlimit(_DEEP)
    try:
        yield
    finally:
        sys.setrecursionlimit(usual)
