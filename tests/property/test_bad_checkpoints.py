"""Damaged checkpoints, logs and Keras files: an answer or one clear message, never a crash.

Every file goes through `summary`, `summary --stats` and `doctor`. A failure names the damage, so
that it can be made again.
"""

import json
import os
import random
import shutil
import subprocess
import sys
import time
import traceback
import warnings

import numpy as np
import pytest
from run_cli import environment, run

SECONDS = 5
FEW, MANY = 40, 200
STORED = ["index", "sliced index", "data", "early"]
THROUGH_H5PY = ["keras", "h5", "weights"]
KINDS = [*STORED, "events", *THROUGH_H5PY]


@pytest.fixture(scope="session")
def victims(tmp_path_factory):
    """For each kind: the folder, the file in it that is damaged, and the path to ask about."""
    import keras
    import made_checkpoints as made
    import tensorflow as tf

    keras.utils.clear_session()  # whose counters would be part of names
    keras.utils.set_random_seed(6)
    root = tmp_path_factory.mktemp("bad_checkpoints")
    tensors = {
        "layer/kernel": made.random_of("float32", (20, 10)),
        "layer/bias": tf.zeros([10], tf.bfloat16),
        "names": tf.constant(made.STRINGS[:4]),
        "step": tf.constant(3, tf.int64),
    }
    prefix = made.save(root / "whole/model", tensors)
    slices = {"w@0": "4 2 0,2:-", "w@1": "4 2 2,2:-"}
    parts = {"w@0": tf.ones([2, 2]), "w@1": tf.zeros([2, 2])}
    sliced = made.save(root / "sliced/model", parts, slices)
    (root / "early").mkdir()
    early = made.early_checkpoint(root / "early/model.ckpt")
    (root / "events").mkdir()
    events = made.event_file(root / "events/events.out.tfevents.1700000000.host")
    (root / "keras").mkdir()
    # tiny: most bytes of its files are structure, not values
    model = keras.Sequential(
        [
            keras.Input((4,), name="x"),
            keras.layers.Dense(3, name="first"),
            keras.layers.BatchNormalization(name="normal"),
            keras.layers.Dense(2, name="second"),
        ],
        name="tiny",
    )
    model.compile("adam", "mse")
    model.save(root / "keras/model.keras")
    with warnings.catch_warnings(action="ignore"):
        (root / "h5").mkdir()
        model.save(root / "h5/model.h5")
    (root / "weights").mkdir()
    model.save_weights(root / "weights/model.weights.h5")
    return {
        "index": (made.index(prefix), made.index(prefix)),
        "sliced index": (made.index(sliced), made.index(sliced)),
        "data": (made.shard(prefix), made.index(prefix)),
        "early": (early, early),
        "events": (events, events),
        "keras": (root / "keras/model.keras",) * 2,
        "h5": (root / "h5/model.h5",) * 2,
        "weights": (root / "weights/model.weights.h5",) * 2,
    }


def _problem(*words) -> str:
    """What is wrong with the way tfprof takes this; empty if nothing is."""
    started = time.monotonic()
    try:
        ran = run(*words)
    except BaseException:  # noqa: BLE001  (what we look for)
        return traceback.format_exc(limit=-4)
    seconds = time.monotonic() - started
    if seconds > SECONDS:
        return f"took {seconds:.1f} s"
    if ran.code == 0:
        return "" if ran.out and not ran.err else f"exit 0, {ran.out!r}, {ran.err!r}"
    lines = ran.err.splitlines()
    # --stats needs a checkpoint: a damaged file may no longer be one
    allowed = (2, 4) if "--stats" in words else (4,)
    if ran.code not in allowed or words[0] == "doctor":
        return f"exit {ran.code}: {ran.err}"
    if ran.out or not lines or not lines[0].startswith("tfprof: ") or len(lines) > 3:
        return f"exit {ran.code} with stdout {ran.out!r} and stderr {ran.err!r}"
    return ""


def _checked(asked, kind):
    asks = [["summary", asked], ["doctor", asked]]
    if kind in STORED:
        asks.append(["summary", asked, "--stats"])
    for words in asks:
        problem = _problem(*words)
        if problem:
            return f"{' '.join(map(str, words))}: {problem}"
    return ""


class Bench:
    """A copy of a victim whose content can be replaced."""

    def __init__(self, victim, folder):
        damaged, asked = victim
        shutil.copytree(damaged.parent, folder / "copy")
        self.file = folder / "copy" / damaged.name
        self.asked = folder / "copy" / asked.name
        self.whole = damaged.read_bytes()


def _cuts(size, count, kind):
    edges = [1, 2, 3, 8, 47, 48, 49, size - 1, size - 2, size - 5, size - 48, size - 49]
    chance = random.Random(f"cut {kind}")  # noqa: S311
    edges = sorted({end for end in edges if 0 < end < size})
    return [*edges, *(chance.randrange(1, size) for _ in range(count - len(edges)))]


def _flipped(data, seed):
    chance = random.Random(seed)  # noqa: S311
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 8])):
        # what describes the rest lies at either end
        where = chance.random()
        low = max(0, len(data) - 1024) if where < 0.3 else 0
        high = min(len(data), 1024) if 0.3 <= where < 0.6 else len(data)
        changed[chance.randrange(low, high)] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _check_cuts(kind, victims, folder, count):
    whole = victims[kind][0].read_bytes()
    contents = {f"cut after byte {end}": whole[:end] for end in _cuts(len(whole), count, kind)}
    _check(kind, victims, folder, contents)


def _check_flips(kind, victims, folder, count):
    whole = victims[kind][0].read_bytes()
    seeds = [f"flip {kind} {number}" for number in range(count)]
    _check(kind, victims, folder, {seed: _flipped(whole, seed) for seed in seeds})


