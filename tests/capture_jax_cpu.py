"""Captures training steps of JAX on the CPU; tests/data/xplane/jax-cpu.xplane.pb.gz is one.

    python tests/capture_jax_cpu.py FOLDER     # with JAX, which the tests themselves do without

Names are put into scopes as libraries of layers do: `Conv_0`, `Dense_0`.
"""

import sys

import jax
import jax.numpy as jnp

BATCH, SIZE, STEPS = 8, 16, 5


def model(weights, images):
    with jax.named_scope("Conv_0"):
        hidden = jax.lax.conv(images, weights["conv"], (1, 1), "SAME")
        hidden = jax.nn.relu(hidden)
    with jax.named_scope("Dense_0"):
        hidden = jax.nn.relu(hidden.reshape(len(images), -1) @ weights["dense"])
    with jax.named_scope("Dense_1"):
        return hidden @ weights["last"]


def loss(weights, images, labels):
    return jnp.mean((model(weights, images) - labels) ** 2)


@jax.jit
def train_step(weights, images, labels):
    value, gradients = jax.value_and_grad(loss)(weights, images, labels)
    with jax.named_scope("sgd"):
        weights = jax.tree.map(lambda one, by: one - 0.01 * by, weights, gradients)
    return weights, value


def capture(folder):
    keys = jax.random.split(jax.random.PRNGKey(0), 4)
    weights = {
        "conv": jax.random.normal(keys[0], (16, 3, 3, 3)),
        "dense": jax.random.normal(keys[1], (16 * SIZE * SIZE, 256)),
        "last": jax.random.normal(keys[2], (256, 10)),
    }
    images = jax.random.normal(keys[3], (BATCH, 3, SIZE, SIZE))
    labels = jnp.zeros((BATCH, 10))
    weights, value = train_step(weights, images, labels)
    value.block_until_ready()
    with jax.profiler.trace(folder):
        for _ in range(STEPS):
            weights, value = train_step(weights, images, labels)
            value.block_until_ready()


if __name__ == "__main__":
    capture(sys.argv[1])
