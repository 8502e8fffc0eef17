"""Steps of some 20 ms, as many as asked for; `python long_run.py RESULT [STEPS]`.

A line a step tells whoever reads along how far it is; the result is written when all is done.
"""

import sys
import time
from pathlib import Path

import keras
import numpy as np

keras.utils.set_random_seed(2)
result, steps = Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 60


class Told(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        print(f"step {batch + 1}", flush=True)
        time.sleep(0.02)


rng = np.random.default_rng(2)
x = rng.normal(0, 1, (16 * steps, 20)).astype("float32")
model = keras.Sequential(
    [keras.Input((20,)), keras.layers.Dense(32, activation="relu"), keras.layers.Dense(1)]
)
model.compile("sgd", "mse")
model.fit(x, x.sum(axis=1), batch_size=16, shuffle=False, verbose=0, callbacks=[Told()])
result.write_text(f"{float(np.sum([np.abs(w).sum() for w in model.get_weights()])):.4f}\n")
print("finished")
