"""What is not there, what it would add, and the command that uses it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tfprof.analyses.roles import Role
from tfprof.answers.common import shell_path
from tfprof.answers.digest import Digest


@dataclass(frozen=True, slots=True)
class Missing:
    what: str
    adds: str
    command: str


def missing_inputs(known: Digest) -> Iterator[Missing]:
    data = known.data
    here = " ".join(shell_path(i.path) for i in data.inputs if i.used and not i.why)
    if data.keras is not None:
        if data.keras.weights_missing:
            install = "pip install 'tfprof[keras]'"
            yield Missing("h5py", "the parameters of each layer", install)
        return
    if data.graph is None and data.checkpoint is not None:
        yield Missing(
            "The graph (graph.pb, graph.pbtxt, .meta)",
            "what is trained, and what a restore would do",
            f"tfprof doctor GRAPH {here}",
        )
        return
    if data.graph is None:
        yield Missing(
            "The graph (graph.pb, graph.pbtxt, .meta)",
            "parameters, inputs and op types",
            f"tfprof GRAPH {here}",
        )
    elif any(v.elements is None for v in known.parameters.variables):
        yield Missing(
            "A variable table (--vars FILE)",
            "the shapes of the variables this function captured",
            f"tfprof {here} --vars VARS.json",
        )
    elif known.parameters.by_role[Role.TRAINABLE].value is None and not known.parameters.frozen:
        yield Missing(
            "A .meta, SavedModel, op log or training graph",
            "which parameters are trained",
            f"tfprof {here} OP_LOG",
        )
    if known.run is None:
        yield Missing(
            "Run metadata (a traced session run)",
            "op time, requested memory and devices",
            f"tfprof {here} RUN_META",
        )
