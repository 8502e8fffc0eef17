"""Shapes of graphs: agreement with what TensorFlow wrote into them, and time next to its import.

    python benchmarks/shapes.py [--quick] [GRAPH.pb[,VARS.json] ...]

Without graphs, three are traced with Keras: about 1,000, 15,000 and 50,000 nodes. Each time is from
a process of its own, the median of three. Ours knows no TensorFlow; TensorFlow's is
`tf.graph_util.import_graph_def`, which runs its own shape inference.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

REPEATS = 3
# model, training or not
TRACED = (("MobileNetV3Small", False), ("ResNet50", True), ("NASNetMobile", True))
# what was promised: from this many nodes down, seconds of inference
PROMISED = ((1_100, 0.2), (16_000, 1.0), (51_000, 4.0))

Result = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one small graph, to try it out")
    parser.add_argument("graphs", nargs="*", metavar="GRAPH.pb[,VARS.json]")
    given = parser.parse_args()
    print("| graph | nodes | tensors | differ | open here | only known here ", end="")
    print("| load | shapes | promised | TensorFlow's import |")
    print("|---|---|---|---|---|---|---|---|---|---|")
    for argument in given.graphs:
        path, _, table = argument.partition(",")
        compare(Path(path), table)
    if not given.graphs:
        with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as folder:
            for name, trains in TRACED[:1] if given.quick else TRACED:
                path = Path(folder) / f"{name}_{'train' if trains else 'fwd'}.graph.pb"
                table = path.with_suffix(".json")
                if apart("traced", name, trains, path, table) is not None:
                    compare(path, str(table))


def compare(path: Path, table: str) -> None:
    here = apart("ours", path, table)
    there = apart("imported", path)
    if here is None:
        return
    limit = next((limit for nodes, limit in PROMISED if here["nodes"] <= nodes), None)
    kept = "" if limit is None else f"{limit} s: {'kept' if here['shapes'] < limit else 'MISSED'}"
    import_time = "" if there is None else f"{there['import']:.2f} s"
    print(
        f"| {path.name.removesuffix('.graph.pb')} | {here['nodes']:,} | {here['tensors']:,} "
        f"| {here['differ']} | {here['open']} | {here['more']} | {here['load']:.2f} s "
        f"| {here['shapes']:.2f} s | {kept} | {import_time} |",
        flush=True,
    )


def apart(what: str, *arguments: object) -> Result | None:
    """The result of one of the measurements below; None, with the reason, where it fails."""
    command = [sys.executable, __file__, "--in-a-process-of-its-own", what, *map(str, arguments)]
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    if done.returncode:
        print(f"   ({what} failed: {(done.stderr.strip().splitlines() or ['no reason'])[-1]})")
        return None
    found: Result = json.loads(done.stdout.splitlines()[-1])
    return found


def ours(path: str, table: str) -> Result:
    from tfprof.analyses.inference.engine import infer
    from tfprof.ops.rule import rules
    from tfprof.sources.files.registry import formats
    from tfprof.sources.find.load import Request, read_one
    from tfprof.wire.schema import message_class

    # imports are not what is measured
    formats()
    rules()
    message_class("GraphDef")
    loads, shapes = [], []
    for _ in range(REPEATS):
        start = time.perf_counter()
        data = read_one(Request([Path(path)], {"vars": [Path(table)]} if table else {}))
        loaded = time.perf_counter()
        inferred = infer(data)
        shapes.append(time.perf_counter() - loaded)
        loads.append(loaded - start)
    assert "tensorflow" not in sys.modules
    agreement = agreement_of(inferred.sites)
    return {"nodes": len(data.graph), "load": median(loads), "shapes": median(shapes), **agreement}


def agreement_of(sites: list) -> Result:
    from tfprof.model.graph import as_shape

    found = {"tensors": 0, "differ": 0, "open": 0, "more": 0}
    for site in sites:
        stated = site.call.attributes.get("_output_shapes")
        for port, proto in enumerate(stated.list.shape if stated is not None else ()):
            theirs, here = as_shape(proto), site.call.output(port)
            found["tensors"] += 1
            found["open"] += here is None or None in here
            found["more"] += theirs is None and here is not None
            found["differ"] += theirs is not None and here is not None and not agree(here, theirs)
    return found


def agree(ours: tuple, theirs: tuple) -> bool:
    """An open dimension agrees with any size that TensorFlow left open, too."""
    if len(ours) != len(theirs):
        return False
    return all(b is None or a == b for a, b in zip(ours, theirs, strict=True))


def imported(path: str) -> Result:
    import tensorflow as tf

    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        definition = tf.compat.v1.GraphDef.FromString(Path(path).read_bytes())
        with tf.Graph().as_default():
            tf.graph_util.import_graph_def(definition, name="")
        times.append(time.perf_counter() - start)
    return {"import": median(times)}


def traced(name: str, trains: str, path: str, table: str) -> Result:
    """A model of keras.applications with an open batch, as a file and its table of variables."""
    import keras
    import tensorflow as tf

    from tfprof.live.objects import live_graph

    model = getattr(keras.applications, name)(weights=None)
    optimizer = keras.optimizers.Adam()
    optimizer.build(model.trainable_variables)

    @tf.function
    def predict(images):
        return model(images, training=False)

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            made = model(images, training=True)
            loss = tf.reduce_mean(keras.losses.sparse_categorical_crossentropy(labels, made))
        optimizer.apply(tape.gradient(loss, model.trainable_variables), model.trainable_variables)
        return loss

    images, labels = tf.TensorSpec(model.inputs[0].shape), tf.TensorSpec((None,), tf.int32)
    if trains == "True":
        function = train_step.get_concrete_function(images, labels)
    else:
        function = predict.get_concrete_function(images)
    live = live_graph(function)
    Path(path).write_bytes(live.data)
    variables = {
        holder: [held.shape, tf.dtypes.as_dtype(held.dtype).name]
        for holder, held in live.variables.items()
    }
    Path(table).write_text(json.dumps(variables), encoding="utf-8")
    return {"nodes": len(function.graph.get_operations())}


if __name__ == "__main__":
    if sys.argv[1:2] == ["--in-a-process-of-its-own"]:
        measurements = {"ours": ours, "imported": imported, "traced": traced}
        print(json.dumps(measurements[sys.argv[2]](*sys.argv[3:])))
    else:
        main()
