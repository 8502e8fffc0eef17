"""Run 2: many pictures are read at once, while the model computes."""

import keras
import tensorflow as tf
from pictures import BATCH, picture_files, proc_image, train

keras.utils.set_random_seed(1)

dataset = tf.data.Dataset.from_tensor_slices(picture_files())
dataset = dataset.map(proc_image, num_parallel_calls=32)
dataset = dataset.batch(BATCH).prefetch(tf.data.AUTOTUNE)
options = tf.data.Options()
options.threading.private_threadpool_size = 32  # a thread that waits is no core that works
dataset = dataset.with_options(options)

train(dataset)
