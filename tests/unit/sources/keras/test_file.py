"""Keras files: counts are Keras' own, and nothing in a file can do harm."""

import json
import os
import pickle
import subprocess
import sys
import zipfile

import h5py
import keras
import made_checkpoints as made
import numpy as np
import pytest
from run_cli import SOURCES, run

L = keras.layers


def sequential():
    return keras.Sequential(
        [keras.Input((4,)), L.Dense(3, name="hidden"), L.Dropout(0.5), L.Dense(2, name="out")]
    )


def functional():
    left, right = keras.Input((4,), name="left"), keras.Input((4,), name="right")
    shared = L.Dense(3, name="shared")
    return keras.Model(
        [left, right], L.Add()([shared(left), L.BatchNormalization(name="bn")(shared(right))])
    )


def nested():
    """A model used twice inside another; both have a layer of the same name."""
    inner = keras.Sequential(
        [keras.Input((4,)), L.Dense(4, name="dense"), L.BatchNormalization(name="bn")], name="inner"
    )
    x = keras.Input((4,))
    return keras.Model(x, inner(L.Dense(4, name="dense")(inner(x))), name="outer")


def frozen():
    model = nested()
    model.get_layer("inner").get_layer("dense").trainable = False
    return model


def frozen_inner_model():
    model = nested()
    model.get_layer("inner").trainable = False
    return model


def all_frozen():
    model = functional()
    model.trainable = False
    return model


def recurrent():
    x = keras.Input((7,), dtype="int32")
    y = L.Embedding(11, 6, name="words")(x)
    y = L.Bidirectional(L.LSTM(3, return_sequences=True), name="both")(y)
    return keras.Model(x, L.GRU(2)(y))


def attention():
    x = keras.Input((5, 6))
    y = L.MultiHeadAttention(2, 3, name="attention")(x, x)
    return keras.Model(x, L.LayerNormalization()(y))


def convolutional():
    return keras.Sequential([
        keras.Input((8, 8, 3)),
        L.Normalization(),
        L.Conv2D(4, 3, use_bias=False),
        L.BatchNormalization(center=False),
        L.SeparableConv2D(4, 3),
        L.BatchNormalization(center=False, scale=False),
        L.Flatten(),
        L.Dense(2),
    ])  # fmt: skip


def wrapped_state():
    """A layer with state of its own inside a wrapper."""
    return keras.Sequential([keras.Input((5, 3)), L.TimeDistributed(L.BatchNormalization())])


MODELS = [sequential, functional, nested, frozen, frozen_inner_model, all_frozen, recurrent,
          attention, convolutional, wrapped_state]  # fmt: skip


def answer(*words):
    ran = run(*words, "--json")
    assert (ran.code, ran.err) == (0, ""), ran.err
    found = json.loads(ran.out)
    return found.get("data", found), found["warnings"]


def elements(weights):
    return sum(int(np.prod(w.shape)) for w in weights)


@pytest.fixture
def saved(tmp_path):
    def save(model, name):
        model.save(tmp_path / name)
        return tmp_path / name

    return save


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("suffix", ["keras", "h5"])
@pytest.mark.parametrize("build", MODELS, ids=lambda build: build.__name__)
def test_counts_are_keras_own(saved, build, suffix):
    model = build()
    found, _ = answer(saved(model, f"model.{suffix}"))
    params = found["params"]
    assert params["trainable"] == elements(model.trainable_weights)
    assert params["trainable"] + params["non_trainable"] == model.count_params()
    assert params["optimizer"] == 0


def test_seeds_of_dropout_are_not_counted_as_parameters(saved):
    model = sequential()
    model.compile("adam", "mse")
    model.fit(np.ones((2, 4)), np.ones((2, 2)), verbose=0)
    params = answer(saved(model, "model.keras"))[0]["params"]
    assert params["trainable"] + params["non_trainable"] == model.count_params()


