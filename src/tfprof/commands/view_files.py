"""Where `-output` and `-dump_to_file` put a view: the original's files for other viewers."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from tfprof.commands.command import Files
from tfprof.commands.options.option import Values
from tfprof.commands.writing import as_bytes, target_of
from tfprof.errors import UsageError
from tfprof.frozen_dataclass import frozen_dataclass, replace
from tfprof.stopwatch import DRAW, part

if TYPE_CHECKING:
    from tfprof.reports.trees import Prepared, Query

_OUTFILE = "outfile="
_KINDS = ("stdout", "file", "timeline", "pprof", "none")
_VIEWERS = {
    "timeline": "; open it in Chrome (chrome://tracing) or Perfetto",
    "pprof": "; read it with pprof -sample_index=1",
}


@frozen_dataclass
class OutputOption:
    """`-output KIND:outfile=FILE`."""

    kind: str
    target: str = ""

    @property
    def is_answer(self) -> bool:
        """Shown like any other answer."""
        return self.kind == "stdout"


def output_of(values: Values) -> OutputOption:
    """`-dump_to_file FILE` is an old form of it."""
    if (values.text("viz") or "").lower() in ("true", "t", "yes", "y", "1"):
        sys.stderr.write("-viz never drew anything; `tfprof report PATH -o report.html` does\n")
    dump = values.text("dump_to_file")
    if dump:
        return OutputOption("file", dump)
    kind, _, keys = (values.text("output") or "stdout").partition(":")
    if kind not in _KINDS:
        raise UsageError(f"-output does not know {kind!r}", hint=f"One of {', '.join(_KINDS)}.")
    target = keys.removeprefix(_OUTFILE) if keys.startswith(_OUTFILE) else ""
    if kind in ("file", "timeline", "pprof") and not target:
        raise UsageError(f"-output {kind} needs a name", hint=f"-output {kind}:outfile=NAME")
    return OutputOption(kind, target)


def files_of(prepared: Prepared, query: Query, output: OutputOption) -> Files:
    """What is written instead of shown; of `none` only the warnings are left."""
    from tfprof.renderers.text import plain
    from tfprof.reports.trees import view

    path, warnings = target_of(output.target), prepared.data.warnings
    files: Mapping[Path, str | bytes] = {}
    if output.kind == "timeline":
        files = timeline_files(prepared, replace(query, given=None), path)
    elif output.kind == "pprof":
        files = {path: pprof_file(prepared, replace(query, given=None))}
    else:
        answered = prepared.ask(query)
        warnings = answered.notes
        if output.kind == "file":
            with part(DRAW):
                files = {path: plain.render(view(answered))}
    contents = {name: [as_bytes(one)] for name, one in files.items()}
    then, read = _VIEWERS.get(output.kind, ""), prepared.data.files_read
    return Files(contents, replace=True, then=then, warnings=warnings, inputs=read)


def timeline_files(prepared: Prepared, query: Query, outfile: Path) -> dict[Path, str]:
    """By scope or code a flame graph of totals; of the graph, the executions of every step."""
    from tfprof.renderers.trace import original_timeline
    from tfprof.reports.trees import shape_of
    from tfprof.reports.trees.exports import executions
    from tfprof.views.trees import OpCostView

    options = query.settled(prepared.data)
    view = shape_of(prepared.ask(query).data)

    def numbered(step: int) -> Path:
        return outfile.with_name(f"{outfile.name}_{step}")

    if isinstance(view, OpCostView):
        raise UsageError("the op view has no timeline", hint="Use scope, graph or code.")
    if query.view != "graph":
        name = numbered(options.step) if options.compat else outfile
        return {name: original_timeline.scope_timeline(view)}
    found = executions(prepared, options, view.rows.names)
    several = options.compat or len(found) > 1
    return {
        numbered(step) if several else outfile: original_timeline.graph_timeline(timeline)
        for step, timeline in found.items()
    }


def pprof_file(prepared: Prepared, query: Query) -> bytes:
    """The code view of one metric."""
    from tfprof.renderers.trace import pprof
    from tfprof.reports.trees.exports import code_samples

    options = query.settled(prepared.data)
    if query.view != "code":
        raise UsageError("only the code view can be written for pprof", hint="tfprof code ...")
    if len(options.select) != 1 or options.select[0] not in pprof.METRICS:
        metrics = ", ".join(pprof.METRICS)
        raise UsageError("pprof takes one metric", hint=f"-select one of {metrics}.")
    metric = options.select[0]
    return pprof.profile(code_samples(prepared, options, metric), metric)
