"""FLOPs of well-known models next to tfprof's own count: a table for docs/flops.md.

    python benchmarks/flops.py [--quick]

Needs Keras. Each model is traced with an open batch; ours is the formula, tfprof's is what
`tf.compat.v1.profiler` says of the same function at batch None and at batch 1. BERT-base is the
bundled export; its GMACs are of 128 tokens.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import io
import os
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import tensorflow as tf

import tfprof

# GMACs a sample, from the papers' tables and counts by hand
EXPECTED = {
    "VGG16": 15.470, "ResNet50": 3.858, "ResNet50V2": 3.482, "MobileNetV2": 0.3008,
    "InceptionV3": 5.713,
}  # fmt: skip
BERT = Path(__file__).parents[1] / "tests/data/keras_bert_base_fwd.graph.pb.gz"
BERT_EXPECTED = 11.17


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one model, to try the script out")
    quick = parser.parse_args().quick
    names = ["MobileNetV2"] if quick else list(EXPECTED)
    print("| model | tfprof, batch None | tfprof, batch 1 | same count here | GMACs here | known |")
    print("|---|---|---|---|---|---|")
    for name in names:
        model = getattr(keras.applications, name)(weights=None)
        both = [theirs(concrete(model, batch).graph) for batch in (None, 1)]
        row(name, both, model, EXPECTED[name])
    if BERT.exists() and not quick:
        with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as folder:
            path = Path(folder) / "bert.graph.pb"
            path.write_bytes(gzip.decompress(BERT.read_bytes()))
            both = [theirs(imported(path, batch)) for batch in (None, 1)]
            row("BERT-base", both, path, BERT_EXPECTED)


def row(name: str, both: list[int], model: keras.Model | Path, expected: float) -> None:
    macs = tfprof.flops(model) // 2
    per_sample = macs.at({"B": 1}) if hasattr(macs, "at") else macs
    print(
        f"| {name} | {both[0]:,} | {both[1]:,} | {compatible(model):,} "
        f"| {per_sample / 1e9:.4g} | {expected} |",
        flush=True,
    )


def concrete(model: keras.Model, batch: int | None) -> object:
    specs = [tf.TensorSpec((batch, *tensor.shape[1:]), tensor.dtype) for tensor in model.inputs]
    return tf.function(model).get_concrete_function(*specs)


def imported(path: Path, batch: int | None) -> tf.Graph:
    """An exported function with its batch fixed, and variables where it captured some."""
    definition = tf.compat.v1.GraphDef.FromString(path.read_bytes())
    reads = {node.input[0]: node.attr for node in definition.node if node.op == "ReadVariableOp"}
    in_place = {}
    with tf.Graph().as_default() as graph:
        for node in definition.node:
            dtype = tf.dtypes.as_dtype(node.attr["dtype"].type or tf.float32)
            if node.op == "Placeholder" and dtype == tf.resource:
                read = reads[node.name]
                in_place[node.name] = tf.raw_ops.VarHandleOp(
                    dtype=read["dtype"].type,
                    shape=tf.TensorShape(read["_output_shapes"].list.shape[0]),
                    shared_name=node.name,
                )
            elif node.op == "Placeholder":
                first, *rest = tf.TensorShape(node.attr["shape"].shape)
                shape = [batch if first is None else first, *rest]
                in_place[node.name] = tf.compat.v1.placeholder(dtype, shape)
        tf.graph_util.import_graph_def(definition, in_place, name="")
    return graph


def theirs(graph: tf.Graph) -> int:
    options = tf.compat.v1.profiler.ProfileOptionBuilder.float_operation()
    options["output"] = "none"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        return tf.compat.v1.profiler.profile(graph, options=options).total_float_ops


def compatible(model: keras.Model | Path) -> int:
    """The original's 46 formulas, by our shapes."""
    from tfprof.api.anything import data_of
    from tfprof.reports.shared.model_costs import costs_of
    from tfprof.reports.shared.question import question_from

    return costs_of(data_of(model), question_from(1)).total.float_ops


if __name__ == "__main__":
    main()
