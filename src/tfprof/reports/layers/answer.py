"""Layers of whatever was loaded. Only what the input needs is imported: of a run that is little."""

from __future__ import annotations

from tfprof.errors import InputMissing, UsageError
from tfprof.model.profile import ProfileData
from tfprof.reports.layers.query import Query
from tfprof.reports.layers.recorded_names import named_as_recorded
from tfprof.results.answered import Answered
from tfprof.results.layers import LayersResult


def ask(data: ProfileData, query: Query) -> Answered[LayersResult]:
    """Of a graph, a run or both; a Keras file has its layers in its configuration."""
    if data.graph is None and data.keras is not None:
        if query.wants_time or query.by != "layer":
            raise UsageError(
                "a Keras file has layers, not ops: --device, --calibrate and --by need a graph",
                hint="Export the model, or hand it to tfprof in Python, which traces it.",
            )
        from tfprof.reports.layers.of_keras import of_keras

        return of_keras(data, data.keras, query.question)
    if query.by == "kernel" and query.wants_time:
        raise UsageError(
            "a time that is estimated does not go with --by kernel",
            hint="Leave out --device, --calibrate or --by kernel.",
        )
    if data.graph is None and not data.hosts:
        raise InputMissing(
            "no graph and no run: layers are found in a graph, a .keras file or a trace",
            hint="`tfprof doctor PATH` lists what is there.",
        )
    if query.by == "kernel":
        from tfprof.reports.layers.of_run import of_kernels

        return of_kernels(data, query)
    if data.graph is None:
        from tfprof.reports.layers.of_run import of_run

        return named_as_recorded(data, of_run(data, query))
    from tfprof.reports.layers.of_graph import of_graph

    return named_as_recorded(data, of_graph(data, data.graph, query))
