"""The rows of the table of `bench.py`: what is done, who else does it, and what was promised."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from _bench_files import SMALL_CAPTURE, SMALL_GRAPH, Files
from _bench_turns import Program

HERE = Path(__file__).parent
ENGINE, READER = "TensorFlow's engine", "TensorFlow's reader"
DEPTH = "10"


@dataclass(frozen=True)
class Goal:
    """What was promised; None where nothing was. `alone`: against the other's work, no imports.

    `less`: how many times less memory.
    """

    seconds: float | None = None
    ratio: float | None = None
    alone: float | None = None
    bytes: float | None = None
    less: float | None = None


@dataclass(frozen=True)
class Row:
    """`inside`: what is compared is what the programs measure themselves, imports apart.

    `together`: memory is that of all processes of a program.
    """

    key: str
    work: str
    ours: Program
    who: str
    other: Program
    goal: Goal = Goal()
    inside: bool = False
    together: bool = False


def rows(files: Files) -> list[Row]:
    return [*_start(files), *_views(files), *_captures(files), *_models(files), *_stored(files)]


def _start(files: Files) -> Iterator[Row]:
    yield Row(
        "help", "`tfprof --help`", _tfprof("--help"),
        "import of TensorFlow", lambda _: [sys.executable, "-c", "import tensorflow"], Goal(0.06),
    )  # fmt: skip
    yield Row(
        "summary-small", "`summary` of a graph of 3 kB", _tfprof("summary", SMALL_GRAPH),
        f"{ENGINE}, scope", _other("engine", "scope", "{out}", SMALL_GRAPH), Goal(0.25),
    )  # fmt: skip
    yield Row(
        "steps-small", "`steps` of a capture of 0.5 MB", _tfprof("steps", SMALL_CAPTURE),
        "XProf, overview", _xprof("overview_page", files.small_capture), Goal(0.25),
    )  # fmt: skip


def _views(files: Files) -> Iterator[Row]:
    sizes = files.sizes
    given = f"{sizes.nodes:,} nodes, {sizes.records:,} executions"
    both = _graph(files, sizes.nodes), files.run
    # all nodes, as the engine is asked
    options = ("--style", "late", "-max_depth", DEPTH, "-output", "file:outfile={out}")
    for view in ("scope", "graph", "op"):
        yield Row(
            view, f"`{view}` of {given}", _tfprof(view, *both, *options),
            ENGINE, _other("engine", view, "{out}", *both), Goal(0.8, 15, 8),
        )  # fmt: skip
    yield Row(
        "prompt", f"second command at the prompt, {given}", _other("prompt", *both),
        ENGINE, _other("engine_prompt", "{out}", *both), Goal(0.15), inside=True,
    )  # fmt: skip
    yield Row(
        "load", f"files to columns, {given}", _other("load", *both),
        f"{ENGINE}, showing nothing", _other("engine_nothing", *both), Goal(0.25, 20), inside=True,
    )  # fmt: skip
    yield Row(
        "saved", "the same from a `.tfprof`", _other("load", files.saved),
        "tfprof, of the files", _other("load", *both), Goal(1.0), inside=True,
    )  # fmt: skip
    yield Row(
        "page-graph", f"`report` of {given}", _tfprof("report", *both, "-o", "{out}.html"),
        "TensorBoard, graph as text", _other("tensorboard", both[0]),
    )  # fmt: skip


def _captures(files: Files) -> Iterator[Row]:
    given = f"a capture of {files.sizes.rounds * 0.509:.0f} MB"
    for command, tool in (
        ("steps", "overview_page"),
        ("layers", "framework_op_stats"),
        ("input", "input_pipeline_analyzer"),
    ):
        yield Row(
            f"{command}-large", f"`{command}` of {given}", _tfprof(command, files.capture),
            f"XProf, {tool}", _xprof(tool, files.capture), Goal(0.8, 20, None, 350e6),
        )  # fmt: skip
    trace_viewer = _xprof("trace_viewer", files.capture)
    yield Row(
        "chrome", f"Chrome JSON of {given}",
        _tfprof("timeline", files.capture, "-o", "{out}.trace.json"),
        "XProf, trace_viewer", trace_viewer, Goal(3.0),
    )  # fmt: skip
    yield Row(
        "page-capture", f"`report` of {given}",
        _tfprof("report", files.capture, "-o", "{out}.html"), "XProf, trace_viewer", trace_viewer,
    )  # fmt: skip
    yield Row(
        "hosts", f"`summary` of 8 hosts, each {given}", _tfprof("summary", files.session),
        "XProf, overview_page", _xprof("overview_page", files.session),
        Goal(ratio=8, less=5), together=True,
    )  # fmt: skip


def _models(files: Files) -> Iterator[Row]:
    sizes = files.sizes
    million = _graph(files, sizes.million)
    yield Row(
        "million", f"`summary` of {sizes.million:,} nodes", _tfprof("summary", million),
        f"{ENGINE}, showing nothing", _other("engine_graph", million),
        Goal(4.0, None, None, 1.2e9),
    )  # fmt: skip
    for nodes, seconds in ((sizes.some, 1.0), (sizes.more, 4.0)):
        graph = _graph(files, nodes)
        yield Row(
            f"memory-{nodes}", f"`memory` of {nodes:,} nodes",
            _tfprof("memory", graph, "--batch", "8"),
            "Grappler's estimate", _other("grappler", graph), Goal(seconds),
        )  # fmt: skip


def _stored(files: Files) -> Iterator[Row]:
    sizes = files.sizes
    size = f"{sizes.tensors * sizes.elements * 4 / 1e6:.0f} MB"
    for key, work, what, prefix in (
        ("list", f"list {sizes.names:,} tensors", "listed", files.many),
        ("one", f"read one tensor out of {size}", "one", files.large),
        ("all", f"read {size}, verified", "whole", files.large),
    ):
        ours, theirs = (_other("checkpoint", f"{who}_{what}", prefix) for who in ("our", "their"))
        name = f"checkpoint-{key}"
        yield Row(name, f"checkpoint: {work}", ours, READER, theirs, Goal(ratio=1), inside=True)


# --- programs -------------------------------------------------------------------------------------

Word = str | Path | Callable[[], Path]  # `{out}` in it is a file in the folder of this run


def _tfprof(*words: Word) -> Program:
    return lambda folder: [sys.executable, "-m", "tfprof", *_filled(words, folder)]


def _other(what: str, *words: Word) -> Program:
    script = str(HERE / "_bench_programs.py")
    return lambda folder: [sys.executable, script, what, *_filled(words, folder)]


def _xprof(tool: str, capture: Callable[[], Path]) -> Program:
    """It leaves caches beside its input: it gets links to it in a folder that is empty."""

    def program(folder: Path) -> list[str]:
        source = capture().resolve()
        files = sorted(source.iterdir()) if source.is_dir() else [source]
        return _other("xprof", tool, *(_linked(file, folder) for file in files))(folder)

    return program


def _linked(source: Path, folder: Path) -> Path:
    link = folder / source.name
    try:
        os.link(source, link)
    except OSError:  # on another disk
        link.write_bytes(source.read_bytes())
    return link


def _graph(files: Files, nodes: int) -> Callable[[], Path]:
    return lambda: files.graph(nodes)


def _filled(words: tuple[Word, ...], folder: Path) -> list[str]:
    """Files are made when they are asked for."""
    given = (word() if callable(word) else word for word in words)
    return [str(word).replace("{out}", str(folder / "out")) for word in given]