def test_each_layer_has_its_weights_shapes_and_flags(saved):
    model = frozen()
    found, _ = answer(saved(model, "model.keras"))
    layers = {layer["layer"]: layer for layer in found["keras"]["layers"]}
    assert found["keras"]["name"] == "outer"
    assert found["keras"]["class"] == "Functional"
    assert found["keras"]["version"] == keras.__version__
    dense, inner = layers["dense"], layers["inner/dense"]
    assert (dense["class"], dense["trainable"], dense["params"]) == ("Dense", True, 20)
    assert (inner["trainable"], inner["params"]) == (False, 20)
    assert [w["shape"] for w in dense["weights"]] == [[4, 4], [4]]
    assert [w["trainable"] for w in inner["weights"]] == [False, False]
    state = [w["trainable"] for w in layers["inner/bn"]["weights"]]
    assert state == [True, True, False, False]
    assert {w["dtype"] for layer in layers.values() for w in layer["weights"]} == {"float32"}


def test_a_shared_layer_is_counted_once(saved):
    found, _ = answer(saved(functional(), "model.keras"))
    assert [layer["layer"] for layer in found["keras"]["layers"]].count("shared") == 1


def test_inputs_come_with_shape_and_type(saved):
    ran = run(saved(recurrent(), "model.keras"))
    assert ran.code == 0
    assert "int32 [?, 7]" in ran.out or "int32 [None, 7]" in ran.out or "int32 [-, 7]" in ran.out


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize("suffix", ["keras", "h5"])
def test_the_state_of_the_optimizer_is_apart(saved, suffix):
    model = functional()
    model.compile(keras.optimizers.Adam(0.1), "mse")
    model.fit([np.ones((2, 4)), np.ones((2, 4))], np.ones((2, 3)), verbose=0)
    params = answer(saved(model, f"model.{suffix}"))[0]["params"]
    assert params["trainable"] + params["non_trainable"] == model.count_params()
    assert params["optimizer"] == elements(model.optimizer.variables)
    assert params["optimizer"] > 2 * params["trainable"]


@pytest.mark.parametrize("build", [sequential, nested, recurrent, attention])
def test_weights_alone_are_counted_too(tmp_path, build):
    model = build()
    model.save_weights(tmp_path / "model.weights.h5")
    assert answer(tmp_path / "model.weights.h5")[0]["params"]["total"] == model.count_params()


def test_a_model_that_is_a_class_of_its_own_is_counted(tmp_path):
    class Own(keras.Model):
        def __init__(self):
            super().__init__()
            self.first, self.second = L.Dense(3), L.Dense(2)

        def call(self, x):
            return self.second(self.first(x))

    model = Own()
    model(np.ones((1, 4)))
    model.save(tmp_path / "model.keras")
    assert answer(tmp_path / "model.keras")[0]["params"]["total"] == model.count_params()


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_lists_of_names_that_hdf5_splits_are_read_whole(tmp_path):
    """An attribute holds 64 KB: Keras writes a longer list as weight_names0, weight_names1..."""
    layers = [L.Dense(2, name=f"layer_{number:03d}_" + "x" * 1200) for number in range(40)]
    inner = keras.Sequential([keras.Input((2,)), *layers], name="inner")
    model = keras.Sequential([keras.Input((2,)), inner])
    model.save(tmp_path / "model.h5")
    with h5py.File(tmp_path / "model.h5") as file:
        assert "weight_names0" in file["model_weights/inner"].attrs
    assert answer(tmp_path / "model.h5")[0]["params"]["trainable"] == model.count_params()


def test_in_a_folder_the_model_of_keras_is_found(tmp_path):
    sequential().save(tmp_path / "model.keras")
    made.small_checkpoint(tmp_path / "ckpt-1")
    found, _ = answer(tmp_path)
    assert found["params"]["trainable"] == 23


# nothing is executed


def test_a_lambda_layer_is_listed_and_not_run(tmp_path):
    import base64
    import marshal

    mark = tmp_path / "executed"
    code = compile(f"open({str(mark)!r}, 'w').close()", "lambda", "exec")
    config = {
        "class_name": "Sequential",
        "config": {
            "name": "evil",
            "layers": [
                {
                    "class_name": "Lambda",
                    "module": "keras.layers",
                    "config": {
                        "name": "bad",
                        "function": {
                            "class_name": "__lambda__",
                            "config": {"code": base64.b64encode(marshal.dumps(code)).decode()},
                        },
                    },
                },
                {"class_name": "system", "module": "os", "config": {"name": "odd"}},
            ],
        },
    }
    path = made.archive(tmp_path / "model.keras", {"config.json": json.dumps(config).encode()})
    for words in ([path], ["doctor", path]):
        ran = run(*words)
        assert ran.code == 0
    assert "Lambda" in run(path).out
    assert not mark.exists()


