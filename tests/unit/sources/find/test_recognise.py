"""A file is told by its bytes, whatever its name says."""

import gzip
import io
import json
import os
import pickle
import zipfile

import numpy as np
import pytest
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.profiler import tfprof_log_pb2

from tfprof.errors import AccessDenied, EmptyFile, PathNotFound, WrongKind
from tfprof.sources.files.registry import formats, register
from tfprof.sources.find.recognise import recognise

SAMPLES = {
    "keras_mlp_fwd.graph.pb": "GraphDef",
    "keras_mlp_train.graph.pb": "GraphDef",
    "keras_lstm_fwd.graph.pb": "GraphDef",
    "keras_lstm_train.graph.pb": "GraphDef",
    "keras_MobileNetV2_fwd.graph.pb": "GraphDef",
    "keras_MobileNetV2_train.graph.pb": "GraphDef",
    "keras_bert_base_fwd.graph.pb": "GraphDef",
    "resnet32/graph.pb": "GraphDef",
    "keras_mlp_fwd.graph.pbtxt": "GraphDef text",
    "keras_lstm_fwd.graph.pbtxt": "GraphDef text",
    "keras_mlp_train.graph.pbtxt": "GraphDef text",
    "resnet50_infer_b1.meta": "MetaGraphDef",
    "unet_bn_cond_train.meta": "MetaGraphDef",
    "resnet32/model.ckpt.meta": "MetaGraphDef",
    "keras_mlp_train_b8_default.runmeta.pb": "RunMetadata",
    "resnet50_infer_b1.runmeta.pb": "RunMetadata",
    "resnet32/run_meta": "RunMetadata",
    "resnet32/tfprof_log": "OpLog",
    "keras_mlp_train_vars.json": "variable table",
    "resnet32/model.ckpt.index": "checkpoint",
    "resnet32/checkpoint": "checkpoint state",
    "tiny.xplane.pb": "XPlane",
    "events.out.tfevents.1794767020.vm.16101.0.v2": "event file",
}
MISLEADING = [
    "graph.pb",
    "run_meta",
    "x.meta",
    "saved_model.pb",
    "tfprof_log",
    "a.txt",
    "a.xplane.pb",
]


@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_is_recognised_under_its_own_name(samples, sample):
    assert recognise(samples / sample).name == SAMPLES[sample]


@pytest.mark.parametrize("name", MISLEADING)
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_sample_is_recognised_under_a_misleading_name(samples, tmp_path, sample, name):
    path = tmp_path / name
    path.symlink_to(samples / sample)
    assert recognise(path).name == SAMPLES[sample]


@pytest.mark.parametrize("name", ["run_meta", "graph.pb", "x.meta"])
def test_what_tensorflow_exports_is_recognised_under_a_misleading_name(
    made, unet_profile, tmp_path, name
):
    files = {
        made("mlp_saved_model") / "saved_model.pb": "SavedModel",
        made("tf1_saved_model") / "saved_model.pb": "SavedModel",
        made("mobilenet_saved_model") / "saved_model.pb": "SavedModel",
        unet_profile: "ProfileProto",
    }
    for number, (path, expected) in enumerate(files.items()):
        link = tmp_path / str(number) / name
        link.parent.mkdir()
        link.symlink_to(path)
        assert recognise(link).name == expected


def _as_text(samples, tmp_path, message, sample):
    parsed = message.FromString((samples / sample).read_bytes())
    path = tmp_path / "file"
    path.write_text(text_format.MessageToString(parsed), encoding="utf-8")
    return path


def test_text_forms_are_told_apart_by_their_fields(samples, made, tmp_path):
    from tensorflow.core.protobuf import saved_model_pb2

    cases = {
        "OpLog text": (tfprof_log_pb2.OpLogProto, samples, "resnet32/tfprof_log"),
        "RunMetadata text": (
            tf.compat.v1.RunMetadata,
            samples,
            "keras_mlp_train_b8_default.runmeta.pb",
        ),
        "MetaGraphDef text": (tf.compat.v1.MetaGraphDef, samples, "resnet50_infer_b1.meta"),
        "SavedModel text": (
            saved_model_pb2.SavedModel,
            made("tf1_saved_model"),
            "saved_model.pb",
        ),
    }
    for expected, (message, folder, sample) in cases.items():
        assert recognise(_as_text(folder, tmp_path, message, sample)).name == expected


def test_a_checkpoint_that_tensorflow_writes_is_recognised(tmp_path):
    tf.train.Checkpoint(v=tf.Variable([1.0, 2.0])).write(str(tmp_path / "model.ckpt"))
    found = {path.name: recognise(path).name for path in tmp_path.iterdir()}
    assert found == {
        "model.ckpt.index": "checkpoint",
        "model.ckpt.data-00000-of-00001": "checkpoint data",
    }


