"""FLOPs of well-known models next to tfprof's own count: a table for docs/flops.md.

    python benchmarks/flops.py [--quick]

Needs Keras. Each model is traced with an open batch; ours is the formula, tfprof's is what
`tf.compat.v1.profiler` says of the same function at batch None and at batch 1.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import keras
import tensorflow as tf

import tfprof

# GMACs a sample, from the papers' tables and counts by hand
EXPECTED = {
    "VGG16": 15.470, "ResNet50": 3.858, "ResNet50V2": 3.482, "MobileNetV2": 0.3008,
    "InceptionV3": 5.713,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="one model, to try the script out")
    names = ["MobileNetV2"] if parser.parse_args().quick else list(EXPECTED)
    print("| model | tfprof, batch None | tfprof, batch 1 | same count here | GMACs here | known |")
    print("|---|---|---|---|---|---|")
    for name in names:
        model = getattr(keras.applications, name)(weights=None)
        macs = tfprof.flops(model) // 2
        per_sample = macs.at({"B": 1}) if hasattr(macs, "at") else macs
        print(
            f"| {name} | {theirs(model, None):,} | {theirs(model, 1):,} | {compatible(model):,} "
            f"| {per_sample / 1e9:.4g} | {EXPECTED[name]} |",
            flush=True,
        )


def concrete(model: keras.Model, batch: int | None) -> object:
    specs = [tf.TensorSpec((batch, *tensor.shape[1:]), tensor.dtype) for tensor in model.inputs]
    return tf.function(model).get_concrete_function(*specs)


def theirs(model: keras.Model, batch: int | None) -> int:
    options = tf.compat.v1.profiler.ProfileOptionBuilder.float_operation()
    options["output"] = "none"
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        graph = concrete(model, batch).graph
        return tf.compat.v1.profiler.profile(graph, options=options).total_float_ops


def compatible(model: keras.Model) -> int:
    """The original's 46 formulas, by our shapes."""
    from tfprof.answers.static import costs_of, question_from
    from tfprof.api.anything import data_of

    return costs_of(data_of(model), question_from(1)).total.float_ops


if __name__ == "__main__":
    main()
