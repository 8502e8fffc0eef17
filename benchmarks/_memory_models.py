"""The models whose memory is measured, and TensorFlow's side of it, in a process of its own.

`_memory_models.py <what> <model> <graph> <variables> <batch> <runs>` prints one line of JSON. What
is run is the graph as written: Grappler is off.
"""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import inf
from pathlib import Path
from typing import Any

Result = dict[str, Any]

DATA = Path(__file__).parents[1]
# what is in the repository itself
OWN_SAMPLES = (DATA / "tests/data", DATA / "benchmarks/data", DATA / "examples/unet")
_IMAGE, _MASK = ("B", 572, 572, 1), ("B", 388, 388, 2)
_UNET = {"input": _IMAGE, "labels": _MASK}
UPDATES = ("AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp")
ALIASES = ("Identity", "Reshape", "Squeeze", "ExpandDims")
_LOSS_AND_STEP = ("train/softmax_cross_entropy_loss/value", "train/Adam")


@dataclass(frozen=True)
class Model:
    """A graph file by any of its names. Without `fetches` what is run is all that it changes.

    `feeds` are shapes of the inputs whose graph leaves more open than the batch, or less.
    """

    files: tuple[str, ...]
    batches: tuple[int, ...]
    fetches: tuple[str, ...] = ()
    feeds: Mapping[str, tuple[int | str, ...]] = field(default_factory=dict)
    mode: str | None = None
    # for which batch sizes are asked, in bytes: small enough to be run on two cores
    budgets: tuple[int, ...] = ()


MODELS = {
    "U-Net, inference": Model(
        ("unet_infer_b1.meta", "unet_train_b1.meta", "graph.pb"),
        (1,), ("model/conv2d/BiasAdd",), {"input": _IMAGE}, "inference",
    ),
    "U-Net, training": Model(
        ("unet_train_b1.meta", "graph.pb"),
        (1, 2), _LOSS_AND_STEP, _UNET, budgets=(3_000_000_000, 4_000_000_000, 5_000_000_000),
    ),
    "U-Net with batch norm in tf.cond, training": Model(
        ("unet_bn_cond_train.meta",), (1,), _LOSS_AND_STEP, _UNET,
    ),
    "ResNet-50 (TF1), training": Model(
        ("resnet50_train_bNone.meta", "resnet50_train_bNone_run1.meta"),
        (1, 2, 4, 8), ("add_16", "train_op_all"),
        budgets=(500_000_000, 800_000_000, 1_200_000_000),
    ),
    "ResNet-50 (TF1), inference": Model(
        ("resnet50_infer_b1.meta",), (1, 8), ("logits",), {"input": ("B", 224, 224, 3)},
    ),
    "MobileNetV2 (Keras), training": Model(
        ("keras_MobileNetV2_train.graph.pb",), (1, 8),
        budgets=(300_000_000, 600_000_000, 1_000_000_000),
    ),
    "ResNet50 (Keras), training": Model(("keras_ResNet50_train.graph.pb",), (1, 4)),
    "BERT-base (Keras), training": Model(("keras_bert_base_train.graph.pb",), (1, 8)),
    "MLP (Keras), training": Model(("keras_mlp_train.graph.pb",), (8,)),
}  # fmt: skip
QUICK = ("ResNet-50 (TF1), inference", "MLP (Keras), training")


def located(names: tuple[str, ...], folders: tuple[Path, ...], scratch: Path) -> Path | None:
    """The first of the names that is there; packed ones are unpacked into `scratch`."""
    for folder in folders:
        for name in names:
            if (folder / name).exists():
                return folder / name
            packed = folder / f"{name}.gz"
            if packed.exists():
                (scratch / name).write_bytes(gzip.decompress(packed.read_bytes()))
                return scratch / name
    return None


def in_process_of_its_own(what: str, *arguments: object) -> Result:
    """The result of `measured` or `grappler`; {"failed": reason} where there is none."""
    command = [sys.executable, __file__, what, *map(str, arguments)]
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or [f"exit {done.returncode}"])[-1]}
    found: Result = json.loads(done.stdout.splitlines()[-1])
    return found


def measured(model: Model, path: Path, table: Path | None, batch: int, runs: int) -> Result:
    """The transient peak of each of some steps; `held` is without the variables they replaced."""
    graph, inputs = built(model, path, table, batch)
    peaks, held = [], []
    for trace in traces(model, graph, inputs, runs):
        peaks.append(peak_of(trace))
        held.append(peak_of(trace, replaced(trace, graph)))
    return {"peaks": peaks, "held": held}


