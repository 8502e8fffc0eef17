"""How tests/data/parameter_servers was captured: one training step on a small cluster.

A sequence-to-sequence model on one worker and two parameter servers, all of them in one process.
TensorFlow's own rule places the variables: in turns. To capture it anew:

    python tests/capture_parameter_servers.py FOLDER
"""

import gzip
import socket
import sys
from pathlib import Path

import tensorflow as tf

v1 = tf.compat.v1

WORDS, WIDTH, BATCH, LENGTH = 50_000, 512, 4, 3
SERVERS = 2


def seq2seq():
    """An encoder and a decoder of one LSTM each, trained by gradient descent."""
    place = v1.train.replica_device_setter(SERVERS, worker_device="/job:worker/task:0")
    with tf.Graph().as_default() as graph, v1.device(place):
        sources = v1.placeholder(tf.int32, [BATCH, LENGTH], name="sources")
        targets = v1.placeholder(tf.int32, [BATCH, LENGTH], name="targets")
        start = tf.zeros([BATCH, WIDTH]), tf.zeros([BATCH, WIDTH])
        _, state = _lstm("encoder", sources, start)
        outputs, _ = _lstm("decoder", targets, state)
        with v1.variable_scope("projection"):
            weights, bias = _variable("weights", [WIDTH, WORDS]), _variable("bias", [WORDS])
            logits = tf.concat(outputs, 0) @ weights + bias
        labels = tf.reshape(tf.transpose(targets), [-1])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(labels, logits)
        loss = tf.reduce_mean(losses, name="loss")
        v1.train.GradientDescentOptimizer(0.1).minimize(loss, name="train")
        v1.global_variables_initializer()
    return graph


def _variable(name, shape):
    return v1.get_variable(name, shape, use_resource=False)


def _lstm(name, words, state):
    with v1.variable_scope(name):
        embedding = _variable("embedding", [WORDS, WIDTH])
        kernel, bias = _variable("kernel", [2 * WIDTH, 4 * WIDTH]), _variable("bias", [4 * WIDTH])
        cell, output = state
        outputs = []
        for step in range(LENGTH):
            read = tf.nn.embedding_lookup(embedding, words[:, step])
            gates = tf.concat([read, output], 1) @ kernel + bias
            new, taken, kept, shown = tf.split(gates, 4, 1)
            cell = tf.sigmoid(kept) * cell + tf.sigmoid(taken) * tf.tanh(new)
            output = tf.sigmoid(shown) * tf.tanh(cell)
            outputs.append(output)
        return outputs, (cell, output)


def capture(graph):
    """The run metadata of the second step; the first one sets up buffers."""
    cluster = {"ps": [_address() for _ in range(SERVERS)], "worker": [_address()]}
    members = [(job, task) for job in cluster for task in range(len(cluster[job]))]
    servers = [v1.train.Server(cluster, job_name=job, task_index=task) for job, task in members]
    feed = {f"{name}:0": [[1, 2, 3]] * BATCH for name in ("sources", "targets")}
    full = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    run_meta = v1.RunMetadata()
    with v1.Session(servers[-1].target, graph=graph) as session:
        session.run("init")
        session.run("train", feed)
        session.run("train", feed, options=full, run_metadata=run_meta)
    return run_meta


def _address():
    with socket.socket() as free:
        free.bind(("localhost", 0))
        return f"localhost:{free.getsockname()[1]}"


def main(folder):
    graph = seq2seq()
    run_meta = capture(graph)
    run_meta.ClearField("partition_graphs")
    found = {"graph.pb": graph.as_graph_def(add_shapes=True), "run_meta": run_meta}
    for name, message in found.items():
        packed = gzip.compress(message.SerializeToString(deterministic=True), 9, mtime=0)
        (folder / f"{name}.gz").write_bytes(packed)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
