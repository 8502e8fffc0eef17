#!/usr/bin/env python3
"""A program with options: logging, a `main` that returns its exit code, `train_on_batch`."""

import argparse
import logging
import sys


def parse_args(argv=None):
    parser = argparse.ArgumentParser(prog="train", description="Fit a line through points.")
    parser.add_argument("--epochs", type=int, default=3, metavar="N")
    parser.add_argument("--batch-size", type=int, default=32)
    parser.add_argument("--lr", "--learning-rate", dest="lr", type=float, default=0.05)
    parser.add_argument("--hidden", type=int, nargs="*", default=[32, 16])
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--api-key", help="of the service that results would be sent to")
    parser.add_argument("-v", "--verbose", action="count", default=0)
    parser.add_argument("target", choices=["sine", "parabola"], nargs="?", default="sine")
    return parser.parse_args(argv)


def make_points(target, count, seed):
    import numpy as np

    x = np.random.default_rng(seed).uniform(-1, 1, (count, 1)).astype("float32")
    return x, np.sin(3 * x) if target == "sine" else x**2


def build(hidden, lr):
    import keras

    model = keras.Sequential(name="curve")
    model.add(keras.Input((1,)))
    for units in hidden:
        model.add(keras.layers.Dense(units, activation="tanh"))
    model.add(keras.layers.Dense(1))
    model.compile(keras.optimizers.SGD(lr, momentum=0.9), "mse")
    return model


def main(argv=None):
    args = parse_args(argv)
    logging.basicConfig(level=logging.INFO if args.verbose else logging.WARNING)
    import keras

    keras.utils.set_random_seed(args.seed)
    x, y = make_points(args.target, 12 * args.batch_size, args.seed)
    model = build(args.hidden, args.lr)
    for epoch in range(args.epochs):
        for start in range(0, len(x), args.batch_size):
            part = slice(start, start + args.batch_size)
            loss = model.train_on_batch(x[part], y[part])
        logging.getLogger("train").info("epoch %d done", epoch + 1)
        print(f"epoch {epoch + 1}/{args.epochs}: loss {float(loss):.3f}")
    print("called as", sys.argv[0].rpartition("/")[2], sys.argv[1:])
    return 0 if float(loss) < 0.5 else 1


if __name__ == "__main__":
    sys.exit(main())
