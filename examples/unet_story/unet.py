"""A U-Net out of plain TensorFlow ops, for a graph of TensorFlow 1 and for a `tf.function`.

Valid convolutions, as in Ronneberger et al.: 572 x 572 goes in, 388 x 388 comes out.
"""

from collections.abc import Callable
from dataclasses import dataclass

import tensorflow as tf

CLASSES = 2
Variable = Callable[[str, list[int]], tf.Variable]
Block = Callable[..., tf.Tensor]


@dataclass
class UNet:
    """`variable(name, shape)` makes a variable, or finds it again."""

    variable: Variable
    filters: int = 64
    levels: int = 4
    batch_norm: bool = False
    training: bool = True
    # a block of two convolutions, or the same block wrapped: `tf.recompute_grad`
    wrap: Callable[[Block], Block] = lambda block: block

    def __call__(self, images: tf.Tensor) -> tf.Tensor:
        x, across = images, []
        for level in range(self.levels):
            x = self._block(f"left{level}", self.filters << level, x)
            across.append(x)
            x = tf.nn.max_pool2d(x, 2, 2, "VALID")
        x = self._block("bottom", self.filters << self.levels, x)
        for level in reversed(range(self.levels)):
            with tf.name_scope(f"up{level}"):
                x = self._upsampled(f"up{level}", self.filters << level, x)
                x = tf.concat([_cropped(across[level], x), x], axis=3)
            x = self._block(f"right{level}", self.filters << level, x)
        with tf.name_scope("classes"):
            return self._convolution("classes", 1, CLASSES, x)

    def _block(self, name: str, filters: int, x: tf.Tensor) -> tf.Tensor:
        def convolutions(inputs: tf.Tensor) -> tf.Tensor:
            for number in range(2):
                inputs = self._convolution(f"{name}/conv{number}", 3, filters, inputs)
                if self.batch_norm:
                    inputs = self._normalised(f"{name}/norm{number}", filters, inputs)
                inputs = tf.nn.relu(inputs)
            return inputs

        with tf.name_scope(name):
            return self.wrap(convolutions)(x)

    def _convolution(self, name: str, size: int, filters: int, x: tf.Tensor) -> tf.Tensor:
        kernel = self.variable(f"{name}/kernel", [size, size, x.shape[3], filters])
        bias = self.variable(f"{name}/bias", [filters])
        return tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, "VALID"), bias)

    def _upsampled(self, name: str, filters: int, x: tf.Tensor) -> tf.Tensor:
        kernel = self.variable(f"{name}/kernel", [2, 2, filters, 2 * filters])
        bias = self.variable(f"{name}/bias", [filters])
        batch, height, width = (tf.shape(x)[axis] for axis in range(3))
        shape = tf.stack([batch, 2 * height, 2 * width, filters])
        return tf.nn.bias_add(tf.nn.conv2d_transpose(x, kernel, shape, 2, "VALID"), bias)

    def _normalised(self, name: str, filters: int, x: tf.Tensor) -> tf.Tensor:
        scale, offset, mean, variance = (
            self.variable(f"{name}/{what}", [filters])
            for what in ("gamma", "beta", "mean", "variance")
        )
        if not self.training:
            return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)
        x, batch_mean, batch_variance = tf.compat.v1.nn.fused_batch_norm(x, scale, offset)
        for moving, of_batch in ((mean, batch_mean), (variance, batch_variance)):
            update = moving.assign_sub(0.01 * (moving - of_batch))
            if not tf.executing_eagerly():
                tf.compat.v1.add_to_collection(tf.compat.v1.GraphKeys.UPDATE_OPS, update)
        return x


def _cropped(x: tf.Tensor, like: tf.Tensor) -> tf.Tensor:
    """The middle of it, as large as the other."""
    have, want = tf.shape(x), tf.shape(like)
    top, left = (have[1] - want[1]) // 2, (have[2] - want[2]) // 2
    return x[:, top : top + want[1], left : left + want[2]]


def is_trained(name: str) -> bool:
    """Averages over batches are kept, not trained."""
    return not name.endswith(("mean", "variance"))


def loss_of(logits: tf.Tensor, labels: tf.Tensor) -> tf.Tensor:
    return tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels, logits))
