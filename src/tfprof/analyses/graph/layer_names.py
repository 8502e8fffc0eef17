"""What the name of an op tells of its layer: scopes, calls around it, marks of a gradient."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache

from tfprof.late_pattern import late_pattern

# what stands in front of or behind a layer's own name
_GRADIENT = late_pattern(r"(?:.*/)?(?:gradients(?:_\d+)?|gradient_tape)/(.*)")
_STANDS = late_pattern(r"(.*?)gradient_tape/.*")
_CALL = late_pattern(r"(?:Stateful)?PartitionedCall(?:_\d+)?")
# a distribution strategy runs the same layers once more for each device but the first
_REPLICA_SCOPE = late_pattern(r"replica_\d+")
# where a loop or a branch is lowered, the function that it runs stands in front of its ops
_LOWERED = late_pattern(r"/(?:body|cond|then|else|branch\d+)/_\d+(?=/)")
_GRAD_SUFFIX = late_pattern(r"_grad(?:_\d+)?$")
# an op that reads a variable for another one is named below it
_READ = late_pattern(r"/ReadVariableOp(?:_\d+)?$")
# what Grappler puts in front of the names of nodes it has rewritten
_REWRITTEN = late_pattern(r"^(?:[A-Z]\w*(?:Folding|Optimizer|Remapper)(?:-\w+)?/)+")
# what runs the same on several devices, by the distribution strategies and by hand
_REPLICA = late_pattern(r"(^|/)(?:replica|tower|clone)_\d+/", re.IGNORECASE)
# how JAX marks what a function was made into: its derivative, batches of it, a compiled one
_COMPILED = late_pattern(
    r"\b(?:p?jit|xla_call|shard_map|pmap|core_call|closed_call)(?:\([^()]*\))?/"
)
_TRANSFORMED = late_pattern(
    r"\b(?:transpose|jvp|vmap|remat\d?|checkpoint|custom_jvp_call|custom_vjp_call)\(([^()]*)\)"
)
_LOOP = late_pattern(
    r"(^|/)(?:while|scan|cond|body|branch_\d+_fun|rematted_computation|checkpoint)(?=/)"
)
_MOST = 0.9
_LEAST_LAYERS = 2
# a model stands in a few scopes of its own; every one is looked for in all names
_DEEPEST_TRUNK = 32
NO_LAYER = "(no layer)"


def layer_of(name: str, trunk: tuple[str, ...]) -> str:
    """The layer that an op belongs to by its name alone."""
    inner = inside(path_of(_READ.sub("", _REWRITTEN.sub("", name))), trunk)
    # the runtime's own begin with an underscore: what is fed, what is fetched
    return inner[0] if len(inner) > 1 and not inner[0].startswith("_") else NO_LAYER


def inside(path: tuple[str, ...], trunk: tuple[str, ...]) -> tuple[str, ...]:
    """A path without the model's own scope."""
    return path[len(trunk) :] if path[: len(trunk)] == trunk else path


def call_around(names: Iterable[str]) -> str:
    """Where a step stands that trains inside a loop, a branch or a call: what all gradients share.

    With the slash behind it; empty for a step that stands in the graph itself.
    """
    found = {match[1] for name in names if (match := _STANDS.fullmatch(name))}
    return found.pop() if len(found) == 1 else ""


def folded(name: str) -> str:
    """The name that an op has on every device and in every phase, as it was written once."""
    name = _REPLICA.sub(r"\1", name)
    if "(" not in name:
        return name
    name, inner = _COMPILED.sub("", name), ""
    while name != inner:
        name, inner = _TRANSFORMED.sub(r"\1", name), name
    name = _LOOP.sub("", name)
    return "/".join(part for part in name.split("/") if part) or inner


def is_gradient(name: str) -> bool:
    return _GRADIENT.fullmatch(name) is not None


def without_calls(name: str) -> str:
    """The name of an op without the calls around it, which stand in front once they are inlined."""
    # most names have neither, and all names are asked for
    if "/_" in name:
        name = _LOWERED.sub("", name)
    if "PartitionedCall" not in name:
        return name
    return "/".join(part for part in name.split("/") if not _CALL.fullmatch(part)) or name


def path_of(name: str) -> tuple[str, ...]:
    """The scopes of a name, without calls and without what marks a gradient."""
    match = _GRADIENT.fullmatch(name) if "gradient" in name else None
    parts = (match[1] if match else name).split("/")
    return tuple([scope for part in parts if (scope := _scope(part)) is not None])


def paths_of(names: Iterable[str]) -> list[tuple[str, ...]]:
    """The same of many names: a scope that several are in is looked at once."""
    found: dict[str, tuple[str, ...]] = {"": ()}
    paths = []
    for name in names:
        head, _, last = name.rpartition("/")
        if "gradient" in name or name.startswith("/"):
            paths.append(path_of(name))
            continue
        if head not in found:
            found[head] = path_of(head)
        scope = _scope(last)
        paths.append(found[head] if scope is None else (*found[head], scope))
    return paths


@lru_cache(maxsize=1 << 14)
def _scope(part: str) -> str | None:
    """A part of a name as a scope; None of a call or a replica. The same few stand in most."""
    if _CALL.fullmatch(part) or _REPLICA_SCOPE.fullmatch(part):
        return None
    return _GRAD_SUFFIX.sub("", part)


def trunk_of(forward: Sequence[tuple[tuple[str, ...], int]]) -> tuple[str, ...]:
    """The scope that nearly all forward work is in, as a model's own name is: it is no layer."""
    trunk: tuple[str, ...] = ()
    whole = sum(work for _, work in forward)
    while (depth := len(trunk)) < _DEEPEST_TRUNK:
        below: Counter[str] = Counter()
        scopes: dict[str, set[str]] = {}
        for path, work in forward:
            if path[:depth] == trunk and len(path) > depth + 2 and work:
                below[path[depth]] += work
                scopes.setdefault(path[depth], set()).add(path[depth + 1])
        (name, work), *_ = below.most_common(1) or [("", 0)]
        # a scope with one scope in it is a layer with a part, not a model with layers
        if not work or work < _MOST * whole or len(scopes[name]) < _LEAST_LAYERS:
            break
        trunk = (*trunk, name)
    return trunk
