"""What is not there, what it would add, and the command that uses it."""

from __future__ import annotations

from collections.abc import Iterator

from tfprof.analyses.graph.roles import Role
from tfprof.model.keras_model import NO_WEIGHTS
from tfprof.reports.shared.digest import Digest
from tfprof.reports.shared.run_in_time import log_of, why_no_profile
from tfprof.reports.shared.words import shell_path
from tfprof.results.missing import MissingInput

_GRAPH = "The graph (graph.pb, graph.pbtxt, .meta)"


def missing_inputs(known: Digest) -> Iterator[MissingInput]:
    data = known.data
    used = [shell_path(i.path) for i in data.inputs if i.used and not i.why]
    folder = [shell_path(data.title)] if data.record is not None or not used else []
    here = " ".join(folder or used)
    if data.keras is not None:
        if data.keras.weights_missing not in ("", NO_WEIGHTS):
            install = "pip install 'tfprof[keras]'"
            yield MissingInput(
                "h5py", "the weights as they are stored, and the optimizer's", install
            )
        return
    if data.graph is None and data.checkpoint is not None:
        adds = "what is trained, and what a restore would do"
        yield MissingInput(_GRAPH, adds, f"tfprof doctor GRAPH {here}")
        return
    if data.graph is None:
        yield MissingInput(_GRAPH, "parameters, inputs and op types", f"tfprof GRAPH {here}")
    elif any(v.elements is None for v in known.parameters.variables):
        yield MissingInput(
            "A variable table (--vars FILE)",
            "the shapes of the variables this function captured",
            f"tfprof {here} --vars VARS.json",
        )
    elif known.parameters.by_role[Role.TRAINABLE].value is None and not known.parameters.frozen:
        yield MissingInput(
            "A .meta, SavedModel, op log or training graph",
            "which parameters are trained",
            f"tfprof {here} OP_LOG",
        )
    log = log_of(data)
    if known.run is None and data.record is not None:
        yield MissingInput(
            "A capture, of which none was taken",
            "time, steps and input",
            f"tfprof run --steps A..B {data.record.program.name or 'SCRIPT'}",
        )
    elif known.run is None and log is not None:
        yield MissingInput(
            "A profile, of which none was written",
            f"time, steps and input. {why_no_profile(log)}",
            f"tfprof doctor {shell_path(data.title)}",
        )
    elif known.run is None:
        yield MissingInput(
            "Run metadata (a traced session run)",
            "op time, requested memory and devices",
            f"tfprof {here} RUN_META",
        )
