import sys

import tensorflow as tf

from . import __version__, settings
from .data import series, windows
from .model import create


def run(steps, units):
    tf.keras.utils.set_random_seed(settings.SEED)
    model = create(units)
    model.compile("adam", "mae")
    history = model.fit(windows(series()), steps_per_epoch=steps // 2, epochs=2, verbose=0)
    return history.history["loss"]


if __name__ == "__main__":
    steps = int(sys.argv[sys.argv.index("--steps") + 1]) if "--steps" in sys.argv else 30
    print("trainer", __version__, "as", __name__, "in package", __package__)
    losses = run(steps, units=16)
    print("losses", " ".join(f"{loss:.2f}" for loss in losses))
