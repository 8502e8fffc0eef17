"""`tfprof report PATH... -o report.html`: all of it as one page that opens anywhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.command import Command, Drawing, Files, HelpGroup
from tfprof.commands.options.amounts import bytes_of
from tfprof.commands.options.inputs import INPUTS, request_of
from tfprof.commands.options.option import Option, OptionSection, Takes, Values
from tfprof.commands.options.repeats import loaded, name_of
from tfprof.commands.options.sizes import DIMENSIONS, question_of
from tfprof.commands.writing import check_free
from tfprof.errors import UsageError

if TYPE_CHECKING:
    from tfprof.model.profile import ProfileData
    from tfprof.reports.page import Progress, Query
    from tfprof.results.answered import Answered
    from tfprof.sources.find.load import ProgressOf

SUFFIX = ".html"
DEFAULT_TARGET = "report.html"
_HINT = "tfprof report PATH -o report.html"
_REPORT = OptionSection(
    "report (-o FILE.html; without it, report.html in this folder)",
    (
        Option("--open", "show it in the browser", Takes.FLAG),
        Option("--max-size", "what the file may take (default: 20MB); what has no room is thinned "
               "out or left out, and the page says so", metavar="20MB"),
        Option("--against", "compare with this: a file, a folder, or what else `tfprof diff` takes "
               "as a side", Takes.MANY, "SIDE"),
        Option("--confidential", "without paths, names of hosts, arguments and source lines",
               Takes.FLAG),
    ),
)  # fmt: skip

_MODEL = OptionSection(
    "model",
    (
        Option("--metric", "what boxes are coloured by (default: time of a run, else FLOPs)",
               choices=("time", "flops", "params", "bytes", "peak", "written")),
    ),
)  # fmt: skip


def _answer(values: Values, progress: ProgressOf | None) -> Files:
    from tfprof.renderers.page.html import template
    from tfprof.reports.page import MAX_BYTES, Query
    from tfprof.sources.find.load import read_one

    target = Path(values.text("output_file") or DEFAULT_TARGET)
    size = values.text("max_size")
    max_bytes = MAX_BYTES if size is None else bytes_of(size)
    question, force = question_of(values), values.flag("force")
    template()  # before anything is read that takes long
    data = read_one(request_of(values, "report"), progress)
    check_free(target, force=force, inputs=data.files_read)
    others = [(name_of(side), loaded(side, progress)) for side in values.texts("against")]
    query = Query(question, others, max_bytes)
    made = page_of(data, query, target, progress, confidential=values.flag("confidential"))
    return Files(
        made.contents,
        force,
        made.then,
        made.warnings,
        made.inputs,
        made.told,
        (lambda: _show(target)) if values.flag("open") else None,
    )


def page_of(
    data: ProfileData,
    query: Query,
    target: Path,
    progress: ProgressOf | None = None,
    *,
    confidential: bool = False,
) -> Files:
    """The page as a file that is not written yet."""
    from tfprof.model import units
    from tfprof.renderers.page.html import page_file
    from tfprof.reports.page import ask, written

    if target.suffix.lower() != SUFFIX:
        raise UsageError(f"{str(target)!r} does not end with {SUFFIX}", hint=_HINT)
    inputs = [data, *(one for _, runs in query.others for one in runs)]
    read = tuple(path for one in inputs for path in one.files_read)
    with ExitStack() as copies:
        if confidential:
            data, query = _neutral(data, query, copies)
        page = ask(data, query, _told_to(progress))
        file = page_file(page.data, query.max_bytes)
    size = sum(map(len, file.chunks))
    return Files(
        {target: file.chunks},
        replace=False,
        then=f" ({units.size(size)}); open it in any browser",
        warnings=(*page.data.notes, *(f"no {one.kind}: {one.why}" for one in file.left_out)),
        inputs=read,
        told=lambda: written(page, str(target), size, file.sizes, file.left_out),
    )


def _neutral(data: ProfileData, query: Query, copies: ExitStack) -> tuple[ProfileData, Query]:
    """Of all sides: what `save --confidential` would keep of them."""
    from dataclasses import replace

    from tfprof import __version__
    from tfprof.sources.find.confidential_copy import without_confidential

    def copy(one: ProfileData) -> ProfileData:
        return copies.enter_context(without_confidential(one, __version__))

    def side(at: int, runs: Sequence[ProfileData]) -> tuple[str, list[ProfileData]]:
        """A side is called by its path otherwise."""
        return f"side {at}", [copy(one) for one in runs]

    others = [side(at, runs) for at, (_, runs) in enumerate(query.others, 2)]
    return copy(data), replace(query, others=others)


def _told_to(progress: ProgressOf | None) -> Progress | None:
    """What is told about files is told about sections."""
    if progress is None:
        return None
    bars: list[Callable[[int], None]] = []

    def told(_kind: str, at: int, count: int) -> None:
        if not bars:
            bars.append(progress(Path("sections of the page"), count))
        bars[0](at)

    return told


def _show(target: Path) -> None:
    """Where a machine runs it nobody looks, and a browser would wait for somebody."""
    import os
    import webbrowser

    if not os.environ.get("CI"):
        webbrowser.open(target.resolve().as_uri())


def _model(values: Values, progress: ProgressOf | None) -> Answered[object]:
    from tfprof.reports.model import Query, ask
    from tfprof.sources.find.load import read_one

    data = read_one(request_of(values, "draw model"), progress)
    return ask(data, Query(question_of(values), values.text("metric")))


COMMAND = Command(
    "report",
    HelpGroup.MORE,
    "all of it on one page: an HTML file that opens anywhere",
    "tfprof report examples/slow_input -o report.html",
    "anything",
    (*INPUTS, _REPORT, *DIMENSIONS),
    "page",
    _answer,
    Drawing(
        "the model as a graph of its scopes, coloured by what they cost",
        (*INPUTS, _MODEL, *DIMENSIONS),
        _model,
        "model",
    ),
    suffixes=(SUFFIX,),
)
