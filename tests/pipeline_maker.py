"""Planes with calls of iterators, as tf.data would have recorded them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np

from tfprof.model.interned import Interned
from tfprof.model.made_planes import MadeEvents, made_plane
from tfprof.model.xspace import HOST_THREADS, Environment, Space


@dataclass
class Maker:
    """Events are added one by one, in any order; times are picoseconds."""

    events: list[tuple[int, str, int, int, dict]] = field(default_factory=list)

    def add(self, line, name, start, end, **stats):
        self.events.append((line, name, start, end, stats))

    def space(self):
        stats = {}
        for row, event in enumerate(self.events):
            for name, value in event[4].items():
                rows, values = stats.setdefault(name, ([], []))
                rows.append(row)
                values.append(value)
        line, names, start, end, _ = zip(*self.events, strict=True)
        events = MadeEvents(
            np.array(line, np.int64),
            Interned.of(list(names)),
            np.array(start, np.int64),
            np.array(end, np.int64) - np.array(start, np.int64),
            stats,
        )
        lines = [f"thread {number}" for number in range(max(line) + 1)]
        plane = made_plane("", HOST_THREADS, lines, events)
        return Space((plane,), 0, {"": Environment()})


def either_sign(rng, number):
    """The same 64 bits, signed or unsigned, as a file may have them."""
    return number - (1 << 64) if number >= 1 << 63 and rng.random() < 0.5 else number


@dataclass
class Tree:
    """A random tree of stages; `detached` ones are called on a thread of their own."""

    name: str
    number: int
    children: list[Tree]
    detached: bool = False

    def stages(self):
        return [self, *(one for child in self.children for one in child.stages())]


def random_tree(rng: random.Random, name="Iterator::Root", depth=0):
    count = rng.choice([1, 1, 1, 2]) if depth < rng.randint(1, 5) else 0
    # numbers of input tell two of the same kind apart only below a Zip
    own = f"{name}::{'Zip' if count > 1 else 'Map'}" if depth else name
    children = [
        random_tree(rng, f"{own}[{at}]" if count > 1 and depth else own, depth + 1)
        for at in range(count if depth else min(count, 1))
    ]
    return Tree(own, rng.getrandbits(64), children)


def random_chain(rng: random.Random):
    """Stages in a row, some of them on threads of their own."""
    kinds = ["Prefetch", "Map", "BatchV2", "Shuffle", "ParallelMapV2", "Take"]
    name, top = "Iterator::Root", Tree("Iterator::Root", rng.getrandbits(64), [])
    last = top
    for kind in rng.sample(kinds, rng.randint(1, len(kinds))):
        name = f"{name}::{kind}"
        last.children = [Tree(name, rng.getrandbits(64), [], detached=rng.random() < 0.5)]
        last = last.children[0]
    return top


def call(maker, rng, stage, line, span, parent=None):
    """A call and, one after the other, calls of what it reads from."""
    start, end = span
    numbers = {"id": either_sign(rng, stage.number)}
    if parent is not None:
        numbers["parent_id"] = either_sign(rng, parent.number)
    maker.add(line, stage.name, start, end, **numbers)
    inner = [child for child in stage.children if not child.detached]
    cuts = sorted(rng.randint(start, end) for _ in range(4 * len(inner)))
    for child in inner:
        for _ in range(rng.randint(1, 2)):
            first, last, *cuts = cuts
            call(maker, rng, child, line, (first, last), stage)


def detached_calls(maker, rng, stage, until, line):
    """What threads of their own call, at any time; they may not overlap on one thread."""
    for child in stage.children:
        if child.detached:
            line += 1
            cuts = sorted(rng.sample(range(until), 2 * rng.randint(1, 8)))
            for first, last in zip(cuts[::2], cuts[1::2], strict=True):
                call(maker, rng, child, line, (first, last), stage)
        line = detached_calls(maker, rng, child, until, line)
    return line
