"""Made tests/data/three_workers: three real workers that train together, one with slow input.

    python tests/capture_three_workers.py FOLDER

Each is a process of TensorFlow's own multi-worker strategy, on this machine, so that the true
offset of their clocks is 0. The generator of worker 1 sleeps 60 ms an element.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

WORKERS, WARM, STEPS, SLOW_RANK, SLEEP = 3, 60, 20, 1, 0.06


def main(folder):
    ports = [_free_port() for _ in range(WORKERS)]
    with tempfile.TemporaryDirectory() as name:
        logs = [Path(name, f"worker-{rank}") for rank in range(WORKERS)]
        running = [
            subprocess.Popen([sys.executable, __file__, str(log), str(rank), *map(str, ports)])
            for rank, log in enumerate(logs)
        ]
        if any(one.wait(300) for one in running):
            raise SystemExit("a worker failed")
        folder.mkdir(parents=True, exist_ok=True)
        for log in logs:
            (capture,) = log.rglob("*.xplane.pb")
            (folder / f"{log.name}.xplane.pb").write_bytes(capture.read_bytes())


def _free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


def work(log, rank, ports):
    workers = [f"127.0.0.1:{port}" for port in ports]
    task = {"cluster": {"worker": workers}, "task": {"type": "worker", "index": rank}}
    os.environ["TF_CONFIG"] = json.dumps(task)
    import tensorflow as tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(2)
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    with strategy.scope():
        hidden = tf.Variable(tf.random.normal([512, 512], seed=1))
        head = tf.Variable(tf.random.normal([512, 10], seed=2))

    def batches():
        for _ in range(1000):
            if rank == SLOW_RANK:
                time.sleep(SLEEP)
            yield tf.ones([64, 512])

    def replica(batch):
        with tf.GradientTape() as tape:
            x = tf.nn.relu(batch @ hidden)
            for _ in range(2):
                x = tf.nn.relu(x @ tf.transpose(x) @ x) * 1e-6
            loss = tf.reduce_mean((x @ head) ** 2)
        found = tape.gradient(loss, [hidden, head])
        summed = tf.distribute.get_replica_context().all_reduce("sum", found)
        hidden.assign_sub(1e-9 * summed[0])
        head.assign_sub(1e-9 * summed[1])

    step = tf.function(lambda batch: strategy.run(replica, args=(batch,)))
    data = iter(tf.data.Dataset.from_generator(batches, output_signature=tf.TensorSpec([64, 512])))
    for _ in range(WARM):
        step(next(data))
    tf.profiler.experimental.start(log)
    for number in range(WARM, WARM + STEPS):
        with tf.profiler.experimental.Trace("train", step_num=number, _r=1):
            step(next(data))
    tf.profiler.experimental.stop()


if __name__ == "__main__":
    if len(sys.argv) == 2:
        main(Path(sys.argv[1]))
    else:
        work(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
