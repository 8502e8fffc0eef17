import multiprocessing as mp
import numpy as np
def produce(queue, n):
    rng = np.random.default_rng(0)
    for _ in range(n):
        queue.put(rng.normal(size=(16, 12)).astype("float32"))
    queue.put(None)
def main():
    queue = mp.Queue(4)
    worker = mp.Process(target=produce, args=(queue, 25)); worker.start()
    import tensorflow as tf
    w = tf.Variable(tf.ones([12, 3]))
    opt = tf.keras.optimizers.SGD(0.1)
    @tf.function
    def train(batch):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(batch @ w))
        opt.apply_gradients([(tape.gradient(loss, w), w)])
        return loss
    n = 0
    while (batch := queue.get()) is not None:
        loss = train(batch); n += 1
    worker.join()
    print("batches", n, "loss ok", bool(loss < 10))
if __name__ == "__main__":
    main()
