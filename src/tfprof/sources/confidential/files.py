"""A file of each kind without what tells where it was made; what nobody can clean is refused."""

from __future__ import annotations

import io
import json
import re
import struct
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from google.protobuf.message import DecodeError

from tfprof.errors import CorruptFile, TfprofError, UnsafeFile
from tfprof.sources.confidential.messages import redacted
from tfprof.sources.confidential.words import Redactor
from tfprof.sources.files import gzip_data
from tfprof.sources.files.inflation import MOST_WEIGHTS
from tfprof.sources.files.reader import read_bytes
from tfprof.sources.files.text_format import text_to_wire
from tfprof.sources.keras.archive import KerasArchive
from tfprof.sources.run.records import End, read_records
from tfprof.sources.xplane.riegeli import joined_records
from tfprof.wire.crc32c import crc32c, masked
from tfprof.wire.riegeli import is_riegeli
from tfprof.wire.schema import message_class

Cleaned = tuple[str, bytes]
_HEAD: Final = 64
_MESSAGES: Final = {
    "GraphDef": "GraphDef",
    "MetaGraphDef": "MetaGraphDef",
    "SavedModel": "SavedModel",
    "RunMetadata": "RunMetadata",
    "OpLog": "OpLogProto",
    "ProfileProto": "ProfileProto",
    "XPlane": "XSpace",
}
# of these nothing tells a place: tables of tensors by their names
_HARMLESS: Final = ("checkpoint", "checkpoint data", "")
# keys of run.json whose values are dropped
_OF_THE_PROGRAM: Final = ("arguments", "pid", "clock", "cwd", "environment", "logdir")
_EVENTS = re.compile(r"events\.out\.tfevents\.\d+\.(.+?)(?:\.\d+)*(?:\.v2)?")
_CAPTURE = re.compile(r"(.+)\.xplane\.(?:pb|riegeli)(?:\.gz)?")


def host_in_name(path: Path) -> str:
    """Event files and captures are called after the machine that wrote them."""
    found = _EVENTS.fullmatch(path.name) or _CAPTURE.fullmatch(path.name)
    return found[1] if found else ""


def hosts_told(made: str, path: Path) -> list[str]:
    """The machines that a file names, to be found in all others, too."""
    hosts = [host_in_name(path)]
    if made == "run record":
        said = _json(path)
        hosts += [str(said.get("host") or "")] if isinstance(said, dict) else []
    elif made == "XPlane":
        try:
            hosts += message_class("XSpace").FromString(_capture(path)).hostnames
        except DecodeError:
            raise _damaged(path, 0) from None
    return [one for one in hosts if one]


def cleaned(made: str, path: Path, redactor: Redactor) -> Cleaned | None:
    """Its format and its bytes; None where they stay as they are."""
    if made in _HARMLESS:
        return None
    kind = made.removesuffix(" text")
    try:
        if kind in _MESSAGES:
            return kind, _message(kind, made != kind, path, redactor)
        return made, _OTHERS[kind](path, redactor)
    except KeyError:
        what = f"nobody knows what a {made} file tells about the machine"
        hint = "Leave the file out, or save without --confidential."
        raise UnsafeFile(what, where=str(path), hint=hint) from None


def _message(kind: str, is_text: bool, path: Path, redactor: Redactor) -> bytes:  # noqa: FBT001
    name = _MESSAGES[kind]
    if kind == "XPlane":
        data = _capture(path)
    elif is_text:
        data = text_to_wire(read_bytes(path), name, path, []).data
    else:
        data = read_bytes(path)
    made = redacted(name, data, redactor)
    if made is None:
        raise _damaged(path, 0)
    return made


def _capture(path: Path) -> bytes:
    data = read_bytes(path)
    return bytes(joined_records(data, path, [])) if is_riegeli(data[:_HEAD]) else data


def _events(path: Path, redactor: Redactor) -> bytes:
    out = io.BytesIO()
    for one in read_records(path):
        if isinstance(one, End):
            continue
        made = redacted("Event", one[1], redactor)
        if made is None:
            raise _damaged(path, one[0])
        length = struct.pack("<Q", len(made))
        out.write(length + _sum(length) + made + _sum(made))
    return out.getvalue()


def _sum(data: bytes) -> bytes:
    return struct.pack("<I", masked(crc32c(data)))


def _state(path: Path, _redactor: Redactor) -> bytes:
    data = text_to_wire(read_bytes(path), "CheckpointState", path, []).data
    said = message_class("CheckpointState").FromString(data)
    return f"model_checkpoint_path: {json.dumps(Path(said.model_checkpoint_path).name)}\n".encode()


def _record(path: Path, redactor: Redactor) -> bytes:
    said = _json(path)
    program = said.get("program") if isinstance(said, dict) else None
    if isinstance(program, dict):
        if isinstance(program.get("script"), str):
            program["script"] = Path(program["script"]).name
        program["arguments"] = []
    for key in _OF_THE_PROGRAM:
        said.pop(key, None)
    return json.dumps(_without(said, redactor), indent=1).encode()


def _any_json(path: Path, redactor: Redactor) -> bytes:
    return json.dumps(_without(_json(path), redactor)).encode()


def _json(path: Path) -> Any:  # noqa: ANN401  (JSON is anything)
    data = read_bytes(path)
    if data.startswith(gzip_data.MAGIC):
        data = b"".join(gzip_data.unpacked([data], str(path)))
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        raise _damaged(path, 0) from None


def _without(said: Any, redactor: Redactor) -> Any:  # noqa: ANN401
    """The same with other texts; what is inside is looked at later, however deep it is."""
    whole = [said]
    waiting: list[Any] = [whole]
    while waiting:
        one = waiting.pop()
        places = [*one] if isinstance(one, dict) else range(len(one))
        for place in places:
            value = one[place]
            if isinstance(value, str):
                one[place] = redactor.text(value)
            elif isinstance(value, dict | list):
                waiting.append(value)
    return whole[0]


def _keras(path: Path, redactor: Redactor) -> bytes:
    """Its configuration; weights are numbers."""
    out = io.BytesIO()
    with KerasArchive(path) as archive, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as made:
        for name in dict.fromkeys(archive.names):  # of two with one name, only the last is read
            data = archive.read(name, MOST_WEIGHTS)
            if name.endswith(".json"):
                try:
                    data = json.dumps(_without(json.loads(data), redactor)).encode()
                except (ValueError, RecursionError):
                    raise _damaged(path, 0) from None
            made.writestr(zipfile.ZipInfo(name), data)
    return out.getvalue()


def _damaged(path: Path, offset: int) -> TfprofError:
    what = "the file is damaged, so that nobody can tell what is in it: it is not saved"
    hint = "Leave the file out, or save without --confidential."
    return CorruptFile(what, offset=offset, where=str(path), hint=hint)


_OTHERS: Final[dict[str, Callable[[Path, Redactor], bytes]]] = {
    "event file": _events,
    "checkpoint state": _state,
    "run record": _record,
    "Chrome trace": _any_json,
    "variable table": _any_json,
    "Keras model": _keras,
}