def traces(model: Model, graph: Any, inputs: list[Any], runs: int) -> Iterator[Any]:
    """RunMetadata of steps in one session."""
    import tensorflow as tf

    fetches = fetched(model, graph)  # before the initializers, which write variables as well
    with graph.as_default(), tf.compat.v1.Session(graph=graph, config=as_written()) as session:
        session.run(initializers(graph))
        feeds = {tensor: value_for(tensor) for tensor in inputs}
        options = tf.compat.v1.RunOptions(trace_level=tf.compat.v1.RunOptions.FULL_TRACE)
        for _ in range(runs):
            trace = tf.compat.v1.RunMetadata()
            session.run(fetches, feeds, options, trace)
            yield trace


def as_written() -> Any:
    """A session that runs the graph it is given, not one that Grappler made of it."""
    import tensorflow as tf

    config = tf.compat.v1.ConfigProto()
    options = config.graph_options
    options.rewrite_options.disable_meta_optimizer = True
    options.optimizer_options.opt_level = tf.compat.v1.OptimizerOptions.L0
    return config


def peak_of(trace: Any, freed: Iterable[tuple[int, int]] = ()) -> int:
    """The highest running sum, over time, of what was allocated and freed."""
    records = [
        (record.alloc_micros, record.alloc_bytes)
        for node in nodes_of(trace)
        for memory in node.memory
        for record in memory.allocation_records
    ]
    held = highest = 0
    # by time alone: within a microsecond the order of the file is kept
    for _, size in sorted([*records, *freed], key=lambda record: record[0]):
        held += size
        highest = max(highest, held)
    return highest


def nodes_of(trace: Any) -> Iterator[Any]:
    return (node for device in trace.step_stats.dev_stats for node in device.node_stats)


def replaced(trace: Any, graph: Any) -> Iterator[tuple[int, int]]:
    """When the step freed the old buffers of variables, and how many bytes (negative) each.

    A variable that is written while its value is still being read is copied. The copy is on
    record; that the old buffer is freed is not, since it is from an earlier step.
    """
    starts = {node.node_name: node.all_start_micros for node in nodes_of(trace)}
    ends = {node.node_name: end_of(node) for node in nodes_of(trace)}
    kept = {node.node_name: bytes_kept(node) for node in nodes_of(trace)}
    for op in graph.get_operations():
        if not is_update(op) or op.name not in starts:
            continue
        size = variable_bytes(op.inputs[0]) if op.type == "AssignVariableOp" else kept[op.name]
        reads = [
            read
            for read in op.inputs[0].consumers()
            if read.type == "ReadVariableOp" and ends.get(read.name, inf) <= starts[op.name]
        ]
        readers = [ends.get(one.name, 0) for read in reads for one in holders(read.outputs[0])]
        if size > 0:
            yield max([ends[op.name], *readers]), -size


def end_of(node: Any) -> int:
    return int(node.all_start_micros + node.op_end_rel_micros)


def bytes_kept(node: Any) -> int:
    """What a node allocated and the step did not free."""
    return sum(one.alloc_bytes for memory in node.memory for one in memory.allocation_records)


def is_update(op: Any) -> bool:
    return op.type in UPDATES or op.type.startswith("ResourceApply")


def variable_bytes(handle: Any) -> int:
    import tensorflow as tf

    shape = tf.TensorShape(handle.op.get_attr("shape"))
    return int(shape.num_elements() * tf.as_dtype(handle.op.get_attr("dtype")).size)


def holders(tensor: Any) -> Iterator[Any]:
    """The ops that keep a buffer alive: its readers, and those of what shares it."""
    for op in tensor.consumers():
        yield op
        if op.type in ALIASES:
            yield from holders(op.outputs[0])


def built(model: Model, path: Path, table: Path | None, batch: int) -> tuple[Any, list[Any]]:
    """The graph with its sizes fixed and its variables in place, and what has to be fed."""
    import tensorflow as tf

    definition = without_shapes(definition_of(path))
    stated = json.loads(table.read_text(encoding="utf-8")) if table is not None else {}
    in_place, inputs = {}, []
    with tf.Graph().as_default() as graph:
        for node in definition.node:
            if node.op != "Placeholder":
                continue
            if node.attr["dtype"].type == tf.resource.as_datatype_enum:
                shape, dtype = stated.get(node.name) or variable_read(definition, node.name)
                in_place[node.name] = tf.raw_ops.VarHandleOp(
                    dtype=dtype, shape=shape, shared_name=node.name
                )
                continue
            shape = shape_for(node, model.feeds.get(node.name), batch)
            fed = tf.compat.v1.placeholder(node.attr["dtype"].type, shape)
            in_place[node.name] = fed
            inputs.append(fed)
        tf.graph_util.import_graph_def(definition, in_place, name="")
    return graph, [one for one in inputs if one.consumers()]


