"""Trains a smaller U-Net, or predicts with it: what the estimates say can be measured.

tfprof run --memory train.py --batch 4 [--recompute] [--batch-norm] [--predict]
"""

import argparse

import tensorflow as tf
from unet import CLASSES, UNet, is_trained, loss_of

SIZE, FILTERS, LEVELS, STEPS = 188, 16, 2, 12


def _options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--batch", type=int, default=4)
    parser.add_argument("--recompute", action="store_true", help="activations of a block, again")
    parser.add_argument("--batch-norm", action="store_true")
    parser.add_argument("--predict", action="store_true", help="no training")
    return parser.parse_args()


def _first_value(name, shape):
    if name.endswith("kernel"):
        return tf.random.stateless_normal(shape, (len(name), shape[-1]), stddev=0.1)
    return tf.ones(shape) if name.endswith(("gamma", "variance")) else tf.zeros(shape)


def _weights():
    """A variable is made when it is asked for first, and found again afterwards."""
    made = {}

    def variable(name, shape):
        if name not in made:
            with tf.init_scope():
                made[name] = tf.Variable(_first_value(name, shape), is_trained(name), name=name)
        return made[name]

    return made, variable


def main():
    options = _options()
    weights, variable = _weights()
    # `recompute_grad` asks for the gradient of every variable that the block reads
    wrap = tf.recompute_grad if options.recompute else UNet.wrap
    model = UNet(variable, FILTERS, LEVELS, options.batch_norm, not options.predict, wrap)
    images = tf.random.stateless_uniform([options.batch, SIZE, SIZE, 1], (1, 2))
    out = model(images)
    classes = tf.random.stateless_uniform(out.shape[:3], (3, 4), 0, CLASSES, tf.int32)
    labels = tf.one_hot(classes, CLASSES)
    trained = [one for one in weights.values() if one.trainable]
    optimizer = tf.keras.optimizers.Adam()
    optimizer.build(trained)

    @tf.function
    def train_step(images, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(model(images), labels)
        optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained, strict=True))
        return loss

    @tf.function
    def predict(images, _labels):
        return tf.reduce_mean(model(images))

    step = predict if options.predict else train_step
    for _ in range(STEPS):
        said = step(images, labels)
    print(f"{'mean' if options.predict else 'loss'} {said:.3f} after {STEPS} steps")


if __name__ == "__main__":
    main()
