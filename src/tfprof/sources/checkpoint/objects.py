"""Object-based checkpoints: from keys that spell a path through objects to names people know."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from tfprof.errors import CorruptFile
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.sources.files.reader import parse

_VALUE_SUFFIX = "/.ATTRIBUTES/VARIABLE_VALUE"
_SLOT_MARK = "/.OPTIMIZER_SLOT/"


@frozen_dataclass
class ObjectNames:
    """Key to full name where the object graph gives one, and slot key to variable key."""

    full: Mapping[str, str]
    slots: Mapping[str, str]

    def of(self, key: str) -> str:
        return self.full.get(key) or readable_key(key)


def readable_key(key: str) -> str:
    """`layer/kernel/.ATTRIBUTES/VARIABLE_VALUE` without what only the machine needs."""
    if "/." not in key:
        return key
    return (
        key.removesuffix(_VALUE_SUFFIX)
        .replace("/.ATTRIBUTES/", "/")
        .replace(_SLOT_MARK, " slot of ")
    )


def object_names(data: bytes, path: Path) -> ObjectNames:
    try:
        graph = parse("TrackableObjectGraph", data, path, 0)
    except CorruptFile:
        return ObjectNames({}, {})
    keys: dict[int, str] = {}
    full: dict[str, str] = {}
    for number, node in enumerate(graph.nodes):
        for attribute in node.attributes:
            keys.setdefault(number, attribute.checkpoint_key)
            if attribute.full_name:
                full[attribute.checkpoint_key] = attribute.full_name
    slots = {
        keys[slot.slot_variable_node_id]: keys.get(slot.original_variable_node_id, "")
        for node in graph.nodes
        for slot in node.slot_variables
        if slot.slot_variable_node_id in keys
    }
    return ObjectNames(full, slots)
