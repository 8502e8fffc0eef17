"""From a profile to its result: count, write to the output, return."""

from __future__ import annotations

import sys
from pathlib import Path

from tfprof.commands.view_files import pprof_file, timeline_files
from tfprof.commands.writing import target_of, write_file
from tfprof.compat.options import ReportOutput
from tfprof.compat.report import body, framed
from tfprof.compat.results import (
    GraphNodeProto,
    MultiGraphNodeProto,
    ViewRow,
    code_result,
    op_result,
    tree_result,
)
from tfprof.errors import InputMissing, UsageError
from tfprof.model.options import Options
from tfprof.model.profile import ProfileData
from tfprof.printable import printable
from tfprof.renderers.text.cost_views import op_text, tree_text
from tfprof.reports.trees import Prepared, Query, shape_of
from tfprof.reports.trees.original import NO_FLOPS, Details, misses_stream
from tfprof.results.trees import ROOT_NAME
from tfprof.views.trees import CostTreeView, OpCostView

Result = GraphNodeProto | MultiGraphNodeProto
View = CostTreeView | OpCostView
COMMANDS = ("scope", "graph", "op", "code")


def show(data: ProfileData, command: str, options: Options, output: ReportOutput) -> Result:
    prepared = Prepared(data)
    if not _has_what_it_needs(data, command, options):
        _write_output(output, command, prepared, options, None)
        return GraphNodeProto() if command in ("scope", "graph") else MultiGraphNodeProto()
    _warn(data, options)
    view, result = _answered(prepared, command, options)
    try:
        _write_output(output, command, prepared, options, view)
    except (InputMissing, UsageError) as fault:
        if not options.compat:
            raise
        sys.stderr.write(f"{fault}\n")  # the original talks, writes nothing and returns a bare root
        return type(result)(ViewRow(ROOT_NAME))
    if options.compat and command == "graph" and output.kind == "timeline":
        return type(result)()  # the original's timeline leaves nothing to return
    return result


def _warn(data: ProfileData, options: Options) -> None:
    """What is missing goes to stderr, if it was asked for."""
    asked = "float_ops" in (*options.select, options.order_by) or options.min_float_ops > 0
    for warning in data.warnings:
        if asked or NO_FLOPS not in warning:
            sys.stderr.write(f"{printable(warning)}\n")


def _answered(prepared: Prepared, command: str, options: Options) -> tuple[View, Result]:
    details = Details(prepared, command, options)
    if command == "op":
        ops = prepared.ops(options)
        return shape_of(ops), op_result(ops, details)
    tree = prepared.tree(command, options)
    made = code_result if command == "code" else tree_result
    return shape_of(tree), made(tree, details)


def _has_what_it_needs(data: ProfileData, command: str, options: Options) -> bool:
    """The step and the code lines asked for; the original talks and returns nothing instead."""
    steps = sorted(set(data.trace.steps)) if data.trace is not None else []
    if options.step >= 0 and options.step not in steps:
        listed = " ".join(str(step) for step in steps)
        if not options.compat:
            raise UsageError(f"no step {options.step}", hint=f"There is: {listed or 'none'}.")
        sys.stderr.write(f"Options -step={options.step} not found.\nAvailable steps: {listed} \n")
        return False
    if command == "code" and (data.oplog is None or not data.oplog.has_code):
        if not options.compat:
            raise UsageError(
                "no code lines for the code view",
                hint="They come with a live tf.Graph or with an op log of write_op_log().",
            )
        sys.stderr.write("No code trace information\n")
        return False
    return True


def _write_output(
    output: ReportOutput, command: str, prepared: Prepared, options: Options, view: View | None
) -> None:
    """Where a report goes; each file is written whole or not at all."""
    if output.kind == "stdout":
        sys.stdout.write(framed(options, output, _body(command, prepared.data, options, view)))
        sys.stdout.flush()
    elif output.kind != "none":
        path, query = target_of(output.outfile), Query(command, options)
        files: dict[Path, str | bytes] = {}
        if output.kind == "file":
            files[path] = _body(command, prepared.data, options, view)
        elif output.kind == "timeline":
            files |= timeline_files(prepared, query, path)
        else:
            files[path] = pprof_file(prepared, query)
        for name, content in files.items():
            write_file(name, content, force=True, inputs=prepared.data.files_read)


def _body(command: str, data: ProfileData, options: Options, view: View | None) -> str:
    """Made only where it is written: indented, a deep tree is a long text."""
    if view is None:
        return ""
    text = op_text(view) if isinstance(view, OpCostView) else tree_text(view)
    return body(command, options, text, misses_stream=misses_stream(data.trace))