def test_a_real_lambda_layer_is_listed(tmp_path):
    model = keras.Sequential([keras.Input((3,)), L.Lambda(lambda x: x * 2, name="twice")])
    model.save(tmp_path / "model.keras")
    found, _ = answer(tmp_path / "model.keras")
    assert ("twice", "Lambda") in {(x["layer"], x["class"]) for x in found["keras"]["layers"]}


CONFIG = json.dumps({"class_name": "Sequential", "config": {"name": "m", "layers": []}}).encode()


class Harm:
    def __reduce__(self):
        return os.mkdir, ("/tmp/tfprof-must-not-exist",)  # noqa: S108


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("../x", b"data"),
        ("a/../../x", b"data"),
        ("/etc/x", b"data"),
        ("..\\x", b"data"),
        ("C:\\x", b"data"),
        ("assets/part.pkl", b"data"),
        ("assets/part.PICKLE", b"data"),
        ("weights.pt", b"data"),
        ("metadata.json", pickle.dumps(Harm())),
    ],
)
def test_tricks_in_an_archive_are_refused(tmp_path, name, content):
    path = made.archive(tmp_path / "model.keras", {"config.json": CONFIG, name: content})
    ran = run(path)
    assert (ran.code, ran.out) == (4, "")
    assert "refused" in ran.err
    assert name in ran.err or repr(name) in ran.err
    assert "unsafe-file" in ran.err
    assert not os.path.exists("/tmp/tfprof-must-not-exist")  # noqa: PTH110, S108
    looked = run("doctor", path)
    assert looked.code == 0
    assert "refused" in looked.out


def test_a_config_that_is_a_pickle_is_refused(tmp_path):
    path = made.archive(tmp_path / "model.keras", {"config.json": pickle.dumps(Harm())})
    ran = run(path)
    assert ran.code == 4
    assert "pickle" in ran.err


@pytest.mark.parametrize("name", ["config.json", "model.weights.h5"])
def test_a_gigabyte_of_zeros_is_refused_before_it_is_unpacked(tmp_path, name):
    path = tmp_path / "model.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as file:
        if name != "config.json":
            file.writestr("config.json", CONFIG)
        with file.open(name, "w", force_zip64=True) as member:
            for _ in range(256):
                member.write(bytes(1 << 22))
    assert path.stat().st_size < 10e6
    ran = run(path)
    assert (ran.code, ran.out) == (4, "")
    assert "1,073,741,824 bytes" in ran.err


def test_a_member_that_lies_about_its_size_is_refused(tmp_path):
    path = tmp_path / "model.keras"
    made.archive(path, {"config.json": CONFIG + b" " * 100_000}, deflate=True)
    data = bytearray(path.read_bytes())
    at = data.rindex(b"PK\x01\x02") + 24
    data[at : at + 4] = (50).to_bytes(4, "little")
    path.write_bytes(bytes(data))
    assert run(path).code == 4


@pytest.mark.parametrize(
    "config",
    [b"", b"{", b"[]", b"7", b"null", b"\xff\xfe", b"[" * 100_000, b'{"config": 5}',
     b'{"config": {"layers": 5}}', b'{"config": {"layers": [null, 5, []]}}',
     b'{"config": {"layers": [{"config": {"layers": {"a": 1}}}]}}'],
)  # fmt: skip
def test_a_config_that_is_none_is_answered_or_named(tmp_path, config):
    ran = run(made.archive(tmp_path / "model.keras", {"config.json": config}))
    assert ran.code in (0, 4)
    assert bool(ran.err) == (ran.code == 4)


