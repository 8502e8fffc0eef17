"""The change to make in the words of what ran: TensorFlow or JAX, on a GPU or a TPU."""

from __future__ import annotations

from tfprof.analyses.advice.known import Known
from tfprof.results.categories import Category

# what JAX calls the ops of a function that it compiled
_JAX = ("jit(", "pjit(", "jit_")


def is_jax(known: Known) -> bool:
    return known.run is not None and any(one.name.startswith(_JAX) for one in known.run.nodes)


def for_copies(known: Known, device: str, most: Category) -> str:
    """`device` waits, most of it for copies of one kind."""
    if most is Category.OUTPUT:
        fetch = "jax.device_get(loss)" if is_jax(known) else "float(loss)"
        return f"if step % 100 == 0:  # a result that is fetched is waited for\n    print({fetch})"
    between = most is Category.DEVICE_TO_DEVICE
    if is_jax(known):
        kept, ahead = "table, sharding", "next(batches)"
        why = "once, where it is read" if between else "while this step runs"
        return f"given = jax.device_put({kept if between else ahead})  # copied {why}"
    if between:
        return f'with tf.device("{device}"):  # where it is read\n    table = tf.Variable(...)'
    if "tpu" in device:
        return "dataset = strategy.experimental_distribute_dataset(dataset)  # copies ahead"
    return f'dataset = dataset.apply(tf.data.experimental.prefetch_to_device("{device}"))'


def for_more_work(known: Known) -> str:
    if is_jax(known):
        return "state, losses = jax.lax.scan(step, state, batches)  # several steps a call"
    return "model.compile(optimizer, loss, steps_per_execution=32)"


def for_collectives(known: Known, device: str) -> str:
    if is_jax(known):
        return "optimizer = optax.MultiSteps(optimizer, every_k_schedule=4)  # one exchange for 4"
    if "tpu" in device:
        return "dataset = dataset.batch(2 * batch, drop_remainder=True)  # fewer exchanges a sample"
    return "tf.distribute.MirroredStrategy(cross_device_ops=tf.distribute.NcclAllReduce())"