def test_keras_files_are_recognised(tmp_path):
    import keras

    model = keras.Sequential([keras.layers.Input((2,)), keras.layers.Dense(1)])
    model.save(tmp_path / "model.keras")
    assert recognise(tmp_path / "model.keras").name == "Keras model"
    (tmp_path / "w.h5").write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(100))
    assert recognise(tmp_path / "w.h5").name == "HDF5"


def test_a_graph_of_one_node_is_recognised(tmp_path):
    graph = tf.compat.v1.GraphDef()
    graph.node.add(name="a", op="NoOp")
    (tmp_path / "x").write_bytes(graph.SerializeToString())
    assert recognise(tmp_path / "x").name == "GraphDef"
    (tmp_path / "y").write_text(text_format.MessageToString(graph), encoding="utf-8")
    assert recognise(tmp_path / "y").name == "GraphDef text"


def _zip():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a", "b")
    return out.getvalue()


def _npy():
    out = io.BytesIO()
    np.save(out, np.arange(3))
    return out.getvalue()


FOREIGN = {
    "a Python file": b"import tensorflow as tf\n\n\ndef model(x):\n    return tf.nn.relu(x)\n",
    "a PNG picture": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08",
    "a JPEG picture": b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01",
    "a PDF document": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n1 0 obj\n",
    "a JSON file": json.dumps({"epochs": 3, "name": "x"}, indent=2).encode(),
    "a gzip archive": gzip.compress(b"hello" * 50),
    "a zip archive": _zip(),
    "a NumPy array": _npy(),
    "a Python pickle": pickle.dumps({"a": list(range(50))}),
    "an HTML page": b"<!DOCTYPE html>\n<html><body>not found</body></html>\n",
    "a text file": b"Epoch 1/3\nloss 0.3\nEpoch 2/3\n",
    "a TensorFlow Lite model": b"\x1c\x00\x00\x00TFL3\x14\x00\x20\x00\x1c\x00\x18\x00",
    "a compiled program": b"\x7fELF\x02\x01\x01\x00" + bytes(56),
    "an SQLite database": b"SQLite format 3\x00\x10\x00\x01\x01\x00",
    "binary data": bytes(range(200, 256)) * 10,
}


@pytest.mark.parametrize("name", ["graph.pb", "run_meta", "noname"])
@pytest.mark.parametrize("what", FOREIGN)
def test_a_foreign_file_is_named_for_what_it_is(tmp_path, what, name):
    path = tmp_path / name
    path.write_bytes(FOREIGN[what])
    with pytest.raises(WrongKind, match=what) as caught:
        recognise(path)
    assert caught.value.where == str(path)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("suffix", "what"), [(".py", "a Python file"), (".md", "a Markdown"), (".csv", "a CSV")]
)
def test_text_without_a_telling_beginning_is_named_by_its_suffix(tmp_path, suffix, what):
    path = tmp_path / f"file{suffix}"
    path.write_bytes(b"one, two\nthree, four\n")
    with pytest.raises(WrongKind, match=what):
        recognise(path)


def test_noise_is_no_format(tmp_path):
    noise = np.random.default_rng(7)
    path = tmp_path / "graph.pb"
    for size in (1, 2, 7, 100, 1000, 100_000):
        for _ in range(20):
            path.write_bytes(noise.bytes(size))
            # a very short file may be a message by chance; a longer one is none
            try:
                found = recognise(path).name
            except WrongKind:
                continue
            assert size < 100, f"{size} random bytes are a {found}"


def test_an_empty_file_is_no_format(tmp_path):
    path = tmp_path / "graph.pb"
    path.touch()
    with pytest.raises(EmptyFile):
        recognise(path)


def test_a_path_that_is_not_there_says_so(tmp_path):
    with pytest.raises(PathNotFound):
        recognise(tmp_path / "gone")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_says_so(samples, tmp_path):
    path = tmp_path / "graph.pb"
    path.write_bytes((samples / "keras_mlp_fwd.graph.pb").read_bytes())
    path.chmod(0)
    with pytest.raises(AccessDenied):
        recognise(path)


def test_a_folder_is_not_a_file(tmp_path):
    with pytest.raises(AccessDenied):
        recognise(tmp_path)


def test_two_formats_of_one_name_are_a_mistake():
    with pytest.raises(ValueError, match="GraphDef"):
        register(formats()["GraphDef"])


@pytest.mark.parametrize("sample", ["tiny.xplane.pb"])
def test_a_file_that_went_through_a_text_conversion_says_so(samples, tmp_path, sample):
    path = tmp_path / sample
    data = (samples / sample).read_bytes() * 30  # a capture of many numbers: some are no text
    data = data.replace(b"\x08", b"\x88")
    path.write_bytes(data.decode("utf-8", "replace").encode())
    with pytest.raises(WrongKind, match="a text conversion has destroyed") as caught:
        recognise(path)
    assert "binary" in caught.value.hint
