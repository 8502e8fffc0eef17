"""How fast checkpoints are listed, read and measured, next to `tf.train.load_checkpoint`.

    python benchmarks/checkpoints.py [--quick]

Every measurement is a process of its own that has its imports behind it; files are in the cache of
the system. A ratio above 1 says how many times as fast we are. TensorFlow writes the checkpoints.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from _measure import seconds

# what was promised
LISTING_SECONDS, ONE_SECONDS = 0.5, 0.2


@dataclass(frozen=True, slots=True)
class Sizes:
    names: int = 10_000
    tensors: int = 50
    elements: int = 1 << 20  # 4 MB each: 200 MB in all
    repeats: int = 5


QUICK = Sizes(500, 5, 1 << 16, 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, to try the script out")
    sizes = QUICK if parser.parse_args().quick else Sizes()
    if importlib.util.find_spec("tensorflow") is None:
        print("TensorFlow is not installed: nothing to write checkpoints with, nothing to compare")
        return
    if sizes is QUICK:
        print("Sizes too small for the ratios to mean anything: this only tries the script out")
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as folder:
        many, large = Path(folder) / "many", Path(folder) / "large"
        _apart("write", many, sizes.names, 1)
        _apart("write", large, sizes.tensors, sizes.elements)
        size = sizes.tensors * sizes.elements * 4 / 1e6
        _compare(f"List {sizes.names:,} tensors", "listed", many, sizes, limit=LISTING_SECONDS)
        one = f"Read one tensor of {size / sizes.tensors:.1f} MB out of {size:.0f} MB"
        _compare(one, "one", large, sizes, limit=ONE_SECONDS)
        _compare(f"Read one of {sizes.names:,} tensors", "one", many, sizes)
        _compare(f"Read all of {size:.0f} MB, verified", "whole", large, sizes, megabytes=size)
        _compare(f"Statistics of {size:.0f} MB", "stats", large, sizes, megabytes=size)


def _compare(
    title: str, what: str, prefix: Path, sizes: Sizes, *, limit: float = 0, megabytes: float = 0
) -> None:
    print(f"\n{title}")
    ours = _apart(f"our_{what}", prefix, sizes.repeats)
    theirs = _apart(f"their_{what}", prefix, sizes.repeats)
    for label, times in (("tfprof", ours), ("tf.train.load_checkpoint", theirs)):
        rate = f", {megabytes / min(times):7.0f} MB/s" if megabytes else ""
        _row(label, f"{min(times):8.4f} s best, {statistics.median(times):8.4f} s median{rate}")
    _row("ratio, best of each", f"{min(theirs) / min(ours):8.2f}x")
    _row("ratio, medians", f"{statistics.median(theirs) / statistics.median(ours):8.2f}x")
    if limit:
        word = "ok" if ours[0] <= limit else "MISSED"
        _row("our first time", f"{ours[0]:8.4f} s  limit {limit:g} s  {word}")


def _row(label: str, text: str) -> None:
    print(f"   {label:28} {text}")


def _apart(what: str, *arguments: object) -> list[float]:
    """The times a process of its own measured."""
    command = [sys.executable, __file__, "--measure", what, *map(str, arguments)]
    quiet = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": "-1"}
    done = subprocess.run(command, env=quiet, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{what} could not be measured:\n{done.stderr}")
    found: list[float] = json.loads(done.stdout.splitlines()[-1])
    return found


# what runs in a process of its own


def write(prefix: str, tensors: str, elements: str) -> list[float]:
    import numpy as np
    import tensorflow as tf

    rows = np.random.default_rng(1)
    values = [rows.normal(size=int(elements)).astype(np.float32) for _ in range(int(tensors))]
    tf.raw_ops.SaveV2(
        prefix=prefix,
        tensor_names=[f"model/layer_{number:05d}/kernel" for number in range(len(values))],
        shape_and_slices=[""] * len(values),
        tensors=[tf.constant(value) for value in values],
    )
    return []


def _times(repeats: str, work: Callable[[], object]) -> list[float]:
    return [seconds(work) for _ in range(int(repeats))]


def _ours(prefix: str) -> Any:
    from tfprof.sources.checkpoint.checkpoint import open_checkpoint

    return open_checkpoint(Path(f"{prefix}.index"))


def _imported() -> None:
    from tfprof.reports.summary import stored  # noqa: F401
    from tfprof.sources.files.registry import formats
    from tfprof.wire.schema import message_class

    formats()
    message_class("BundleEntryProto")


def _middle(names: list[str]) -> str:
    return sorted(names)[len(names) // 2]


def our_listed(prefix: str, repeats: str) -> list[float]:
    _imported()
    return _times(repeats, lambda: len(_ours(prefix).tensors))


def their_listed(prefix: str, repeats: str) -> list[float]:
    import tensorflow as tf

    def work() -> object:
        reader = tf.train.load_checkpoint(prefix)
        return reader.get_variable_to_shape_map(), reader.get_variable_to_dtype_map()

    return _times(repeats, work)


def our_one(prefix: str, repeats: str) -> list[float]:
    _imported()
    name = _middle(list(_ours(prefix).tensors))

    def work() -> object:
        checkpoint = _ours(prefix)
        return checkpoint.values(checkpoint.tensors[name])

    return _times(repeats, work)


def their_one(prefix: str, repeats: str) -> list[float]:
    import tensorflow as tf

    name = _middle(list(tf.train.load_checkpoint(prefix).get_variable_to_shape_map()))
    return _times(repeats, lambda: tf.train.load_checkpoint(prefix).get_tensor(name))


def our_whole(prefix: str, repeats: str) -> list[float]:
    _imported()

    def work() -> object:
        checkpoint = _ours(prefix)
        return [checkpoint.stored(tensor) for tensor in checkpoint.tensors.values()]

    return _times(repeats, work)


def their_whole(prefix: str, repeats: str) -> list[float]:
    import tensorflow as tf

    def work() -> object:
        reader = tf.train.load_checkpoint(prefix)
        return [reader.get_tensor(name) for name in reader.get_variable_to_shape_map()]

    return _times(repeats, work)


def our_stats(prefix: str, repeats: str) -> list[float]:
    _imported()
    from tfprof.reports.summary.stored import measured

    return _times(repeats, lambda: list(measured(_ours(prefix))))


def their_stats(prefix: str, repeats: str) -> list[float]:
    """The same numbers as a script would get them: TensorFlow's reader, then numpy."""
    import numpy as np
    import tensorflow as tf

    def of(value: Any) -> object:
        finite = value[np.isfinite(value)].astype(np.float64)
        exponents = np.frexp(finite)[1]
        return (
            int(np.isnan(value).sum()), int(np.isinf(value).sum()), int((value == 0).sum()),
            finite.min(), finite.max(), finite.mean(), finite.std(),
            np.unique(exponents[finite > 0], return_counts=True),
            np.unique(exponents[finite < 0], return_counts=True),
        )  # fmt: skip

    def work() -> object:
        reader = tf.train.load_checkpoint(prefix)
        return [of(reader.get_tensor(name)) for name in reader.get_variable_to_shape_map()]

    return _times(repeats, work)


MEASUREMENTS = {
    made.__name__: made
    for made in (write, our_listed, their_listed, our_one, their_one, our_whole, their_whole,
                 our_stats, their_stats)
}  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(json.dumps(MEASUREMENTS[sys.argv[2]](*sys.argv[3:])))
    else:
        main()
