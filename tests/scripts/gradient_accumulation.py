import numpy as np, tensorflow as tf
tf.random.set_seed(0)
model = tf.keras.Sequential([tf.keras.Input((16,)), tf.keras.layers.Dense(32, activation="relu"), tf.keras.layers.Dense(1)])
opt = tf.keras.optimizers.Adam(1e-3)
ds = tf.data.Dataset.from_tensor_slices(np.random.rand(640, 16).astype("float32")).batch(8)
K = 4
acc = [tf.Variable(tf.zeros_like(v), trainable=False) for v in model.trainable_variables]
@tf.function
def micro(x):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(model(x, training=True) - 1.0))
    for a, g in zip(acc, tape.gradient(loss, model.trainable_variables)):
        a.assign_add(g / K)
    return loss
@tf.function
def apply():
    opt.apply_gradients(zip([a.value() for a in acc], model.trainable_variables))
    for a in acc: a.assign(tf.zeros_like(a))
updates = 0
for i, x in enumerate(ds):
    loss = micro(x)
    if (i + 1) % K == 0:
        apply(); updates += 1
print("micro-batches", i + 1, "updates", updates)
