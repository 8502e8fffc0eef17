"""Shapes of graphs: agreement with what TensorFlow wrote into them, and time next to its import.

    python benchmarks/shapes.py GRAPH.pb[,VARS.json] ...

TensorFlow's time is `tf.graph_util.import_graph_def` in the same process, which runs its own
shape inference; ours is the whole way from the file.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

from tfprof.analyses.inference.engine import infer
from tfprof.model.graph import as_shape
from tfprof.sources.load import Request, read_one


def main() -> None:
    print("| graph | nodes | tensors | differ | open here | only known here | here | import |")
    print("|---|---|---|---|---|---|---|---|")
    for argument in sys.argv[1:]:
        path, _, table = argument.partition(",")
        compare(Path(path), Path(table) if table else None)


def compare(path: Path, table: Path | None) -> None:
    start = time.perf_counter()
    data = read_one(Request([path], {"vars": [table]} if table else {}))
    sites = infer(data).sites
    took = time.perf_counter() - start
    differ = unknown = more = count = 0
    for site in sites:
        stated = site.call.attributes.get("_output_shapes")
        for port, proto in enumerate(stated.list.shape if stated is not None else ()):
            theirs = as_shape(proto)
            tensors = site.call.outputs
            ours = tensors[port].shape if port < len(tensors) else None
            count += 1
            unknown += ours is None or None in ours
            more += theirs is None and ours is not None
            differ += theirs is not None and ours is not None and not agree(ours, theirs)
    print(
        f"| {path.name.removesuffix('.graph.pb')} | {len(data.graph):,} | {count:,} | {differ} "
        f"| {unknown} | {more} | {took:.2f} s | {imported(path):.2f} s |",
        flush=True,
    )


def agree(ours: tuple, theirs: tuple) -> bool:
    """An open dimension agrees with any size that TensorFlow left open, too."""
    if len(ours) != len(theirs):
        return False
    return all(b is None or a == b for a, b in zip(ours, theirs, strict=True))


def imported(path: Path) -> float:
    import tensorflow as tf

    start = time.perf_counter()
    definition = tf.compat.v1.GraphDef.FromString(path.read_bytes())
    with tf.Graph().as_default():
        tf.graph_util.import_graph_def(definition, name="")
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
