"""`run.json`: what `tfprof run` and `tfprof.capture` write down about a run, beside its captures.

A run has one for the whole, and one in the folder of each rank. Every value is looked at before it
is believed: the file may have been cut, or written by hand.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from tfprof.errors import CorruptText, NotReadYet, WrongKind
from tfprof.model.run_record import (
    Ending,
    Process,
    Program,
    RunRecord,
    RunState,
)
from tfprof.sources.files.opener import opener_for
from tfprof.sources.files.reader import read_bytes
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.run import record_parts as parts
from tfprof.sources.run.processes import is_gone
from tfprof.wire.fields import Progress
from tfprof.wire.json_values import NotBelieved, Object, as_list, as_object, parsed

_FAMILY, _VERSION = "tfprof-run/", 1
_MOST_BYTES = 8 << 20
_HINT = "`tfprof run` writes it; the captures beside it can be read without it."


def read(path: Path, _step: int, progress: Progress | None) -> FilePiece:
    return FilePiece(record=read_record(path, progress))


def read_record(path: Path, progress: Progress | None = None) -> RunRecord:
    values = _values(path, progress)
    ranks = values.get("ranks")
    ending = _ending(values)
    processes: tuple[Process, ...] = ()
    if not isinstance(ranks, list):  # those of the whole run are the names of folders
        process = _process(values, ending)
        running, began = ending.state is RunState.RUNNING, parts.moment(values, "started")
        if running and is_gone(process.host, process.pid, began):
            ending = Ending(RunState.GONE, ending.exit_code, ending.by)
            process = _process(values, ending)
        processes = (process,)
    return RunRecord(
        _program(values),
        parts.moment(values, "started"),
        parts.moment(values, "ended"),
        ending,
        len(ranks) if isinstance(ranks, list) else parts.whole(values, "ranks"),
        parts.options(values),
        parts.text(values, "tfprof"),
        processes,
        parts.left_out(values),
    )


def _values(path: Path, progress: Progress | None) -> Object:
    size = opener_for(path).facts(path).size
    if size > _MOST_BYTES:
        raise WrongKind(f"no record of a run has {size >> 20:,} MB", where=str(path), hint=_HINT)
    try:
        values = parsed(read_bytes(path, progress))
    except json.JSONDecodeError as fault:
        raise CorruptText(
            f"not JSON ({fault.msg})", line=fault.lineno, where=str(path), hint=_HINT
        ) from None
    except NotBelieved as fault:
        raise WrongKind(f"not a record of a run: {fault}", where=str(path), hint=_HINT) from None
    except (UnicodeDecodeError, RecursionError):
        raise WrongKind("not a record of a run", where=str(path), hint=_HINT) from None
    if not isinstance(values, dict):
        raise WrongKind("the JSON is not a record of a run", where=str(path), hint=_HINT)
    _check_schema(values, path)
    return values


def _check_schema(values: Object, path: Path) -> None:
    schema = parts.text(values, "schema") or ""
    number = schema.removeprefix(_FAMILY)
    if not schema.startswith(_FAMILY) or not re.fullmatch(r"[1-9][0-9]{0,5}", number):
        what = f"its schema is {schema[:40]!r}, not {_FAMILY}{_VERSION}"
        raise WrongKind(what, where=str(path), hint=_HINT)
    if int(number) > _VERSION:
        raise NotReadYet(
            f"a newer tfprof wrote it: its schema is {schema}, this version reads "
            f"{_FAMILY}{_VERSION}",
            where=str(path),
            hint=_HINT,
        )


def _program(values: Object) -> Program:
    found = as_object(values.get("program"))
    return Program(
        parts.text(found, "script"), parts.text(found, "module"), parts.texts(found, "arguments")
    )


def _ending(values: Object) -> Ending:
    said = parts.text(values, "state")
    states = {one.value: one for one in RunState if one is not RunState.GONE}
    code = values.get("exit_code")
    known = isinstance(code, int) and not isinstance(code, bool) and abs(code) < 1 << 32
    return Ending(
        states.get(said or ""), code if isinstance(code, int) and known else None,
        parts.text(values, "ended_by"),
    )  # fmt: skip


def _process(values: Object, ending: Ending) -> Process:
    return Process(
        parts.whole(values, "rank") or 0,
        parts.text(values, "task"),
        parts.text(values, "host"),
        parts.whole(values, "pid"),
        ending,
        parts.versions(values),
        parts.devices(values),
        parts.text(values, "strategy"),
        parts.whole(values, "batch") or None,
        parts.model(values),
        parts.steps(values),
        parts.captures(values),
        parts.functions(values),
        parts.whole(values, "functions_left_out"),
        parts.epochs(values),
        parts.previous(values),
        tuple(one for one in as_list(values.get("warnings")) if isinstance(one, str)),
    )
