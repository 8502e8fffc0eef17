"""`subcommands.py train` and `subcommands.py export`, with options of their own."""

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np


def build(units):
    import keras  # it takes its time, and --help needs none of it

    keras.utils.set_random_seed(31)
    model = keras.Sequential(
        [
            keras.Input((6,)),
            keras.layers.Dense(units, name="hidden"),
            keras.layers.Dense(1, name="out"),
        ]
    )
    model.compile("adam", "mse")
    return model


def train(options):
    model = build(options.units)
    x = np.random.default_rng(31).normal(size=(options.steps * 8, 6)).astype("float32")
    told = model.fit(x, x[:, :1], batch_size=8, epochs=1, verbose=0, shuffle=False)
    print(f"loss {told.history['loss'][-1]:.3f}")
    return 3 if options.strict else 0


def export(options):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.keras"
        build(options.units).save(path)
        print(path.name, path.exists())
    return 0


def main(words=None):
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output", default="nowhere")
    commands = parser.add_subparsers(dest="command", required=True)
    one = commands.add_parser("train")
    one.add_argument("--steps", type=int, default=30)
    one.add_argument("--strict", action="store_true")
    one.set_defaults(run=train)
    commands.add_parser("export").set_defaults(run=export)
    for each in commands.choices.values():
        each.add_argument("--units", type=int, default=8)
    options = parser.parse_args(words)
    print(options.command, options.output)
    return options.run(options)


if __name__ == "__main__":
    sys.exit(main())
