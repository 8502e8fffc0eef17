"""Event files: the graph, meta graph, tagged run metadata and scalars of TensorBoard's log."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from tfprof.errors import CorruptFile
from tfprof.frozen_dataclass import frozen_dataclass
from tfprof.model.graph import Graph
from tfprof.model.trace import Trace
from tfprof.sources.files.reader import parse
from tfprof.sources.files.registry import FilePiece
from tfprof.sources.graph.graphdef import FileBytes, read_graph
from tfprof.sources.graph.meta_graph import meta_piece
from tfprof.sources.run.records import End, read_records
from tfprof.sources.run.run_metadata import run_piece
from tfprof.sources.run.scalars import Scalars
from tfprof.wire.fields import Progress


@dataclass
class _Found:
    """The newest of each, as bytes; run metadata by tag, with its global step."""

    graph: bytes = b""
    meta_graph: bytes = b""
    runs: dict[str, tuple[int, bytes]] = field(default_factory=dict)
    records: int = 0
    scalars: Scalars = field(default_factory=Scalars)

    def numbered(self) -> list[int]:
        """The global step of each run; their places where that is not told, or not by all."""
        steps = [step for step, _ in self.runs.values()]
        told = len(set(steps)) == len(steps) and min(steps, default=0) >= 0
        return steps if told else list(range(len(steps)))


def read(path: Path, _step: int, progress: Progress | None) -> FilePiece:
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
    return _piece(found, path, warnings)


def _take(found: _Found, record: bytes, path: Path, offset: int) -> None:
    event = parse("Event", record, path, offset)
    found.records += 1
    kind = event.WhichOneof("what")
    if kind == "graph_def":
        found.graph = event.graph_def
    elif kind == "meta_graph_def":
        found.meta_graph = event.meta_graph_def
    elif kind == "summary":
        found.scalars.add(event)
    elif kind == "tagged_run_metadata":
        run = event.tagged_run_metadata
        found.runs[run.tag] = event.step, run.run_metadata


def _piece(found: _Found, path: Path, warnings: list[str]) -> FilePiece:
    graph = None
    declared = None
    if found.meta_graph:
        source, fields = FileBytes.opened(found.meta_graph, "MetaGraphDef", path, warnings)
        meta = meta_piece(source, fields, 0, warnings)
        graph, declared = meta.graph, meta.declared
    if found.graph:
        graph = _Graph(found.graph, path, warnings)
    known = list(_runs(found, path, warnings))
    traced = tuple(step for step, _ in found.runs.values() if step >= 0)
    scalars = found.scalars.found(path, traced)
    if graph is None and not known and scalars is None:
        warnings.append(f"{path}: {found.records:,} records, no graph and no run metadata in them")
    trace = Trace.joined(known) if known else None
    return FilePiece(graph, declared, trace, scalars=scalars, warnings=warnings)


def _runs(found: _Found, path: Path, warnings: list[str]) -> Iterator[Trace]:
    for number, (tag, (_, data)) in zip(found.numbered(), found.runs.items(), strict=True):
        trace = run_piece(data, path, number, warnings).trace
        if trace is not None:
            yield replace(trace, tags={number: tag})


@frozen_dataclass
class _Graph:
    """Builds the graph when it is wanted."""

    data: bytes
    path: Path
    warnings: list[str]

    def __call__(self) -> Graph:
        return read_graph(*FileBytes.opened(self.data, "GraphDef", self.path, self.warnings))
