"""TensorFlow's messages without what tells where they were made.

A message is parsed with our own classes, and what they do not list is dropped: no field that nobody
knows is passed on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from google.protobuf.message import DecodeError

from tfprof.sources.confidential.words import Redactor
from tfprof.wire import dtypes
from tfprof.wire.schema import Proto, message_class, schema

# names that every answer is about, and that a scope makes look like paths
_KEPT: Final = {
    "NodeDef": {"name", "op", "input", "device"},
    "XStatMetadata": {"name"},
    "HloModuleProto": {"name"},
    "HloComputationProto": {"name"},
    "HloInstructionProto": {"name", "opcode", "fusion_kind", "custom_call_target"},
    "OpMetadata": {"op_type", "op_name"},
    "NodeExecStats": {"node_name"},
    "OpLogEntry": {"name", "types"},
    "ProfileNode": {
        "name",
        "op",
        "op_types",
        "canonical_device",
        "host_device",
        "requested_device",
    },
    "TensorProto": {"tensor_content", "float8_val"},
}
# where code is told
_CLEARED: Final = {
    "OpLogEntry": {"code_def"},
    "OpLogProto": {"id_to_string"},
    "ProfileNode": {"trace"},
    "ProfileProto": {"id_to_string"},
    "HloModuleProto": {"stack_frame_index"},
    "OpMetadata": {"source_file", "source_line", "stack_frame_id"},
    "ProfileOptions": {"repository_path"},
    "XEventMetadata": {"metadata"},
    "AssetFileDef": {"filename"},
    "MetaInfoDef": {"tensorflow_git_version"},
}
# messages that are kept as bytes in others
_INSIDE: Final = {
    ("Event", "graph_def"): "GraphDef",
    ("Event", "meta_graph_def"): "MetaGraphDef",
    ("TaggedRunMetadata", "run_metadata"): "RunMetadata",
    ("SummaryValue", "tensor"): "TensorProto",
}
_STATS_INSIDE: Final = {"Hlo Proto": "HloProto", "hlo_proto": "HloProto",
                        "profile_options": "ProfileOptions"}  # fmt: skip
# stats of events that tell lines of code, calls or arguments
_STATS_CLEARED: Final = ("source", "source_stack", "source_info", "args", "python_args")
_STRING: Final = next(number for number in range(32) if dtypes.name(number) == "string")


def redacted(name: str, data: bytes, redactor: Redactor) -> bytes | None:
    """None for bytes that are no such message."""
    try:
        message = message_class(name).FromString(data)
    except DecodeError:
        return None
    message.DiscardUnknownFields()
    redact(message, redactor)
    made: bytes = message.SerializeToString()
    return made


def redact(message: Proto, redactor: Redactor) -> None:
    """In place; nothing is called inside itself, since messages may be as deep as they like."""
    waiting = [message]
    while waiting:
        one = waiting.pop()
        name = one.DESCRIPTOR.name
        for field in _CLEARED.get(name, ()):
            one.ClearField(field)
        special = _SPECIAL.get(name)
        if special is not None:
            special(one, redactor)
        waiting += _texts(one, name, redactor)


def _texts(message: Proto, name: str, redactor: Redactor) -> Iterator[Proto]:
    """Changes the texts of a message; the messages in it come next."""
    kept = _KEPT.get(name, frozenset[str]())
    known = schema().get(name)
    for field, value in message.ListFields():
        listed = known.by_name.get(field.name) if known is not None else None
        if listed is not None and listed.is_map:
            yield from _of_map(value, redactor)
        elif field.message_type is not None:
            yield from value if listed is not None and listed.repeated else (value,)
        elif field.name not in kept and field.type in (field.TYPE_STRING, field.TYPE_BYTES):
            change = _changer(name, field.name, redactor)
            if listed is not None and listed.repeated:
                value[:] = [change(one) for one in value]
            else:
                setattr(message, field.name, change(value))


def _of_map(value: Proto, redactor: Redactor) -> Iterator[Proto]:
    """Keys are names of attributes, signatures and the like."""
    for key in [*value]:
        if isinstance(value[key], str):
            value[key] = redactor.text(value[key])
        elif hasattr(value[key], "ListFields"):
            yield value[key]


def _changer(name: str, field: str, redactor: Redactor) -> Callable[[str | bytes], str | bytes]:
    inside = _INSIDE.get((name, field))

    def change(said: str | bytes) -> str | bytes:
        if isinstance(said, str):
            return redactor.text(said)
        if inside is not None:
            return redacted(inside, said, redactor) or b""
        return redactor.data(said)

    return change


def _plane(plane: Proto, redactor: Redactor) -> None:
    """Its stats have numbers for names."""
    names = {key: one.name for key, one in plane.stat_metadata.items()}
    # texts that stats refer to stand among the names
    for one in plane.stat_metadata.values():
        one.name = redactor.text(one.name)
    for stat in plane.stats:
        _stat(stat, names, redactor)
    for event in plane.event_metadata.values():
        for stat in event.stats:
            _stat(stat, names, redactor)
    for line in plane.lines:
        for event in line.events:
            for stat in event.stats:
                if (
                    stat.str_value
                    or stat.bytes_value
                    or names.get(stat.metadata_id) in _STATS_CLEARED
                ):
                    _stat(stat, names, redactor)


def _stat(stat: Proto, names: dict[int, str], redactor: Redactor) -> None:
    name = names.get(stat.metadata_id, "")
    if name in _STATS_CLEARED:
        stat.str_value = ""
    elif stat.bytes_value:
        inside = _STATS_INSIDE.get(name)
        stat.bytes_value = (redacted(inside, stat.bytes_value, redactor) or b"") if inside else b""


def _space(space: Proto, redactor: Redactor) -> None:
    redactor.learn(space.hostnames)


def _tensor(tensor: Proto, _redactor: Redactor) -> None:
    """Texts that are logged are not looked through: they may be anything."""
    if tensor.dtype == _STRING and tensor.tensor_content:
        tensor.ClearField("tensor_content")


_SPECIAL: Final[dict[str, Callable[[Proto, Redactor], None]]] = {
    "XSpace": _space,
    "XPlane": _plane,
    "TensorProto": _tensor,
}
