"""Run 1: one picture is read after the other, and the model waits for each batch."""

import keras
import tensorflow as tf
from pictures import BATCH, picture_files, proc_image, train

keras.utils.set_random_seed(1)

dataset = tf.data.Dataset.from_tensor_slices(picture_files())
dataset = dataset.map(proc_image)
dataset = dataset.batch(BATCH)

train(dataset)
