"""What the files of a profile give, as one profile."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from tfprof.errors import InputsDisagree
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.hosts import Host, Hosts, LeftOut
from tfprof.model.oplog import OpLog
from tfprof.model.profile import Declarations, Input, ProfileData
from tfprof.model.run_record import RunRecord, joined_records
from tfprof.model.trace import Trace
from tfprof.sources.files.file_ref import FileRef
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.find.folders import FoundFile
from tfprof.sources.find.host_names import CAPTURES as _CAPTURES
from tfprof.sources.find.host_names import host_name, missing_between
from tfprof.sources.find.many_hosts import CaptureOfHost, Session
from tfprof.sources.find.trace_files import FilesTrace, TraceFile, joined_runs, run_again

_LOG, _VIEWED = "event file", "Chrome trace"


@frozen_dataclass(eq=False)
class ReadFile:
    """A file and what it gives; `step` is the run number it was read with."""

    file: FoundFile
    ref: FileRef
    step: int
    piece: FilePiece


@frozen_dataclass
class ReadSession:
    """The captures of several hosts, by their files, and what came of them."""

    captures: Mapping[FoundFile, CaptureOfHost]
    read: Session
    # those that are known to be left out before anything is read
    known: Sequence[LeftOut] = ()


def record_of(read: Sequence[ReadFile]) -> RunRecord | None:
    return joined_records([_of_rank(one) for one in read if one.piece.record is not None])


def joined(
    title: str,
    read: Sequence[ReadFile],
    inputs: tuple[Input, ...],
    session: ReadSession | None = None,
) -> ProfileData:
    """`session` are the captures of several hosts, which are not among the files."""
    own = _best_graphs([one for one in read if one.piece.graph is not None])
    if len(own) > 1:
        both = f"{own[0].file.path} and {own[1].file.path}"
        raise InputsDisagree(
            f"both hold a graph: {both}", hint="Name one of them; `tfprof diff` compares."
        )
    traced, sessions = _traced(read)
    captures = [one.file for one in traced]
    if session is not None:
        # before all but run metadata, which then tells of the same run in detail
        sessions = [one for one in traced if one.file.kind == "RunMetadata"]
        traced, captures = [], [*session.captures]
        inputs = tuple(_if_read(one, session) for one in inputs)
    _say_what_is_left_out(read, traced)
    declaring = _declaring(read)
    record = record_of(read)
    left_out = _left_out(session)
    pieces = [one.piece for one in read]
    load = own[0].piece.graph if own else None
    return ProfileData(
        title,
        tuple(
            _with_use(one, read, own, [*traced, *sessions], declaring, captures) for one in inputs
        ),
        load() if load is not None else None,
        _joined_declarations([one.piece.declared for one in declaring]),
        session.read.hosts if session is not None else _hosts(traced),
        _joined_logs([piece.oplog for piece in pieces if piece.oplog is not None]),
        next((p.checkpoint for p in pieces if p.checkpoint is not None), None),
        next((p.keras for p in pieces if p.keras is not None), None),
        (
            *_dropped(record, captures),
            *map(str, left_out),
            *(session.read.warnings if session is not None else ()),
            *(text for piece in pieces for text in piece.warnings),
            *([] if own or captures else _scalars_alone(read)),
        ),
        record=record,
        sessions=_one_host(sessions),
        logs=tuple(piece.scalars for piece in pieces if piece.scalars is not None),
        left_out=(*_said_by(record), *left_out),
    )


def _said_by(record: RunRecord | None) -> Iterator[LeftOut]:
    for host, why in record.left_out if record is not None else ():
        yield LeftOut(host, why or "it gave no capture")


def _left_out(session: ReadSession | None) -> list[LeftOut]:
    """Those whose files cannot be read, and those between others that have none."""
    if session is None:
        return []
    names = [one.name for one in session.captures.values()]
    names += [one.host for one in session.known]
    return [*session.read.left_out, *missing_between(names)]


def _if_read(one: Input, session: ReadSession) -> Input:
    fault = next(
        (
            session.read.faults[capture.rank]
            for file, capture in session.captures.items()
            if capture.rank in session.read.faults and file.path == one.path
        ),
        None,
    )
    return one if fault is None else replace(one, used=False, why=fault.what)


def _best_graphs(graphs: list[ReadFile]) -> list[ReadFile]:
    """A graph of its own before one inside a .meta, before one in a log; of logs the newest."""
    for kinds in (("MetaGraphDef", "event file"), ("event file",)):
        own = [one for one in graphs if one.file.kind not in kinds]
        if own:
            return own if kinds != ("event file",) else own[:1]
    return graphs[:1]


def _of_rank(one: ReadFile) -> RunRecord:
    """A rank is called by its folder, whatever its record says."""
    record = one.piece.record or RunRecord()
    if one.file.rank is None:
        return record
    named = tuple(replace(process, rank=one.file.rank) for process in record.processes)
    return replace(record, processes=named)


def _traced(read: Sequence[ReadFile]) -> tuple[list[ReadFile], list[ReadFile]]:
    """What tells of the time of steps; and run metadata that tells of the same run in detail.

    Only who recorded a run knows that a capture and run metadata are of the same program.
    """
    best = _without_runs_done_again(_best_traces(read))
    captures = [one for one in read if one.file.kind == "XPlane" and one.file.rank is not None]
    if captures and best and best[0].file.kind == "RunMetadata":
        return captures, best
    return best, []


def _best_traces(read: Sequence[ReadFile]) -> list[ReadFile]:
    """What tells most: runs in files of their own, captures, runs in logs, what viewers show.

    Of those that recorded anything; a run may have been logged without its stats.
    """
    found = [one for one in read if one.piece.trace is not None]
    found = [one for one in found if _tells_times(one.piece.trace)] or found
    for others in (("XPlane", _LOG, _VIEWED), (_LOG, _VIEWED), (_VIEWED,), ()):
        own = [one for one in found if one.file.kind not in others]
        if own:
            # logs come with the newest first
            return own[::-1] if own[0].file.kind == _LOG else own
    return []


def _tells_times(trace: Trace | None) -> bool:
    return trace is not None and (len(trace.executions) > 0 or trace.space is not None)


def _with_use(
    one: Input,
    read: Sequence[ReadFile],
    own: Sequence[ReadFile],
    traced: Sequence[ReadFile],
    declaring: Sequence[ReadFile],
    captures: Sequence[FoundFile],
) -> Input:
    """What gives nothing to the profile was not used, and says why."""
    file = next((file for file in read if file.file.path == one.path), None)
    if not one.used or file is None or file in (*own, *traced, *declaring):
        return one
    piece = file.piece
    gives = (piece.oplog, piece.checkpoint, piece.keras, piece.record, piece.scalars)
    if any(part is not None for part in gives):
        return one
    if piece.trace is not None:
        why = f"the run is in {captures[0].path.name}"
    elif piece.graph is not None:
        why = f"the graph is in {own[0].file.path.name}"
    else:
        why = "no graph and no run in it"
    return replace(one, used=False, why=why)


def _without_runs_done_again(traced: list[ReadFile]) -> list[ReadFile]:
    """Without files of which nothing is left; what is left out of them is said."""
    if not traced or traced[0].file.kind in _CAPTURES:
        return traced
    traces = [one.piece.trace for one in traced if one.piece.trace is not None]
    left = []
    for one, trace, again in zip(traced, traces, run_again(traces), strict=True):
        if again:
            one.piece.warnings.append(
                f"{one.file.path}: {again:,} of its {len(trace.steps):,} runs have the step of a "
                "run in a later session and are left out; name this file alone to see them"
            )
        if not again or again < len(trace.steps):
            left.append(one)
    return left


def _say_what_is_left_out(read: Sequence[ReadFile], traced: Sequence[ReadFile]) -> None:
    """Run metadata and a capture each tell of a run of their own: they are not mixed."""
    for one in read:
        if one.file.kind in _CAPTURES and one not in traced:
            one.piece.warnings.append(
                f"{one.file.path}: the times are those of the {_told_by(traced)} beside it; "
                "name this file alone to see the capture"
            )


def _told_by(traced: Sequence[ReadFile]) -> str:
    kind = traced[0].file.kind if traced else ""
    return {"XPlane": "capture", "RunMetadata": "run metadata"}.get(kind, "run")


def _hosts(traced: Sequence[ReadFile]) -> Hosts:
    """A capture is a host; the files of runs are the steps of one."""
    if len(traced) != 1 or traced[0].file.kind not in _CAPTURES:
        return _one_host(traced)
    (one,) = traced
    trace = one.piece.trace
    if trace is None:
        return Hosts()
    name = host_name(one.file, trace)
    file = replace(_trace_file(one), host=name)
    return Hosts([Host(name, 0, trace.steps, FilesTrace((file,), trace))])


def _scalars_alone(read: Sequence[ReadFile]) -> Iterator[str]:
    for one in read:
        if one.piece.scalars is not None:
            yield f"{one.file.path}: scalars, no graph and no run metadata in it"


def _dropped(record: RunRecord | None, captures: Sequence[FoundFile]) -> Iterator[str]:
    """What a tracer could not hold, or a process did not give, is missing in every answer."""
    for host, why in record.left_out if record is not None else ():
        yield f"{host} is not in it: {why}" if why else f"{host} is not in it"
    for process in record.processes if record is not None else ():
        names = {one.path.parent.name for one in captures if one.rank == process.rank}
        for one in process.captures:
            if one.events_dropped and one.name in names:
                yield (
                    f"the tracer dropped {one.events_dropped:,} events of the capture {one.name}: "
                    "times and counts are at least what is shown; capture fewer steps"
                )


def _one_host(traced: Sequence[ReadFile]) -> Hosts:
    traces = [one.piece.trace for one in traced if one.piece.trace is not None]
    if not traces:
        return Hosts()
    whole = joined_runs(traces)
    source = FilesTrace(tuple(_trace_file(one) for one in traced), whole)
    return Hosts([Host("", 0, whole.steps, source)])


def _trace_file(one: ReadFile) -> TraceFile:
    return TraceFile(one.ref, one.file.format, one.step)


def _declaring(read: Sequence[ReadFile]) -> list[ReadFile]:
    """Who declares anything; of logs the newest, which is read first: each is of a session."""
    found = [one for one in read if one.piece.declared is not None]
    logs = [one for one in found if one.file.kind == _LOG]
    return [one for one in found if one not in logs[1:]]


def _joined_declarations(parts: list[Declarations | None]) -> Declarations:
    whole = Declarations()
    for part in (part for part in parts if part is not None):
        whole = Declarations(
            {**whole.collections, **part.collections},
            {**whole.signatures, **part.signatures},
            {**whole.variables, **part.variables},
            {**whole.captures, **part.captures},
            whole.tensorflow_version or part.tensorflow_version,
            whole.tags or part.tags,
        )
    return whole


def _joined_logs(logs: list[OpLog]) -> OpLog | None:
    if len(logs) < 2:
        return logs[0] if logs else None
    types: dict[str, list[str]] = {}
    for log in logs:
        for name, kinds in log.types.items():
            types.setdefault(name, []).extend(kinds)
    float_ops = {name: count for log in logs for name, count in log.float_ops.items()}
    code = next((log.code for log in logs if log.has_code), logs[0].code)
    return OpLog(types, float_ops, code, any(log.has_code for log in logs))
