"""A result as the bytes of the original's message, however deep it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tfprof.compat.handed import Proto
from tfprof.wire.schema import BYTES, message_class, schema
from tfprof.wire.varint import as_varint

if TYPE_CHECKING:
    from tfprof.compat.results import ViewNode

_CHILDREN = "children"


def encoded(root: ViewNode, kind: str) -> bytes:
    """`root` and what is below it, as a `kind`; `root` has the fields of that message.

    Each node's own fields come before its children. So the whole is the nodes one after the other
    from the top, and only their sizes have to be summed up from the bottom: no recursion.
    """
    bodies: list[bytes] = []
    parents: list[int] = []
    waiting = [(root, -1)]
    while waiting:
        node, parent = waiting.pop()
        waiting.extend((child, len(bodies)) for child in reversed(node.children))
        bodies.append(_own_fields(node, kind))
        parents.append(parent)
    tag = as_varint(schema()[kind].by_name[_CHILDREN].number << 3 | BYTES)
    sizes = [len(body) for body in bodies]
    for at in range(len(bodies) - 1, 0, -1):
        head = tag + as_varint(sizes[at])
        sizes[parents[at]] += len(head) + sizes[at]
        bodies[at] = head + bodies[at]
    return b"".join(bodies)


def _own_fields(node: ViewNode, kind: str) -> bytes:
    message = message_class(kind)()
    _fill(message, node, kind)
    data: bytes = message.SerializeToString(deterministic=True)
    return data


def _fill(message: Proto, node: ViewNode, kind: str) -> None:
    for name, field in schema()[kind].by_name.items():
        if name == _CHILDREN:
            continue
        value = getattr(node, name)
        if field.is_map:
            for key, inner in value.items():
                getattr(message, name)[key].CopyFrom(inner)
        elif not field.repeated:
            if value:  # a zero is not written, and most are zeros
                setattr(message, name, value)
        elif not field.is_message:
            getattr(message, name).extend(value)
        else:  # the nodes of a row, which have no children
            for inner in value:
                _fill(getattr(message, name).add(), inner, field.type)
