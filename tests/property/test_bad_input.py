"""Damaged files, cut off or with wrong bytes: an answer or one clear message, never a crash.

A failure names the file, the kind of damage and its seed, so that it can be made again.
"""

import json
import random
import time
import traceback
from pathlib import Path

import made_by_tensorflow
import pytest
import tensorflow as tf
from fuzz.odd import flipped
from google.protobuf import text_format
from google.protobuf.message import DecodeError
from run_cli import run

from tfprof.wire.schema import message_class

SECONDS = 5
FEW, MANY = 40, 200


def _keras_model(path):
    made_by_tensorflow.small_mlp().save(path)
    return path


@pytest.fixture(scope="session")
def victims(samples, made, unet_profile, tmp_path_factory):
    """Small files of each kind under their usual names, with the message they hold."""
    folder = tmp_path_factory.mktemp("victims")

    def put(name, content):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    with made_by_tensorflow.tf1_graph(
        lambda: tf.compat.v1.train.AdamOptimizer(0.1)
    ).as_default() as graph:
        meta = tf.compat.v1.train.export_meta_graph()
        log = made_by_tensorflow.op_log(graph.as_graph_def().SerializeToString(), [("y", 7)])
    train = (samples / "keras_mlp_train.graph.pb").read_bytes()
    run_meta = (samples / "keras_mlp_train_b8_default.runmeta.pb").read_bytes()
    profile = made_by_tensorflow.profile_proto(train, {0: run_meta})
    return {
        "graph": (samples / "keras_mlp_fwd.graph.pb", "GraphDef"),
        "graph with functions": (samples / "keras_lstm_fwd.graph.pb", "GraphDef"),
        "text graph": (samples / "keras_mlp_fwd.graph.pbtxt", "GraphDef"),
        "text graph with functions": (samples / "keras_lstm_fwd.graph.pbtxt", "GraphDef"),
        "meta": (put("model.ckpt-1.meta", meta.SerializeToString()), "MetaGraphDef"),
        "saved model": (made("mlp_saved_model") / "saved_model.pb", "SavedModel"),
        "old saved model": (made("tf1_saved_model") / "saved_model.pb", "SavedModel"),
        "run": (samples / "keras_mlp_train_b8_default.runmeta.pb", "RunMetadata"),
        "capture": (samples / "tiny.xplane.pb", "XSpace"),
        "op log": (put("tfprof_log", log), "OpLogProto"),
        "profile": (put("profile_0", profile), "ProfileProto"),
        "variable table": (samples / "keras_mlp_train_vars.json", "JSON"),
        # of these, nothing here can tell whether what is left of them is whole
        "checkpoint": (samples / "resnet32/model.ckpt.index", ""),
        "event file": (samples / "events.out.tfevents.1794767020.vm.16101.0.v2", ""),
        "Keras model": (_keras_model(folder / "model.keras"), ""),
        # for the long run
        "large graph": (samples / "keras_MobileNetV2_train.graph.pb", "GraphDef"),
        "large meta": (samples / "resnet32/model.ckpt.meta", "MetaGraphDef"),
        "large saved model": (made("mobilenet_saved_model") / "saved_model.pb", "SavedModel"),
        "large run": (samples / "resnet32/run_meta", "RunMetadata"),
        "large capture": (samples / "xplane/slow-trace.xplane.pb", "XSpace"),
        "large op log": (samples / "resnet32/tfprof_log", "OpLogProto"),
        "large profile": (unet_profile, "ProfileProto"),
        "large text graph": (samples / "keras_mlp_train.graph.pbtxt", "GraphDef"),
    }


SMALL = [
    "graph",
    "graph with functions",
    "text graph",
    "text graph with functions",
    "meta",
    "saved model",
    "old saved model",
    "run",
    "capture",
    "op log",
    "profile",
    "variable table",
    "checkpoint",
    "event file",
    "Keras model",
]
LARGE = [
    "large graph",
    "large meta",
    "large saved model",
    "large run",
    "large capture",
    "large op log",
    "large profile",
    "large text graph",
]


def _is_whole(data: bytes, message: str, *, text: bool) -> bool:
    """Whether the content is a message of its kind all the same."""
    if not message:
        return True
    try:
        if message == "JSON":
            json.loads(data)
        elif text:
            text_format.Parse(data, message_class(message)(), allow_unknown_field=True)
        else:
            message_class(message).FromString(data)
    except (DecodeError, text_format.ParseError, ValueError):
        return False
    return True


