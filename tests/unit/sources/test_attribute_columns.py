"""An attribute of some nodes, as a column of all has it, whatever kind of file holds them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tfprof.sources.find.load import Request, choose, read

DATA = Path(__file__).parents[2] / "data"
GRAPHS = ["keras_mlp_fwd.graph.pb", "keras_lstm_fwd.graph.pbtxt"]


@pytest.mark.parametrize("name", GRAPHS)
def test_some_nodes(name):
    graph = read(choose(Request([DATA / name])).selections[0]).graph
    bodies = [function.body for function in graph.functions.values()]
    for one in (graph, *bodies):
        rows = np.arange(0, len(one), 2)
        for key in ("dtype", "shape", "T", "value", "_output_shapes"):
            every = one.attributes.column(key)
            some = one.attributes.column(key, rows)
            assert some == {row: every[row] for row in rows.tolist() if row in every}
            single = {row: one.attributes.of(row).get(key) for row in rows.tolist()}
            assert some == {row: value for row, value in single.items() if value is not None}
