"""What `-output timeline` and `-output pprof` tell of a view."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tfprof.analyses.accounting.code import GRADIENT, CodeTree
from tfprof.analyses.accounting.graph_timeline import graph_timeline
from tfprof.analyses.accounting.tree import Shown
from tfprof.errors import InputMissing
from tfprof.model.metrics import COLUMN_OF
from tfprof.model.options import Options
from tfprof.reports.trees.answer import displayed_code
from tfprof.reports.trees.prepared import Prepared
from tfprof.results.tree_exports import GraphTimeline, PprofFrame, PprofSample


def executions(
    prepared: Prepared, options: Options, displayed: Iterable[str]
) -> dict[int, GraphTimeline]:
    """By step, what the displayed nodes of the graph view did."""
    data, nodes = prepared.data, prepared.nodes(options)
    if data.trace is None:
        raise InputMissing("no run: a timeline of the graph needs run metadata")
    steps = [options.step] if options.step >= 0 else sorted(data.trace.steps)
    return {step: graph_timeline(data, nodes, displayed, step) for step in steps}


def code_samples(prepared: Prepared, options: Options, metric: str) -> Iterator[PprofSample]:
    """Every node that counts, under the displayed frames of the code that made it."""
    nodes, column = prepared.nodes(options), COLUMN_OF[metric]
    code, shown = displayed_code(prepared.data, nodes, options)
    walk = code.tree.walk
    inner = {0, *shown.parent.tolist()}
    for position, at in enumerate(shown.at.tolist()):
        first = int(walk.position[at])
        # what is not displayed counts for the displayed frame above it
        size = 1 if position in inner else int(walk.size[at])
        frames = _frames(code, shown, position)
        for row in walk.order[first : first + size].tolist():
            for node in dict.fromkeys(code.made[row].tolist()):
                yield PprofSample(int(nodes.costs[node, column]), nodes.names[node], frames)


def _frames(code: CodeTree, shown: Shown, position: int) -> list[PprofFrame]:
    """The displayed frames above, outermost first."""
    found = []
    while position > 0:
        at = int(shown.at[position])
        frame = code.frames[at]
        if frame is not None:
            mark = GRADIENT if code.tree.labels[at].endswith(GRADIENT) else ""
            name = frame.function + mark
            found.append(PprofFrame(frame.file, frame.line, name, frame.function_line))
        position = int(shown.parent[position])
    return found[::-1]