def _problem(path: Path, *, cut: str = "") -> str:  # noqa: PLR0911
    """What is wrong with the way tfprof takes this file; empty if nothing is."""
    started = time.monotonic()
    try:
        ran = run(path)
    except Exception:  # noqa: BLE001  (what we look for)
        return traceback.format_exc(limit=-3)
    seconds = time.monotonic() - started
    words = " ".join(ran.out.split())
    if seconds > SECONDS:
        return f"took {seconds:.1f} s"
    if ran.code not in (0, 4):
        return f"exit {ran.code}: {ran.err}"
    if ran.code == 0 and (not words or ran.err):
        return f"exit 0 with stdout {ran.out!r} and stderr {ran.err!r}"
    if ran.code == 0 and cut == "inside" and "ends early" not in words:
        return f"no warning that the file ends early:\n{ran.out}"
    if ran.code == 4:
        first, *more = ran.err.splitlines() or [""]
        if ran.out or not first.startswith(f"tfprof: {path}: ") or len(more) > 2:
            return f"exit 4 with stdout {ran.out!r} and stderr {ran.err!r}"
        if "tfprof explain " not in more[-1]:
            return f"no reference in {ran.err!r}"
    return ""


def _doctor_problem(path: Path) -> str:
    try:
        ran = run("doctor", path)
    except Exception:  # noqa: BLE001
        return "doctor: " + traceback.format_exc(limit=-3)
    return "" if ran.code == 0 and ran.out else f"doctor: exit {ran.code}: {ran.err}"


def _cut_positions(size: int, count: int, kind: str) -> list[int]:
    """The edges, and random places in between."""
    edges = [1, 2, 3, 5, 10, size - 1, size - 2, size - 5]
    chance = random.Random(f"cut {kind}")  # noqa: S311
    return [*edges, *(chance.randrange(1, size) for _ in range(count - len(edges)))]


def _check_cuts(kind, victims, folder, monkeypatch, count):
    monkeypatch.setenv("TFPROF_DEBUG", "1")
    path, message = victims[kind]
    data = path.read_bytes()
    target = folder / path.name
    failures = {}
    for number, end in enumerate(_cut_positions(len(data), count, kind)):
        target.write_bytes(data[:end])
        whole = _is_whole(data[:end], message, text="text" in kind)
        problem = _problem(target, cut="" if whole else "inside")
        if number % 5 == 0 and not problem:
            problem = _doctor_problem(target)
        if problem:
            failures[end] = problem
    assert not failures, _report(path, "cut after byte", failures)


def _check_flips(kind, victims, folder, monkeypatch, count):
    monkeypatch.setenv("TFPROF_DEBUG", "1")
    path, _ = victims[kind]
    data = path.read_bytes()
    target = folder / path.name
    failures = {}
    for number in range(count):
        seed = f"flip {kind} {number}"
        target.write_bytes(flipped(data, random.Random(seed)))  # noqa: S311
        problem = _problem(target)
        if number % 5 == 0 and not problem:
            problem = _doctor_problem(target)
        if problem:
            failures[seed] = problem
    assert not failures, _report(path, "seed", failures)


def _report(path, what, failures):
    shown = "\n".join(f"--- {what} {key}: {problem}" for key, problem in failures.items())
    return f"{len(failures)} problems with {path.name}\n{shown}"


@pytest.mark.parametrize("kind", SMALL)
def test_a_file_cut_off_anywhere_is_answered_or_named(kind, victims, tmp_path, monkeypatch):
    _check_cuts(kind, victims, tmp_path, monkeypatch, FEW)


@pytest.mark.parametrize("kind", SMALL)
def test_a_file_with_wrong_bytes_is_answered_or_named(kind, victims, tmp_path, monkeypatch):
    _check_flips(kind, victims, tmp_path, monkeypatch, FEW)


@pytest.mark.long
@pytest.mark.parametrize("kind", [*SMALL, *LARGE])
def test_any_sample_cut_off_anywhere_is_answered_or_named(kind, victims, tmp_path, monkeypatch):
    _check_cuts(kind, victims, tmp_path, monkeypatch, MANY)


@pytest.mark.long
@pytest.mark.parametrize("kind", [*SMALL, *LARGE])
def test_any_sample_with_wrong_bytes_is_answered_or_named(kind, victims, tmp_path, monkeypatch):
    _check_flips(kind, victims, tmp_path, monkeypatch, MANY)


@pytest.mark.parametrize("kind", SMALL)
def test_an_emptied_file_is_named(kind, victims, tmp_path):
    target = tmp_path / victims[kind][0].name
    target.touch()
    ran = run(target)
    assert ran.code == 4
    assert ran.out == ""
    assert "empty" in ran.err


@pytest.mark.parametrize("kind", SMALL)
def test_a_file_of_zeros_is_named(kind, victims, tmp_path):
    """What a crash of the machine leaves: the size is right, the content is not."""
    path, _ = victims[kind]
    target = tmp_path / path.name
    target.write_bytes(bytes(path.stat().st_size))
    ran = run(target)
    assert ran.code == 4
    assert str(target) in ran.err
