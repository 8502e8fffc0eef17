"""CPU time of `tfprof memory` on large graphs, next to what Grappler takes for its own estimate.

    python benchmarks/memory_speed.py [--quick]

Ours is the whole command, file to text, in a process of its own; what the same command takes of a
graph of one layer are imports, and are taken off. Grappler's is `DeterminePeakMemoryUsage` alone,
once TensorFlow is loaded, the graph imported and an item made of it. Medians of some runs.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from _generate import graph, nodes, save

REPEATS, TINY, BATCH = 3, 200, 8
# nodes, and the seconds that were promised beyond imports
PROMISED = {15_000: 1.0, 60_000: 4.0}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="the smaller graph, once")
    quick = parser.parse_args().quick
    repeats = 1 if quick else REPEATS
    print("| nodes | ours | with imports | promised | Grappler | ours through Grappler's |")
    print("|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as folder:
        tiny = made(Path(folder), TINY)
        imports = median(command(tiny) for _ in range(repeats))
        for count in list(PROMISED)[: 1 if quick else None]:
            path = made(Path(folder), count)
            whole = median(command(path) for _ in range(repeats))
            print(row(count, whole, imports, grapplers(path, repeats)), flush=True)


def made(folder: Path, count: int) -> Path:
    return save(folder / f"{count}.graph.pb", graph(nodes(count)))


def row(count: int, whole: float, imports: float, theirs: float | None) -> str:
    ours = whole - imports
    kept = "kept" if ours < PROMISED[count] else "MISSED"
    ratio = "?" if theirs is None else f"{ours / theirs:.2f}"
    them = "?" if theirs is None else f"{theirs:.2f} s"
    return (
        f"| {count:,} | {ours:.2f} s | {whole:.2f} s | {PROMISED[count]} s: {kept} "
        f"| {them} | {ratio} |"
    )


def command(path: Path) -> float:
    """Of a child: user and system, so that others on the machine do not count."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    asked = [sys.executable, "-m", "tfprof", "memory", str(path), "--batch", str(BATCH)]
    subprocess.run(asked, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def grapplers(path: Path, repeats: int) -> float | None:
    """None, with the reason, where it has no answer."""
    asked = [sys.executable, __file__, "--grappler", str(path), str(repeats)]
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    done = subprocess.run(asked, env=quiet, capture_output=True, text=True, check=False)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason"])[-1]
        print(f"   (Grappler failed: {reason})", file=sys.stderr)
        return None
    return float(done.stdout.splitlines()[-1])


def of_grappler(path: Path, repeats: int) -> float:
    import tensorflow as tf
    from tensorflow.core.protobuf import device_properties_pb2
    from tensorflow.python.grappler import cluster, item

    definition = tf.compat.v1.GraphDef.FromString(path.read_bytes())
    device = device_properties_pb2.NamedDevice(name="/job:localhost/replica:0/task:0/device:CPU:0")
    device.properties.type = "CPU"
    device.properties.frequency, device.properties.num_cores = 2_000, 2
    device.properties.memory_size = 1 << 40
    virtual = cluster.Cluster(devices=[device])
    with tf.Graph().as_default() as imported:
        tf.graph_util.import_graph_def(definition, name="")
        read = {one.op for op in imported.get_operations() for one in op.inputs}
        for op in imported.get_operations():
            if op not in read and op.type != "Const":
                imported.add_to_collection("train_op", op)
        asked = item.Item(tf.compat.v1.train.export_meta_graph())
    times = []
    for _ in range(repeats):
        start = time.process_time()
        virtual.DeterminePeakMemoryUsage(asked)
        times.append(time.process_time() - start)
    return median(times)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--grappler"]:
        print(of_grappler(Path(sys.argv[2]), int(sys.argv[3])))
    else:
        main()
