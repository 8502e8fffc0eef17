"""A trainer of one's own around `fit`, batches from a PyDataset in other processes."""

import keras
import numpy as np


class Batches(keras.utils.PyDataset):
    def __init__(self, count, size, **how):
        super().__init__(**how)
        self.count, self.size = count, size

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        rng = np.random.default_rng(index)
        x = rng.normal(size=(self.size, 10)).astype("float32")
        return x, (x[:, :1] > 0).astype("float32")


class Trainer:
    def __init__(self, model, epochs):
        self.model, self.epochs, self.history = model, epochs, []

    def run(self, batches):
        for _ in range(self.epochs):
            told = self.model.fit(batches, epochs=1, shuffle=False, verbose=0)
            self.history.append(told.history["loss"][-1])
        return self


def main():
    keras.utils.set_random_seed(23)
    model = keras.Sequential(
        [
            keras.Input((10,)),
            keras.layers.Dense(8, name="first"),
            keras.layers.Dense(1, activation="sigmoid", name="last"),
        ]
    )
    model.compile("sgd", "binary_crossentropy")
    with_processes = {"workers": 2, "use_multiprocessing": True, "max_queue_size": 4}
    trainer = Trainer(model, 3).run(Batches(12, 16, **with_processes))
    print(len(trainer.history), trainer.history[-1] < trainer.history[0])


if __name__ == "__main__":
    main()
