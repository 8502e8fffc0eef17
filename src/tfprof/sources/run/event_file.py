"""Event files: the graph, the meta graph and tagged run metadata that TensorBoard's log holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from tfprof.errors import CorruptFile
from tfprof.model.graph import Graph
from tfprof.model.trace import Trace
from tfprof.sources.files.probe import Probe
from tfprof.sources.files.reader import parse
from tfprof.sources.files.registry import FilePiece, Format, register
from tfprof.sources.graph.graphdef import FileBytes, read_graph
from tfprof.sources.graph.meta_graph import meta_piece
from tfprof.sources.run.records import End, read_records
from tfprof.sources.run.run_metadata import run_piece
from tfprof.wire.fields import Progress


@dataclass
class _Found:
    """The newest of each, as bytes; run metadata by tag."""

    graph: bytes = b""
    meta_graph: bytes = b""
    runs: dict[str, bytes] = field(default_factory=dict)
    records: int = 0


def read(path: Path, step: int, progress: Progress | None) -> FilePiece:
    found = _Found()
    warnings: list[str] = []
    for item in read_records(path, progress):
        if isinstance(item, End):
            if item.why and not found.records:
                raise CorruptFile(
                    f"{item.why}: nothing can be read", offset=item.offset, where=str(path)
                )
            if item.why:
                warnings.append(
                    f"{path}: {item.why} at byte {item.offset:,}; what comes before was read"
                )
            break
        _take(found, item[1], path, item[0])
    return _piece(found, path, step, warnings)


def _take(found: _Found, record: bytes, path: Path, offset: int) -> None:
    event = parse("Event", record, path, offset)
    found.records += 1
    kind = event.WhichOneof("what")
    if kind == "graph_def":
        found.graph = event.graph_def
    elif kind == "meta_graph_def":
        found.meta_graph = event.meta_graph_def
    elif kind == "tagged_run_metadata":
        found.runs[event.tagged_run_metadata.tag] = event.tagged_run_metadata.run_metadata


def _piece(found: _Found, path: Path, step: int, warnings: list[str]) -> FilePiece:
    graph = None
    declared = None
    if found.meta_graph:
        source, fields = FileBytes.opened(found.meta_graph, "MetaGraphDef", path, warnings)
        meta = meta_piece(source, fields, 0, warnings)
        graph, declared = meta.graph, meta.declared
    if found.graph:
        graph = _Graph(found.graph, path, warnings)
    traces = [
        run_piece(data, path, step + number, warnings).trace
        for number, data in enumerate(found.runs.values())
    ]
    known = [trace for trace in traces if trace is not None]
    if graph is None and not known:
        warnings.append(f"{path}: {found.records:,} records, no graph and no run metadata in them")
    return FilePiece(graph, declared, Trace.joined(known) if known else None, warnings=warnings)


@dataclass(frozen=True, slots=True)
class _Graph:
    """Builds the graph when it is wanted."""

    data: bytes
    path: Path
    warnings: list[str]

    def __call__(self) -> Graph:
        return read_graph(*FileBytes.opened(self.data, "GraphDef", self.path, self.warnings))


def _score(probe: Probe) -> float:
    # every writer starts with this version record
    return float(b"brain.Event:" in probe.head[:64])


register(Format(
    name="event file",
    about="TensorBoard's log: graph and run metadata in it",
    names="events.out.tfevents.*",
    recognised_by="first record",
    gives="nodes, parameters, op time",
    score=_score,
    read=read,
))  # fmt: skip
