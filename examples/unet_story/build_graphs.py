"""Writes training graphs of the U-Net, plain and with batch normalisation; nothing is run.

python build_graphs.py FOLDER
"""

import sys
from pathlib import Path

import tensorflow as tf
from unet import CLASSES, UNet, is_trained, loss_of

v1 = tf.compat.v1


def _variable(name, shape):
    """Found again by its name, which stands for a scope of its own."""
    with v1.variable_scope("weights", reuse=v1.AUTO_REUSE):
        return v1.get_variable(name, shape, trainable=is_trained(name))


def training_graph(**choices):
    """As a MetaGraphDef, whose collections say what is trained."""
    with tf.Graph().as_default():
        images = v1.placeholder(tf.float32, [None, None, None, 1], "images")
        labels = v1.placeholder(tf.float32, [None, None, None, CLASSES], "labels")
        with tf.name_scope("model"):
            logits = UNet(_variable, **choices)(images)
        with tf.name_scope("train"):
            loss = loss_of(logits, labels)
            with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
                v1.add_to_collection("train_op", v1.train.AdamOptimizer().minimize(loss))
        return v1.train.export_meta_graph()


if __name__ == "__main__":
    for name, choices in {"plain": {}, "batch_norm": {"batch_norm": True}}.items():
        path = Path(sys.argv[1]) / f"{name}.meta"
        path.parent.mkdir(parents=True, exist_ok=True)
        meta = training_graph(**choices)
        path.write_bytes(meta.SerializeToString())
        print(f"{path.name}: {len(meta.graph_def.node)} nodes")
