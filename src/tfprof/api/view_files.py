"""What `-output timeline` and `-output pprof` write: the original's two files for other viewers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tfprof.analyses.accounting.code import GRADIENT, CodeTree, code_tree
from tfprof.analyses.accounting.graph_timeline import graph_timeline
from tfprof.analyses.accounting.nodes import Nodes
from tfprof.analyses.accounting.tree import COLUMN_OF, Shown, code_filter, display
from tfprof.answers.cost_views import prepared
from tfprof.answers.views_data import cost_view
from tfprof.errors import InputMissing, UsageError
from tfprof.model.options import Options
from tfprof.model.profile import ProfileData
from tfprof.renderers import original_timeline, pprof
from tfprof.views.costs import CostTreeView


def timeline_files(
    command: str, data: ProfileData, options: Options, outfile: Path
) -> dict[Path, str]:
    """By scope or code a flame graph of totals; of the graph, the executions of every step."""
    view = cost_view(command, data, options)
    if not isinstance(view, CostTreeView):
        raise UsageError("the op view has no timeline", hint="Use scope, graph or code.")
    if command != "graph":
        name = outfile.with_name(f"{outfile.name}_{options.step}") if options.compat else outfile
        return {name: original_timeline.scope_timeline(view)}
    if data.trace is None:
        raise InputMissing("no run: a timeline of the graph needs run metadata")
    steps = [options.step] if options.step >= 0 else sorted(data.trace.steps)
    numbered = options.compat or len(steps) > 1
    nodes = prepared(data, options)
    shown = view.rows.names
    return {
        outfile.with_name(f"{outfile.name}_{step}") if numbered else outfile: (
            original_timeline.graph_timeline(*graph_timeline(data, nodes, shown, step))
        )
        for step in steps
    }


def pprof_file(command: str, data: ProfileData, options: Options) -> bytes:
    """The code view of one metric."""
    if command != "code":
        raise UsageError("only the code view can be written for pprof", hint="tfprof code ...")
    if len(options.select) != 1 or options.select[0] not in pprof.METRICS:
        metrics = ", ".join(pprof.METRICS)
        raise UsageError("pprof takes one metric", hint=f"-select one of {metrics}.")
    if data.oplog is None or not data.oplog.has_code:
        raise InputMissing("no code lines: the code view needs an op log that has them")
    nodes = prepared(data, options)
    code = code_tree(nodes, data.oplog, options)
    metric = options.select[0]
    return pprof.profile(_samples(code, nodes, options, COLUMN_OF[metric]), metric)


def _samples(
    code: CodeTree, nodes: Nodes, options: Options, column: int
) -> Iterator[pprof.PprofSample]:
    """Every node that counts, under the displayed frames of the code that made it."""
    tree = code.tree
    passes = code_filter(tree, options)
    shown = display(tree, options, passes, skips_closed=True, nodes_in=code.nodes_in)
    inner = {0, *shown.parent.tolist()}
    order = tree.walk.order
    for position, at in enumerate(shown.at.tolist()):
        first = int(tree.walk.position[at])
        # what is not displayed counts for the displayed frame above it
        size = 1 if position in inner else int(tree.walk.size[at])
        frames = _frames(code, shown, position)
        for row in order[first : first + size].tolist():
            for node in dict.fromkeys(code.made[row].tolist()):
                value = int(nodes.costs[node, column])
                yield pprof.PprofSample(value, nodes.names[node], frames)


def _frames(code: CodeTree, shown: Shown, position: int) -> list[pprof.PprofFrame]:
    """The displayed frames above, outermost first."""
    found = []
    while position > 0:
        at = int(shown.at[position])
        frame = code.frames[at]
        if frame is not None:
            mark = GRADIENT if code.tree.labels[at].endswith(GRADIENT) else ""
            name = frame.function + mark
            found.append(pprof.PprofFrame(frame.file, frame.line, name, frame.function_line))
        position = int(shown.parent[position])
    return found[::-1]
