"""What steps of `_wild_models.py` and of the two lists beside it hold, in a process of its own.

`_wild_runs.py measure NAME FOLDER RUNS BATCH...` writes the graph and the table of its variables
into the folder, and prints one line of JSON: what `expected.json` says of the model.
`_wild_runs.py again NAME FOLDER SESSIONS BATCH...` runs what is in the folder in several sessions.
`_wild_runs.py fits NAME FOLDER RUNS BUDGET MOST SAFE` prints the largest batch, at most MOST, whose
steps stay within so many bytes, and what steps of batch SAFE take.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from math import prod
from pathlib import Path
from typing import Any

Result = dict[str, Any]
# steps of a session that is run once more, and seconds for all sessions of a batch
STEPS, LONG_ENOUGH = 8, 10.0


def in_process_of_its_own(what: str, *arguments: object) -> Result:
    """What a command of this file says; {"failed": reason} where it does not."""
    command = [sys.executable, __file__, what, *map(str, arguments)]
    # before TensorFlow is loaded, by whatever import: what oneDNN allocates is its own affair
    plain = {
        "TF_CPP_MIN_LOG_LEVEL": "3",
        "CUDA_VISIBLE_DEVICES": "-1",
        "TF_ENABLE_ONEDNN_OPTS": "0",
    }
    environment = {**os.environ, **plain}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]}
    found: Result = json.loads(done.stdout.splitlines()[-1])
    return found


def measure(name: str, folder: Path, runs: int, *batches: int) -> Result:
    """Writes the files of a model; gives what `expected.json` says of it."""
    from _memory_models import as_written

    model = model_of(name)
    facts = written(model, folder / f"{name}.graph.pb", folder / f"{name}_vars.json")
    if has_conv3d(folder / f"{name}.graph.pb"):
        facts["last_cache"] = last_cache()
    steps = Steps(name, folder, facts["fetches"])
    points: dict[str, Result] = {}
    for batch in batches:
        shapes = shapes_of(model, batch)
        given = values_of(model, shapes)
        noopt, default = steps.peaks(given, runs, as_written()), steps.peaks(given, runs)
        points[str(batch)] = {"noopt": noopt, "default": default}
        if any(one.each != 1 for one in model.inputs.values()):
            points[str(batch)]["feeds"] = shapes
    return {**facts, "variable_bytes": variable_bytes(steps.graph), "dims": None, "points": points}


def again(name: str, folder: Path, sessions: int, *batches: int) -> Result:
    """What steps held in several sessions: what an executor has learned is lost with its own."""
    from _memory_models import as_written

    facts = json.loads((folder / "expected.json").read_text(encoding="utf-8"))[name]
    steps = Steps(name, folder, facts["fetches"])
    found: Result = {}
    for batch in batches:
        given, held = values_of(steps.model, shapes_of(steps.model, batch)), []
        until = time.monotonic() + LONG_ENOUGH
        for _ in range(sessions):
            if time.monotonic() < until:
                held += steps.peaks(given, STEPS, as_written(), until)["held"]
        found[str(batch)] = {"held": held}
    return found


def fits(name: str, folder: Path, runs: int, budget: int, most: int, safe: int) -> Result:
    """The largest batch whose steps, with variables and inputs, take `budget` bytes at most.

    Found by halves: what a step takes grows with the batch, but for jumps that are small. Beside
    it what the batch takes that is said to be safe.
    """
    from _memory_models import as_written

    facts = json.loads((folder / "expected.json").read_text(encoding="utf-8"))[name]
    steps = Steps(name, folder, facts["fetches"])

    def taken(batch: int) -> int:
        given = values_of(steps.model, shapes_of(steps.model, batch))
        inputs = sum(value.nbytes for value in given.values())
        held = max(steps.peaks(given, runs, as_written())["held"])
        return held + inputs + variable_bytes(steps.graph)

    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if taken(middle) <= budget else (low, middle)
    return {"batch": low, "taken": taken(safe) if safe else variable_bytes(steps.graph)}


def model_of(name: str) -> Any:
    import _blind_models
    import _fresh_models
    import _unseen_models
    import _wild_models

    lists = (_wild_models, _blind_models, _unseen_models, _fresh_models)
    return next(one.MODELS[name] for one in lists if name in one.MODELS)


# --- the files


def written(model: Any, path: Path, table: Path) -> Result:
    """Writes a step and its variables; gives how large it is, and what is run."""
    import tensorflow as tf

    if model.is_tf1:
        with tf.Graph().as_default() as graph:
            fetches = list(model.build())
            trained = tf.compat.v1.trainable_variables()
        captured: Result = {}
    else:
        step = tf.function(model.build(), autograph=False)
        graph = step.get_concrete_function(**signature(model)).graph
        # what is exported does not say which of its ops a call has to run; reads run for others
        changes = [op for op in graph.control_outputs if op.type != "ReadVariableOp"]
        fetches = [one.name for one in (*graph.outputs, *changes)]
        trained = [one for one in graph.variables if one.trainable]
        captured = captures_of(graph)
    definition = graph.as_graph_def(add_shapes=True)
    path.write_bytes(definition.SerializeToString(deterministic=True))
    table.write_text(json.dumps(captured), encoding="utf-8")
    return {
        "params": sum(int(prod(one.shape)) for one in trained),
        "forward_macs_per_sample": None,
        "nodes": len(definition.node),
        "fetches": fetches,
    }


def signature(model: Any) -> Result:
    import tensorflow as tf

    return {
        name: tf.TensorSpec([None, *one.shape], tf.float32 if one.below is None else tf.int32)
        for name, one in model.inputs.items()
    }


def captures_of(graph: Any) -> Result:
    """Shape, type and whether it is trained, by the input that stands for the variable."""
    import tensorflow as tf

    trained = {id(one.handle) for one in graph.variables if one.trainable}
    found = {}
    for outside, inside in graph.captures:
        # a variable that is only updated is known by no more than its handle
        (about,) = outside._handle_data.shape_and_type
        shape, dtype = tf.TensorShape(about.shape), tf.as_dtype(about.dtype)
        found[inside.op.name] = [shape.as_list(), dtype.name, id(outside) in trained]
    return found


def has_conv3d(path: Path) -> bool:
    """Whether the last cache of the machine has a say in what a step holds."""
    import tensorflow as tf

    definition = tf.compat.v1.GraphDef.FromString(path.read_bytes())
    called = (node for function in definition.library.function for node in function.node_def)
    return any(node.op.startswith("Conv3D") for node in (*definition.node, *called))


def last_cache() -> int:
    asked = ["getconf", "LEVEL3_CACHE_SIZE"]
    return int(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)


def imported(folder: Path, name: str) -> tuple[Any, list[Any]]:
    """The graph of the file with its variables in place, and what gives them a value.

    Sizes that are open stay open: known ones would let Grappler do more than it does for users.
    """
    import tensorflow as tf
    from _memory_models import initializers

    path = folder / f"{name}.graph.pb"
    packed = path.with_name(f"{path.name}.gz")
    content = path.read_bytes() if path.exists() else gzip.decompress(packed.read_bytes())
    definition = tf.compat.v1.GraphDef.FromString(content)
    table = json.loads((folder / f"{name}_vars.json").read_text(encoding="utf-8"))
    with tf.Graph().as_default() as graph:
        handles = {
            key: tf.raw_ops.VarHandleOp(dtype=dtype, shape=shape, shared_name=key)
            for key, (shape, dtype, _) in table.items()
        }
        tf.graph_util.import_graph_def(definition, handles, name="")
        return graph, initializers(graph)


def variable_bytes(graph: Any) -> int:
    import tensorflow as tf

    return sum(
        prod(int(dim.size) for dim in op.get_attr("shape").dim)
        * tf.as_dtype(op.get_attr("dtype")).size
        for op in graph.get_operations()
        if op.type in {"VarHandleOp", "VariableV2"}
    )


# --- the runs


def shapes_of(model: Any, batch: int) -> dict[str, tuple[int, ...]]:
    return {name: (batch * one.each, *one.shape) for name, one in model.inputs.items()}


def values_of(model: Any, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Any]:
    """Ids that differ: how many rows of a table are updated depends on it."""
    import numpy as np

    numbers = np.random.default_rng(0)
    return {
        name: numbers.random(shape, np.float32)
        if (below := model.inputs[name].below) is None
        else numbers.integers(0, below, shape, np.int32)
        for name, shape in shapes.items()
    }


class Steps:
    """Runs of a model's step."""

    def __init__(self, name: str, folder: Path, fetches: list[str]) -> None:
        self.model, self.fetches = model_of(name), fetches
        self.graph, self.start = imported(folder, name)

    def peaks(
        self, given: dict[str, Any], runs: int, config: Any = None, until: float = math.inf
    ) -> Result:
        """The transient peak of each; `held` is without the variables that a step replaced.

        `until` is when no other run is started.
        """
        import tensorflow as tf
        from _memory_models import peak_of, replaced

        v1 = tf.compat.v1
        feeds = {f"{name}:0": value for name, value in given.items()}
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        found: Result = {"peaks": [], "held": []}
        with v1.Session(graph=self.graph, config=config) as session:
            session.run(self.start)
            for _ in range(runs):
                trace = v1.RunMetadata()
                session.run(self.fetches, feeds, options, trace)
                found["peaks"].append(peak_of(trace))
                found["held"].append(peak_of(trace, replaced(trace, self.graph)))
                if time.monotonic() > until:
                    break
        return found


def main() -> None:
    what, name, folder, *numbers = sys.argv[1:]
    command = {"measure": measure, "again": again, "fits": fits}[what]
    print(json.dumps(command(name, Path(folder), *map(int, numbers))))


if __name__ == "__main__":
    main()
