"""No Keras and no `tf.function`: variables, a tape, `assign_sub`."""

import tensorflow as tf

tf.random.set_seed(6)


class Linear(tf.Module):
    def __init__(self, features, outputs, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.random.normal([features, outputs], stddev=0.3), name="w")
        self.b = tf.Variable(tf.zeros([outputs]), name="b")

    def __call__(self, x):
        return x @ self.w + self.b


class Net(tf.Module):
    def __init__(self):
        super().__init__(name="net")
        self.first = Linear(16, 32, name="first")
        self.second = Linear(32, 1, name="second")

    def __call__(self, x):
        return self.second(tf.tanh(self.first(x)))


net = Net()
x = tf.random.normal([256, 16])
y = tf.reduce_sum(x[:, :3], axis=1, keepdims=True)
dataset = tf.data.Dataset.from_tensor_slices((x, y)).batch(32).repeat(5)

for step, (x_batch, y_batch) in enumerate(dataset):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(net(x_batch) - y_batch))
    for variable, gradient in zip(net.trainable_variables, tape.gradient(loss, net.trainable_variables)):
        variable.assign_sub(0.05 * gradient)
    if step % 10 == 0:
        print(f"step {step:2d} loss {loss.numpy():.3f}")
print(f"final loss {loss.numpy():.3f}")
