"""A smaller input that fails in the same way: parts are taken away as long as it does."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import replace
from multiprocessing.connection import Connection
from pathlib import Path

from fuzz.asking import Failure
from fuzz.cases import Case, codec_of, deep_recursion
from fuzz.codec import Codec
from fuzz.forked import SECONDS, Worker
from fuzz.running import Found, ask_about, scratch_folder

_SECONDS = 45


def failures_of(case: Case, seed: str, limit: float = SECONDS) -> list[Failure]:
    """In a process of its own, since it may die of it."""
    folder = scratch_folder()
    worker = Worker(_ask, (case, folder, seed, limit))
    try:
        while True:
            said = worker.message(1)
            if said is not None:
                worker.ended()
                return list(said)
    except EOFError:
        how = worker.ended()
        return [Failure("", f"{how}: {case.target}", how)]
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _ask(told: Connection, case: Case, folder: Path, seed: str, limit: float) -> None:
    told.send(ask_about(case, folder, seed, limit)[1])


def minimised(found: Found, seed: str) -> Case:
    """The files that do not matter go first, then parts of the others, large ones first."""
    until = time.monotonic() + _SECONDS
    case = found.case

    def still_fails(smaller: Case) -> bool:
        return time.monotonic() < until and any(
            one.what == found.failure.what for one in failures_of(smaller, f"{seed} {found.number}")
        )

    for name in list(case.files):
        without = {other: data for other, data in case.files.items() if other != name}
        if without and still_fails(replace(case, files=without)):
            case = replace(case, files=without)
    for name in list(case.files):

        def fails(data: bytes, case: Case = case, name: str = name) -> bool:
            return still_fails(replace(case, files={**case.files, name: data}))

        smallest = _smaller(case.files[name], codec_of(case.target, name), fails)
        case = replace(case, files={**case.files, name: smallest})
    return case


def _smaller(data: bytes, codec: Codec, fails: Callable[[bytes], bool]) -> bytes:
    """One part after the other: what is left is tried again from the start while it shrinks."""
    with deep_recursion():
        try:
            tree = codec.parse(data)
            if codec.build(tree) != data and not fails(codec.build(tree)):
                return data
        except (ValueError, IndexError, KeyError, OSError):
            return data  # damaged below what the codec takes apart
        at = 0
        while at < len(places := list(codec.places(tree))):
            held, key = places[at]
            taken = held[key]
            del held[key]
            if fails(codec.build(tree)):
                continue
            if isinstance(held, list):
                held.insert(key, taken)
            else:
                held[key] = taken
            at += 1
        return codec.build(tree)
