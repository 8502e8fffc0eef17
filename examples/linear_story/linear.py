"""A line through four points, trained under a Supervisor: killed, it goes on where it was saved.

python linear.py LOGDIR [--steps 600] [--pretrained CHECKPOINT]
"""

import argparse
import time
from contextlib import nullcontext
from pathlib import Path

import tensorflow.compat.v1 as tf

tf.disable_eager_execution()
tf.logging.set_verbosity(tf.logging.ERROR)

X_TRAIN = [1.0, 2.0, 3.0, 4.0]
Y_TRAIN = [1.5, 3.5, 5.5, 7.5]


def _options():
    parser = argparse.ArgumentParser()
    parser.add_argument("logdir")
    parser.add_argument("--steps", type=int, default=600)
    parser.add_argument("--pretrained", help="take W and b from this checkpoint")
    parser.add_argument("--profiles", help="captures some steps every hundred, into this folder")
    parser.add_argument("--pause", type=float, default=0.005, help="seconds after each step")
    return parser.parse_args()


def _captured(folder, step):
    """Some steps every hundred; after a restart the numbers go on with those of the training."""
    if folder is None:
        return nullcontext()
    import tfprof

    return tfprof.capture(folder, every=100, first_step=step + 1)


def main():
    options = _options()
    W = tf.Variable([0.1], dtype=tf.float32, name="W")
    b = tf.Variable([0.0], dtype=tf.float32, name="b")
    global_step = tf.Variable(0, name="global_step", trainable=False)
    # before the optimizer makes more variables: this one restores W and b, and nothing else
    pre_train_saver = tf.train.Saver([W, b], name="pretrained")

    x, y = tf.placeholder(tf.float32, name="x"), tf.placeholder(tf.float32, name="y")
    loss = tf.reduce_sum(tf.square(W * x + b - y), name="loss")
    tf.summary.scalar("loss", loss)
    train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=global_step)
    summary_op = tf.summary.merge_all()

    def load_pretrained(session):
        pre_train_saver.restore(session, options.pretrained)

    sv = tf.train.Supervisor(
        logdir=options.logdir,
        summary_op=None,
        global_step=global_step,
        save_model_secs=0,
        init_fn=load_pretrained if options.pretrained else None,
    )
    feed = {x: X_TRAIN, y: Y_TRAIN}
    # managed_session has restored or initialised everything: another `sess.run(init)` would undo it
    with sv.managed_session() as sess:
        step, first_loss = sess.run([global_step, loss], feed)
        print(f"starts at step {step} with loss {first_loss:.4f}", flush=True)
        with _captured(options.profiles, step):
            while not sv.should_stop() and step < options.steps:
                sess.run(train, feed)
                step += 1
                if step % 100 == 0:
                    sv.summary_computed(sess, sess.run(summary_op, feed), step)
                    sv.saver.save(sess, sv.save_path, global_step=global_step)
                    print(f"step {step}", flush=True)
                time.sleep(options.pause)
        l_W, l_b, l_cost = sess.run([W, b, loss], feed)
        print(f"W: {l_W[0]:.3f} b: {l_b[0]:.3f} cost: {l_cost:.2g}")
    print("checkpoints:", len(list(Path(options.logdir).glob("*.index"))))


if __name__ == "__main__":
    main()
