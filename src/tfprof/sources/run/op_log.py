"""The op log (`tfprof_log`) of the original tool: types, FLOPs and code lines by node."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.oplog import CodeFrame, OpLog
from tfprof.model.pickling import PicklesWithoutCaches
from tfprof.sources.files.reader import parse, read_bytes, top_fields
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.files.text_format import text_to_wire
from tfprof.sources.graph.graphdef import FileBytes
from tfprof.wire.fields import Progress
from tfprof.wire.schema import Messages, Proto

# field numbers
_ENTRIES, _STRINGS = 1, 2
_NAME, _FLOAT_OPS, _TYPES, _CODE = 1, 2, 3, 4


def read_binary(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    return log_piece(read_bytes(path, progress), path, [], progress)


def read_text(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    warnings: list[str] = []
    data, _ = text_to_wire(read_bytes(path, progress), "OpLogProto", path, warnings)
    return log_piece(data, path, warnings, progress)


def log_piece(
    data: bytes, path: Path, warnings: list[str], progress: Progress | None = None
) -> FilePiece:
    """What the bytes of one op log give."""
    data, fields = top_fields(data, "OpLogProto", path, warnings, progress)
    source = FileBytes(data, path)
    entries = fields.repeated(_ENTRIES)
    inside = source.split(entries.start, entries.end, progress)
    names = source.strings(*inside.spans(_NAME, len(entries)))
    # the last non-zero count of a name wins, as in the original tool
    float_ops = {
        names[row]: count
        for row, count in enumerate(inside.ints(_FLOAT_OPS, len(entries)).tolist())
        if count
    }
    types: dict[str, list[str]] = {}
    logged = inside.repeated(_TYPES)
    for row, kind in zip(
        logged.owner.tolist(), source.strings(logged.start, logged.end), strict=True
    ):
        types.setdefault(names[row], []).append(kind)
    code = _Code(source, fields.rows(_STRINGS, 2), fields.start, fields.end)
    for row in inside.rows(_CODE, 2).tolist():
        name = names[int(inside.owner[row])]
        # the first stack of a name wins
        code.spans.setdefault(name, (int(inside.start[row]), int(inside.end[row])))
    return FilePiece(oplog=OpLog(types, float_ops, code, bool(code.spans)), warnings=warnings)


@dataclass
class _Code(PicklesWithoutCaches):
    """Stacks decoded when asked for; the strings are shared by all of them."""

    source: FileBytes
    rows: npt.NDArray[np.int64]
    starts: npt.NDArray[np.int64]
    ends: npt.NDArray[np.int64]

    def __post_init__(self) -> None:
        self.spans: dict[str, tuple[int, int]] = {}

    @cached_property
    def strings(self) -> dict[int, str]:
        found: dict[int, str] = {}
        for row in self.rows.tolist():
            span = int(self.starts[row]), int(self.ends[row])
            data = self.source.data[span[0] : span[1]]
            entry = parse("OpLogProto_id_to_string", data, self.source.path, span[0])
            found.setdefault(entry.key, entry.value)
        return found

    def __call__(self, node: str) -> Sequence[CodeFrame]:
        span = self.spans.get(node)
        if span is None:
            return ()
        message = parse("CodeDef", self.source.data[span[0] : span[1]], self.source.path, span[0])
        return code_frames(message, self.strings)


@frozen_dataclass
class ParsedCode:
    """The stacks of CodeDef messages, by the name of their node."""

    row_of: Mapping[str, int]
    stacks: Messages
    strings: Mapping[int, str]

    @classmethod
    def of(cls, stacks: Mapping[str, Proto], strings: Mapping[int, str]) -> ParsedCode:
        rows = {name: row for row, name in enumerate(stacks)}
        return cls(rows, Messages("CodeDef", tuple(stacks.values())), strings)

    def __call__(self, node: str) -> Sequence[CodeFrame]:
        row = self.row_of.get(node)
        return () if row is None else code_frames(self.stacks[row], self.strings)


def code_frames(code: Proto, strings: Mapping[int, str]) -> list[CodeFrame]:
    """A CodeDef as frames; early files hold the strings themselves instead of ids."""
    return [
        CodeFrame(
            trace.file or strings.get(trace.file_id, ""),
            trace.lineno,
            trace.function or strings.get(trace.function_id, ""),
            trace.line or strings.get(trace.line_id, ""),
            trace.func_start_line,
        )
        for trace in code.traces
    ]
