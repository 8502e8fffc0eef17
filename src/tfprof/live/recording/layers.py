"""The layers of a Keras model, and the scopes that their ops stand in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from tfprof.live.live_objects import Live

_MOST: Final = 10_000
_NO_OPS: Final = "InputLayer"


def place_layers(model: dict[str, Any], ops: Iterable[str]) -> None:
    """The scopes of layers as a traced graph has them, where a name may have got a number.

    `ops` are the names of the ops of the step.
    """
    below = _scopes_below(ops)
    roots = _scopes_of([model["name"]], below) or _around_layers(model, below)
    placed = [_placed(model["layers"], root, below) for root in sorted(roots, key=_depth)]
    best = max(placed, key=len, default={})
    for row in model["layers"]:
        row["scope"] = best.get(row["scope"], row["scope"])


def _scopes_of(names: Sequence[str], below: dict[str, list[str]]) -> list[str]:
    scopes = [scope for inside in below.values() for scope in inside]
    return [
        scope for scope in scopes if any(_may_be(scope.rpartition("/")[2], one) for one in names)
    ]


def _around_layers(model: dict[str, Any], below: dict[str, list[str]]) -> list[str]:
    """Where its layers are called one by one, as the halves of a GAN, a model has no scope."""
    outermost = [row["name"] for row in model["layers"] if row["scope"].count("/") == 1]
    found = _scopes_of(outermost, below)
    return list(dict.fromkeys(scope.rpartition("/")[0] for scope in found))


def _scopes_below(ops: Iterable[str]) -> dict[str, list[str]]:
    """By scope the scopes in it, in the order they come in; the outermost in the empty one."""
    below: dict[str, dict[str, None]] = {}
    for name in ops:
        scope = name.rpartition("/")[0]
        while scope:
            above = scope.rpartition("/")[0]
            known = below.setdefault(above, {})
            if scope in known:
                break
            known[scope] = None
            scope = above
    return {scope: list(inside) for scope, inside in below.items()}


def _depth(scope: str) -> int:
    return scope.count("/") + bool(scope)


def _may_be(scope: str, name: str) -> bool:
    """TensorFlow numbers a scope that is opened again."""
    return scope == name or (scope.startswith(f"{name}_") and scope[len(name) + 1 :].isdecimal())


def _placed(
    rows: Sequence[dict[str, Any]], root: str, below: dict[str, list[str]]
) -> dict[str, str]:
    """By its path in Keras, the scope of each layer that has one below the scope of the model."""
    siblings: dict[str, list[str]] = {}
    for row in rows:
        siblings.setdefault(row["scope"].rpartition("/")[0], []).append(row["scope"])
    top = min(siblings, key=_depth, default="")
    found = {top: root}
    for above in sorted(siblings, key=_depth):
        if above in found:
            found |= _matched(siblings[above], below.get(found[above], []))
    del found[top]
    return found


def _matched(paths: Sequence[str], scopes: Sequence[str]) -> dict[str, str]:
    """Who has one place left takes it first: `dense_1` is `dense`, if `dense_1_2` is there."""
    names = {scope: scope.rpartition("/")[2] for scope in scopes}
    open_to = {
        path: [scope for scope in scopes if _may_be(names[scope], path.rpartition("/")[2])]
        for path in paths
    }
    found: dict[str, str] = {}
    while open_to:
        path = min(open_to, key=lambda one: len(open_to[one]) or len(scopes) + 1)
        places = open_to.pop(path)
        if places:
            found[path] = places[0]
            for others in open_to.values():
                if places[0] in others:
                    others.remove(places[0])
    return found


def layers_of(model: Live) -> dict[str, Any]:
    """Name and layers of a model, outermost first.

    A layer's own path does not tell: it is of where it was built first, alone or in another model.
    """
    rows = []
    for layer, path in _every_layer(model):
        if type(layer).__name__ == _NO_OPS:
            continue
        rows.append({"name": str(layer.name), "class": type(layer).__name__, "scope": path})
        if len(rows) >= _MOST:
            break
    return {"name": str(model.name), "layers": rows}


def _every_layer(model: Live) -> Iterator[tuple[Live, str]]:
    """Without recursion: models nest as deep as users like."""
    waiting = [(layer, str(model.name)) for layer in reversed(_inside(model))]
    seen = {id(model)}
    while waiting:
        layer, above = waiting.pop()
        if id(layer) in seen:
            continue
        seen.add(id(layer))
        scope = f"{above}/{layer.name}"
        yield layer, scope
        waiting += [(inner, scope) for inner in reversed(_inside(layer))]


def _inside(layer: Live) -> list[Live]:
    found = getattr(layer, "layers", None)
    return [one for one in found if hasattr(one, "name")] if isinstance(found, list) else []
