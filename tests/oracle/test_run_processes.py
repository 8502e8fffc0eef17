"""`tfprof run --follow`: each process that trains has a folder of its own."""

import json
import socket

import pytest
from referees import needs
from run_cli import run
from run_scripts import under_run, written

needs("tensorflow")

_SEVERAL = """
import multiprocessing, sys

def train(number):
    import os
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf
    weight = tf.Variable(tf.ones((4, 4)))

    @tf.function
    def train_step(batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(batch @ weight))
        weight.assign_sub(0.01 * tape.gradient(loss, weight))

    for step in range(10 + number):
        train_step(tf.ones((8, 4)))
    sys.exit(number)

if __name__ == "__main__":
    context = multiprocessing.get_context(sys.argv[1])
    processes = [context.Process(target=train, args=(number,)) for number in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    print([process.exitcode for process in processes])
"""
_WORKERS = """
import json, os, subprocess, sys

_WORKER = '''
import os
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf
strategy = tf.distribute.MultiWorkerMirroredStrategy()
import tf_keras as keras
with strategy.scope():
    model = keras.Sequential([keras.layers.Dense(1)])
    model.compile("sgd", "mse")
x = np.ones((160, 4), "float32")
data = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(16).repeat()
model.fit(data, steps_per_epoch=20, epochs=1, verbose=0)
'''
cluster = {"worker": ["localhost:" + port for port in sys.argv[1:3]]}
workers = []
for index in (0, 1):
    told = json.dumps({"cluster": cluster, "task": {"type": "worker", "index": index}})
    environment = {**os.environ, "TF_CONFIG": told}
    workers.append(subprocess.Popen([sys.executable, "-c", _WORKER], env=environment))
sys.exit(max(worker.wait() for worker in workers))
"""


@pytest.mark.parametrize("way", ["fork", "spawn"])
def test_processes_of_multiprocessing(tmp_path, way):
    written(tmp_path, _SEVERAL)
    ran = under_run(tmp_path, "--follow", "train.py", way)
    assert (ran.code, ran.out) == (0, "[0, 1]\n")
    assert ran.top["ranks"] == ["rank-0", "rank-1"]
    assert sorted(ran.record(rank)["steps"]["count"] for rank in (0, 1)) == [10, 11]
    for rank in (0, 1):
        assert ran.captured(rank) == [(3, 7, True)]
        assert ran.record(rank)["rank"] == rank
    told = json.loads(run("steps", ran.folder, "--json").out)["data"]
    assert len(told["hosts"]) == 2


def test_they_are_left_alone_if_nobody_asks(tmp_path):
    written(tmp_path, _SEVERAL)
    ran = under_run(tmp_path, "train.py", "fork")
    assert (ran.code, ran.out) == (0, "[0, 1]\n")
    assert ran.top["ranks"] == []
    assert "--follow" in ran.said[1]


# AutoGraph of TensorFlow 2.16 does not leave tf_keras out: it translates all of it first, which
# takes half a minute of CPU with and without us
@pytest.mark.timeout(620)
def test_workers_have_the_rank_of_their_task(tmp_path):
    written(tmp_path, _WORKERS)
    with socket.socket() as one, socket.socket() as other:
        one.bind(("localhost", 0))
        other.bind(("localhost", 0))
        ports = [str(each.getsockname()[1]) for each in (one, other)]
    ran = under_run(tmp_path, "--follow", "train.py", *ports, seconds=600)
    assert ran.code == 0, ran.err
    assert ran.top["ranks"] == ["rank-0", "rank-1"]
    for rank in (0, 1):
        record = ran.record(rank)
        assert (record["task"], record["ranks"]) == (f"worker/{rank}", 2)
        assert record["steps"]["count"] == 20
        assert record["strategy"] in ("CollectiveAllReduceStrategy", "MultiWorkerMirroredStrategy")
        assert len(record["captures"]) == 1
        assert record["warnings"] == []
    _are_on_one_clock(json.loads(run("steps", ran.folder, "--hosts", "--json").out)["data"])


def _are_on_one_clock(told):
    """They ran on one machine, so the truth is known: their clocks do not differ at all."""
    between = told["between_hosts"]
    assert between["meet"]
    assert between["costly"].endswith("CollectiveReduceV2")
    known = [one["clock"] for one in between["hosts"]]
    assert len(known) == 2
    for clock in known:
        assert abs(clock["offset_us"]) <= clock["within_us"]
    # an op may be recorded here and not there; what is installed is the same
    assert {one["what"] for one in between["differences"]} <= {"program", "placement"}