def test_models_inside_models_without_end_are_taken(tmp_path):
    text = '{"class_name":"Dense","config":{"name":"d"}}'
    for _ in range(300):
        text = '{"class_name":"Sequential","config":{"name":"s","layers":[' + text + "]}}"
    ran = run(made.archive(tmp_path / "model.keras", {"config.json": text.encode()}))
    assert ran.code in (0, 4)


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_a_config_in_hdf5_that_is_no_text_is_named(saved):
    path = saved(sequential(), "model.h5")
    data = path.read_bytes()
    assert data.count(b'"Sequential"') == 1
    path.write_bytes(data.replace(b'"Sequential"', b'"\xeeequential"'))
    ran = run(path)
    assert ran.code in (0, 4), ran.err


# links


def weights_file(path, name):
    with h5py.File(path, "w") as file:
        own = file.create_group(f"layers/{name}/vars")
        own.attrs["name"] = name
        own["0"] = np.zeros((5, 5), np.float32)
    return path


@pytest.mark.parametrize("place", ["layers", "layers/other", "model_weights"])
def test_links_to_other_files_are_not_followed(tmp_path, place):
    target = weights_file(tmp_path / "target.h5", "secret")
    path = tmp_path / "model.weights.h5"
    with h5py.File(path, "w") as file:
        own = file.create_group("real/vars")
        own["0"] = np.zeros(3, np.float32)
        file[place] = h5py.ExternalLink(str(target), "/layers")
    found, _ = answer(path)
    # under this name, Keras 2 keeps all weights: then there are none
    assert found["params"]["total"] == (0 if place == "model_weights" else 3)
    assert "secret" not in json.dumps(found)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("place", ["layers", "model_weights", "vars"])
def test_the_target_of_a_link_is_not_even_opened(tmp_path, place):
    """Opening a pipe that nobody writes to would wait for ever."""
    os.mkfifo(tmp_path / "pipe")
    path = tmp_path / "model.weights.h5"
    with h5py.File(path, "w") as file:
        file[place] = h5py.ExternalLink(str(tmp_path / "pipe"), "/")
    assert in_process(path).returncode in (0, 4)


def test_soft_links_are_not_followed(tmp_path):
    path = weights_file(tmp_path / "model.weights.h5", "dense")
    with h5py.File(path, "a") as file:
        file["layers/again"] = h5py.SoftLink("/layers/dense")
    assert answer(path)[0]["params"]["total"] == 25


def test_groups_that_hold_themselves_end(tmp_path):
    """Two hard links to the group they lie in: 2 to the power of any depth paths."""
    path = weights_file(tmp_path / "model.weights.h5", "dense")
    with h5py.File(path, "a") as file:
        group = file["layers"]
        group["a"] = group
        group["b"] = group
    assert in_process(path).returncode in (0, 4)


# without h5py


def in_process(*words, without=()):
    """The command in a process of its own, in which some modules cannot be imported."""
    code = f"""
import sys

class Blocked:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {list(without)!r}:
            raise ModuleNotFoundError(name)

sys.meta_path.insert(0, Blocked())
from tfprof.cli.main import main

sys.exit(main({[str(word) for word in words]!r}))
"""
    return subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONPATH": str(SOURCES), "COLUMNS": "200"},
        capture_output=True, text=True, timeout=10, check=False,
    )  # fmt: skip


def test_without_h5py_the_architecture_is_shown_with_a_note(saved):
    path = saved(nested(), "model.keras")
    ran = in_process(path, without=["h5py"])
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Dense" in ran.stdout
    assert "h5py" in ran.stdout
    as_data = json.loads(in_process(path, "--json", without=["h5py"]).stdout)
    found = as_data.get("data", as_data)
    # as the configuration asks for them
    assert found["params"]["total"] == sum(x["params"] for x in found["keras"]["layers"]) == 56
    assert [x["layer"] for x in found["keras"]["layers"]].count("inner/dense") == 1


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_without_h5py_an_h5_file_is_exit_6_with_the_way_out(saved):
    ran = in_process(saved(sequential(), "model.h5"), without=["h5py"])
    assert (ran.returncode, ran.stdout) == (6, "")
    assert "h5py" in ran.stderr
    assert "pip install 'tfprof[keras]'" in ran.stderr


def test_reading_a_config_needs_neither_h5py_nor_keras(tmp_path):
    path = made.archive(tmp_path / "model.keras", {"config.json": CONFIG})
    ran = in_process(path, without=["h5py", "keras", "tensorflow"])
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Layers" in ran.stdout