def _check(kind, victims, folder, contents):
    if kind in THROUGH_H5PY:
        failures = _checked_apart(victims[kind][0].name, folder, contents)
    else:
        bench = Bench(victims[kind], folder)
        failures = {}
        for damage, content in contents.items():
            bench.file.write_bytes(content)
            failures[damage] = _checked(bench.asked, kind)
    failures = {damage: text for damage, text in failures.items() if text}
    assert not failures, _report(victims[kind][0], failures)


def _checked_apart(name, folder, contents):
    """In a process of its own: the library below h5py may crash on a damaged file.

    Each file is asked twice, and each time another process reads it: seconds on a busy machine.
    """
    paths = []
    for number, content in enumerate(contents.values()):
        paths.append(folder / str(number) / name)
        paths[-1].parent.mkdir()
        paths[-1].write_bytes(content)
    failures, left = {}, list(zip(contents, paths, strict=True))
    while left:
        done = subprocess.run(
            [sys.executable, __file__], input="\n".join(str(path) for _, path in left),
            env=environment(TFPROF_DEBUG=1, PYTHONPATH=os.pathsep.join(sys.path)),
            capture_output=True, text=True, timeout=100 + 2 * len(left), check=False,
        )  # fmt: skip
        found = [json.loads(line) for line in done.stdout.splitlines()]
        failures |= {damage: text for (damage, _), text in zip(left, found, strict=False)}
        left = left[len(found) :]
        if left:
            failures[left[0][0]] = f"the process died ({done.returncode}): {done.stderr[:600]}"
            left = left[1:]
    return failures


def _report(path, failures):
    shown = "\n".join(f"--- {damage}: {text}" for damage, text in list(failures.items())[:8])
    return f"{len(failures)} problems with {path.name}\n{shown}"


@pytest.fixture(autouse=True)
def raised(monkeypatch):
    monkeypatch.setenv("TFPROF_DEBUG", "1")


@pytest.mark.parametrize("kind", KINDS)
def test_the_whole_file_is_answered(kind, victims, tmp_path):
    assert _checked(Bench(victims[kind], tmp_path).asked, kind) == ""
    assert run("summary", victims[kind][1]).code == 0


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_cut_off_anywhere_is_answered_or_named(kind, victims, tmp_path):
    _check_cuts(kind, victims, tmp_path, FEW)


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_with_flipped_bits_is_answered_or_named(kind, victims, tmp_path):
    _check_flips(kind, victims, tmp_path, FEW)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_cut_off_at_many_places_is_answered_or_named(kind, victims, tmp_path):
    _check_cuts(kind, victims, tmp_path, MANY)


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_a_file_with_many_flipped_bits_is_answered_or_named(kind, victims, tmp_path):
    _check_flips(kind, victims, tmp_path, MANY)


@pytest.mark.long
@pytest.mark.parametrize(("kind", "first"), [("h5", 0), ("weights", 1)])
def test_no_byte_of_the_head_of_an_hdf5_file_brings_the_process_down(
    kind, first, victims, tmp_path
):
    """It holds types and sizes of attributes, which the library below h5py believes.

    Each is read in a process of its own: of all bytes two thirds are tried, in one kind or another.
    """
    whole = victims[kind][0].read_bytes()
    contents = {}
    for position in range(first, 1500, 3):
        changed = bytearray(whole)
        changed[position] ^= 2
        contents[f"byte {position} changed by 2"] = bytes(changed)
    _check(kind, victims, tmp_path, contents)


# the end is missing: an error, or a warning; never an answer as if nothing had happened


@pytest.mark.parametrize("kind", ["index", "early", "keras", "h5"])
def test_files_that_are_read_from_their_end_are_errors_without_it(kind, victims, tmp_path):
    bench = Bench(victims[kind], tmp_path)
    chance = np.random.default_rng(4)
    for end in [1, len(bench.whole) - 1, *chance.integers(1, len(bench.whole), 10).tolist()]:
        bench.file.write_bytes(bench.whole[:end])
        ran = run("summary", bench.asked)
        assert (ran.code, ran.out) == (4, ""), end


@pytest.mark.parametrize("command", ["summary", "stats", "doctor"])
def test_a_data_file_without_its_end_is_noticed(command, victims, tmp_path):
    bench = Bench(victims["data"], tmp_path)
    words = {"summary": ["summary"], "stats": ["summary", "--stats"], "doctor": ["doctor"]}[command]
    for end in (1, len(bench.whole) // 2, len(bench.whole) - 1):
        bench.file.write_bytes(bench.whole[:end])
        ran = run(*words, bench.asked)
        assert ran.code in (0, 4)
        # the name of the shard may be broken over two lines
        assert bench.file.name in "".join((ran.err if ran.code else ran.out).split()), end


def test_an_emptied_data_file_is_an_error_for_stats(victims, tmp_path):
    bench = Bench(victims["data"], tmp_path)
    bench.file.write_bytes(b"")
    ran = run("summary", bench.asked, "--stats")
    assert ran.code == 4
    assert "tensor" in ran.err


def test_a_data_file_of_zeros_is_an_error_for_stats(victims, tmp_path):
    """What a crash of the machine leaves: the size is right, the content is not."""
    bench = Bench(victims["data"], tmp_path)
    bench.file.write_bytes(bytes(len(bench.whole)))
    ran = run("summary", bench.asked, "--stats")
    assert ran.code == 4
    assert "checksum" in ran.err


if __name__ == "__main__":
    # the process of its own: a path a line, what is wrong with each a line
    for line in sys.stdin:
        print(json.dumps(_checked(line.strip(), "")), flush=True)
