"""TensorFlow 1: a graph, a Supervisor with its log directory, `sess.run` in a loop."""

import sys
import tempfile
from pathlib import Path

import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)
tf.set_random_seed(9)
logdir = sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp()

global_step = tf.train.get_or_create_global_step()
x = tf.placeholder(tf.float32, [None, 64], name="x")
y = tf.placeholder(tf.float32, [None, 8], name="y")
with tf.variable_scope("hidden"):
    w = tf.get_variable("w", [64, 128])
    b = tf.get_variable("b", [128], initializer=tf.zeros_initializer())
    hidden = tf.nn.relu(tf.matmul(x, w) + b)
with tf.variable_scope("out"):
    w = tf.get_variable("w", [128, 8])
    out = tf.matmul(hidden, w)
loss = tf.reduce_mean(tf.square(out - y), name="loss")
tf.summary.scalar("loss", loss)
train = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss, global_step=global_step)
summary_op = tf.summary.merge_all()

rng = np.random.default_rng(1)
truth = rng.normal(0, 0.2, (64, 8))
sv = tf.train.Supervisor(logdir=logdir, summary_op=None, save_model_secs=0)
with sv.managed_session() as sess:
    for step in range(60):
        if sv.should_stop():
            break
        batch = rng.normal(0, 1, (32, 64))
        feed = {x: batch, y: batch @ truth}
        if step % 20 == 0:
            _, summary, now = sess.run([train, summary_op, loss], feed)
            sv.summary_computed(sess, summary, step)
            print(f"step {step}: loss {now:.3f}")
        else:
            sess.run(train, feed)
    sv.saver.save(sess, sv.save_path, global_step=global_step)
    print("global step", sess.run(global_step))
print("files:", sorted({path.name.split(".")[0] for path in Path(logdir).iterdir()}))