def definition_of(path: Path) -> Any:
    import tensorflow as tf

    if path.suffix == ".meta":
        return tf.compat.v1.MetaGraphDef.FromString(path.read_bytes()).graph_def
    return tf.compat.v1.GraphDef.FromString(path.read_bytes())


def without_shapes(definition: Any) -> Any:
    """Shapes that were written down for another batch would be refused."""
    for node in definition.node:
        if "_output_shapes" in node.attr and node.op != "ReadVariableOp":
            del node.attr["_output_shapes"]
    return definition


def shape_for(node: Any, stated: tuple[int | str, ...] | None, batch: int) -> list[int]:
    """The batch where the graph, or the model's table, leaves a size open."""
    import tensorflow as tf

    shape = stated if stated is not None else tf.TensorShape(node.attr["shape"].shape)
    if isinstance(shape, tf.TensorShape) and shape.rank is None:
        return []
    return [size if isinstance(size, int) else batch for size in shape]


def variable_read(definition: Any, handle: str) -> tuple[Any, int]:
    """Without a table of variables: the shape and the type of what is read from a handle."""
    import tensorflow as tf

    for node in definition.node:
        if node.op == "ReadVariableOp" and node.input[0] == handle:
            shape = node.attr["_output_shapes"].list.shape[0]
            return tf.TensorShape(shape), node.attr["dtype"].type
    raise SystemExit(f"no table of variables, and nothing reads {handle}")


def initializers(graph: Any) -> list[Any]:
    """Ops that give every variable a value: their own, or small numbers where they have none."""
    import tensorflow as tf

    found = []
    for op in graph.get_operations():
        if op.type == "Assign" and op.name == f"{op.inputs[0].op.name}/Assign":
            found.append(op)
        elif op.type == "VarHandleOp":
            dtype, shape = tf.as_dtype(op.get_attr("dtype")), op.get_attr("shape")
            size = [int(dim.size) for dim in shape.dim]
            # never negative: second moments are among them
            low = tf.random.uniform(size, 0.0, 0.05) if dtype.is_floating else tf.zeros(size)
            value = tf.cast(low, dtype)
            found.append(tf.raw_ops.AssignVariableOp(resource=op.outputs[0], value=value))
    return found


def fetched(model: Model, graph: Any) -> list[Any]:
    """What is asked for; of an exported function its results and every change of a variable."""
    if model.fetches:
        ops = [graph.get_operation_by_name(name) for name in model.fetches]
        return [op.outputs[0] if op.outputs else op for op in ops]
    writes = [op for op in graph.get_operations() if is_update(op)]
    return [graph.get_operation_by_name("Identity").outputs[0], *writes]


def value_for(tensor: Any) -> Any:
    import numpy as np
    import tensorflow as tf

    if tensor.dtype == tf.bool:
        return True
    if tensor.dtype.is_floating:
        return np.random.default_rng(0).random(tensor.shape, np.float32)
    return np.zeros(tensor.shape, tensor.dtype.as_numpy_dtype)


def grappler(model: Model, path: Path, table: Path | None, batch: int, runs: int) -> Result:
    """What Grappler thinks before anything runs, variables included."""
    import tensorflow as tf
    from tensorflow.core.protobuf import device_properties_pb2
    from tensorflow.python.grappler import cluster, item

    del runs
    graph, _ = built(model, path, table, batch)
    for one in fetched(model, graph):
        graph.add_to_collection("train_op", one)
    device = device_properties_pb2.NamedDevice(name="/job:localhost/replica:0/task:0/device:CPU:0")
    device.properties.type = "CPU"
    device.properties.frequency, device.properties.num_cores = 2_000, 2
    device.properties.memory_size = 1 << 40
    virtual = cluster.Cluster(devices=[device])
    with graph.as_default():
        asked = item.Item(tf.compat.v1.train.export_meta_graph())
    peaks = virtual.DeterminePeakMemoryUsage(asked)
    return {"peak": max(peak for peak, _ in peaks.values())}


def main() -> None:
    what, name, path, table, batch, runs = sys.argv[1:]
    measurement = {"measured": measured, "grappler": grappler}[what]
    given = Path(table) if table else None
    print(json.dumps(measurement(MODELS[name], Path(path), given, int(batch), int(runs))))


if __name__ == "__main__":
    main()
