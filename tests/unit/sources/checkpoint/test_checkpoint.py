"""Checkpoints: every value is the one TensorFlow reads, and damage is named."""

import gzip
import shutil
from pathlib import Path

import made_checkpoints as made
import numpy as np
import pytest
import tensorflow as tf
from run_cli import run

from tfprof.analyses.checkpoint.verify import damaged_tensors
from tfprof.errors import CorruptFile, InputUnreadable, PathNotFound, TfprofError
from tfprof.model.checkpoint import OBJECT_GRAPH_KEY
from tfprof.sources.checkpoint.checkpoint import open_checkpoint
from tfprof.sources.checkpoint.objects import readable_key
from tfprof.sources.checkpoint.places import columns_of
from tfprof.sources.files.reader import FileReader
from tfprof.wire import dtypes
from tfprof.wire.schema import message_class
from tfprof.wire.spans import Spans
from tfprof.wire.table import EntryColumns

VALUES = Path(__file__).parents[3] / "checkpoints"
DTYPES = [*made.NUMPY_TYPES, "bool", *made.QUANTISED, *made.FOUR_BITS]


@pytest.fixture(scope="session")
def resnet32(samples, tmp_path_factory):
    """A checkpoint of a real training run, with its values."""
    folder = tmp_path_factory.mktemp("resnet32")
    shutil.copyfile(samples / "resnet32/model.ckpt.index", folder / "model.ckpt.index")
    packed = (VALUES / "resnet32.data-00000-of-00001.gz").read_bytes()
    made.shard(folder / "model.ckpt").write_bytes(gzip.decompress(packed))
    return folder / "model.ckpt"


def alike(prefix, key):
    """Whether our bits, type and shape of a tensor are TensorFlow's."""
    checkpoint = made.opened(prefix)
    tensor = checkpoint.tensors[key]
    theirs = made.restored(prefix, key, tf.as_dtype(tensor.dtype))
    ours = checkpoint.stored(tensor)
    assert ours.shape == tuple(theirs.shape)
    if tensor.dtype == tf.string.as_datatype_enum:
        return np.array_equal(ours, theirs.numpy())
    return np.array_equal(np.ascontiguousarray(ours).reshape(-1).view(np.uint8), made.bits(theirs))


# values


def test_every_tensor_of_a_real_run_is_bit_for_bit_tensorflows(resnet32):
    reader = tf.train.load_checkpoint(str(resnet32))
    checkpoint = made.opened(resnet32)
    shapes = reader.get_variable_to_shape_map()
    types = reader.get_variable_to_dtype_map()
    assert set(checkpoint.tensors) == set(shapes)
    assert len(shapes) > 100
    for key, tensor in checkpoint.tensors.items():
        theirs = reader.get_tensor(key)
        assert list(tensor.shape) == shapes[key]
        assert tensor.dtype == types[key].as_datatype_enum
        assert tensor.stored_bytes == theirs.nbytes
        assert checkpoint.stored(tensor).tobytes() == theirs.tobytes(), key
    assert list(damaged_tensors(checkpoint)) == []


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_type_is_bit_for_bit_tensorflows(tmp_path, dtype):
    value = made.random_of(dtype)
    prefix = made.save(tmp_path / "model", {"x": value, "y": made.random_of(dtype, (3,), seed=4)})
    assert alike(prefix, "x")
    assert alike(prefix, "y")
    tensor = made.opened(prefix).tensors["x"]
    assert dtypes.name(tensor.dtype) == dtype
    assert tensor.elements == 35


@pytest.mark.parametrize("dtype", ["bfloat16", *(d for d in DTYPES if d.startswith("float8"))])
def test_small_floats_are_given_as_numbers(tmp_path, dtype):
    value = made.random_of(dtype, (400,))
    checkpoint = made.opened(made.save(tmp_path / "model", {"x": value}))
    with np.errstate(invalid="ignore"):
        expected = value.numpy().astype(np.float32)
    np.testing.assert_array_equal(checkpoint.values(checkpoint.tensors["x"]), expected)


@pytest.mark.parametrize(
    "strings",
    [made.STRINGS, [], [b""], [b"x" * 200, b"y" * 70_000], ["Ünïcode \U0001f600".encode()] * 300],
    ids=["all kinds", "none", "one empty", "long", "many"],
)
def test_strings_of_any_length_are_tensorflows(tmp_path, strings):
    value = tf.constant(strings, tf.string)
    prefix = made.save(tmp_path / "model", {"s": value, "t": tf.reshape(value, [1, -1, 1])})
    assert alike(prefix, "s")
    assert alike(prefix, "t")


def test_a_single_string_has_no_dimensions(tmp_path):
    prefix = made.save(tmp_path / "model", {"s": tf.constant("text")})
    assert alike(prefix, "s")
    checkpoint = made.opened(prefix)
    assert checkpoint.stored(checkpoint.tensors["s"]).shape == ()


@pytest.mark.parametrize("shape", [(), (0,), (3, 0, 2), (1,), (1, 1, 1, 1, 1, 1)])
@pytest.mark.parametrize("dtype", ["float32", "bool", "complex128", "bfloat16"])
def test_scalars_and_empty_tensors_are_tensorflows(tmp_path, shape, dtype):
    prefix = made.save(tmp_path / "model", {"x": made.random_of(dtype, shape)})
    assert alike(prefix, "x")
    assert made.opened(prefix).tensors["x"].shape == shape
    assert list(damaged_tensors(made.opened(prefix))) == []


def test_names_may_hold_anything_tensorflow_takes(tmp_path):
    names = ["a", "a/b", "größe/世", "with space", "x" * 3000, "~", "\x01odd"]
    prefix = made.save(tmp_path / "model", {n: tf.constant([i]) for i, n in enumerate(names)})
    checkpoint = made.opened(prefix)
    found = {key: checkpoint.stored(t).tolist() for key, t in checkpoint.tensors.items()}
    assert found == {name: [number] for number, name in enumerate(names)}


def test_a_checkpoint_over_three_files_is_tensorflows(tmp_path):
    tensors = {f"part{n}/{d}": made.random_of(d, seed=n) for n in range(3) for d in DTYPES[:4]}
    tensors["part1/strings"] = tf.constant(made.STRINGS)
    parts = [
        made.save(
            tmp_path / f"tmp_{n}", {k: v for k, v in tensors.items() if k.startswith(f"part{n}")}
        )
        for n in range(3)
    ]
    prefix = made.merge(tmp_path / "model", parts)
    assert made.shard(prefix, 2, 3).exists()
    checkpoint = made.opened(prefix)
    assert checkpoint.shards == 3
    assert set(checkpoint.tensors) == set(tensors)
    assert all(alike(prefix, key) for key in tensors)


SPLITS = {
    "by rows": ("10 4", ["0,4:-", "4,3:-", "7,3:-"]),
    "by columns": ("10 4", ["-:0,1", "-:1,3"]),
    "in both": ("4 6", ["0,2:0,3", "0,2:3,3", "2,2:0,3", "2,2:3,3"]),
    "one slice": ("5 2", ["-:-"]),
}


@pytest.mark.parametrize("dtype", ["float32", "int64", "bool", "float16"])
@pytest.mark.parametrize("split", SPLITS)
def test_a_partitioned_variable_is_put_together(tmp_path, split, dtype):
    shape, slices = SPLITS[split]
    dims = [int(dim) for dim in shape.split()]
    whole = made.random_of(dtype, dims)
    parts, spelled = {}, {}
    for number, text in enumerate(slices):
        where = tuple(
            slice(None) if e == "-" else slice(int(e.split(",")[0]), sum(map(int, e.split(","))))
            for e in text.split(":")
        )
        parts[f"w@{number}"] = whole[where]
        spelled[f"w@{number}"] = f"{shape} {text}"
    prefix = made.save(tmp_path / "model", {**parts, "b": whole}, spelled)
    checkpoint = made.opened(prefix)
    assert set(checkpoint.tensors) == {"w", "b"}
    tensor = checkpoint.tensors["w"]
    assert checkpoint.stored(tensor).tobytes() == whole.numpy().tobytes()
    assert tensor.stored_bytes == whole.numpy().nbytes
    if dtype != "float16":  # TensorFlow itself cannot put these together
        assert alike(prefix, "w")


def test_slices_may_lie_in_different_files(tmp_path):
    whole = made.random_of("float32", (6, 3))
    parts = [
        made.save(tmp_path / f"tmp_{n}", {"w": whole[2 * n : 2 * n + 2]}, {"w": f"6 3 {2 * n},2:-"})
        for n in range(3)
    ]
    prefix = made.merge(tmp_path / "model", parts)
    assert made.opened(prefix).shards == 3
    assert alike(prefix, "w")


def test_a_partitioned_variable_of_a_saver_is_put_together(tmp_path):
    def build():
        split = made.V1.fixed_size_partitioner(3)
        made.V1.get_variable("w", [10, 4], partitioner=split)
        made.V1.get_variable("b", [4])

    session, saver = made.in_session(build)
    with session:
        prefix = Path(saver.save(session, str(tmp_path / "model")))
    assert set(made.opened(prefix).tensors) == {"w", "b"}
    assert alike(prefix, "w")
    assert alike(prefix, "b")


def test_a_partitioned_variable_without_one_of_its_slices_is_damaged(tmp_path):
    """Zeros in place of what is not there would be a lie."""
    whole = made.random_of("float32", (4, 2))
    parts = {"w@0": whole[:2], "w@1": whole[2:]}
    slices = {"w@0": "4 2 0,2:-", "w@1": "4 2 2,2:-"}
    prefix = made.save(tmp_path / "model", parts, slices)
    entries = made.entries_of(made.index(prefix))
    assert [key[:2] for key, _ in entries] == [b"", b"\0w", b"\0w", b"w"]
    made.index(prefix).write_bytes(made.table([*entries[:2], entries[3]]))
    checkpoint = made.opened(prefix)
    with pytest.raises(CorruptFile, match="tensor w "):
        checkpoint.stored(checkpoint.tensors["w"])


def test_an_early_checkpoint_is_bit_for_bit_tensorflows(tmp_path):
    path = made.early_checkpoint(tmp_path / "model.ckpt")
    reader = tf.train.load_checkpoint(str(path))
    checkpoint = open_checkpoint(path)
    assert checkpoint.version == "V1"
    assert set(checkpoint.tensors) == set(reader.get_variable_to_shape_map())
    for key, tensor in checkpoint.tensors.items():
        theirs = reader.get_tensor(key)
        ours = checkpoint.stored(tensor)
        assert ours.shape == theirs.shape
        assert ours.dtype == theirs.dtype
        assert ours.tobytes() == theirs.tobytes(), key


@pytest.mark.parametrize(
    "dtype",
    ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "bool",
     "complex64", "complex128"],
)  # fmt: skip
def test_every_type_of_an_early_checkpoint_is_what_was_saved(tmp_path, dtype):
    """TensorFlow's own reader cannot read some of these."""
    path = tmp_path / "model.ckpt"
    value = made.array_of(dtype)
    data = [tf.constant(value), tf.constant(value.reshape(-1)[0]), tf.constant(value[:0])]
    tf.raw_ops.Save(filename=str(path), tensor_names=["x", "scalar", "empty"], data=data)
    checkpoint = open_checkpoint(path)
    for name, saved in zip(["x", "scalar", "empty"], data, strict=True):
        ours = checkpoint.stored(checkpoint.tensors[name])
        assert (ours.dtype, ours.shape) == (value.dtype, tuple(saved.shape))
        assert ours.tobytes() == saved.numpy().tobytes(), name


def test_a_partitioned_variable_of_an_early_checkpoint_is_put_together(tmp_path):
    def build():
        made.V1.get_variable("w", [10, 4], partitioner=made.V1.fixed_size_partitioner(3))
        made.V1.get_variable("w_other", [4])

    path = made.early_checkpoint(tmp_path / "model.ckpt", build)
    checkpoint = open_checkpoint(path)
    theirs = tf.raw_ops.RestoreSlice(
        file_pattern=str(path), tensor_name="w", shape_and_slice="", dt=tf.float32
    )
    ours = checkpoint.stored(checkpoint.tensors["w"])
    assert ours.shape == (10, 4)
    assert ours.tobytes() == theirs.numpy().tobytes()


def test_other_types_of_an_early_checkpoint_are_tensorflows(tmp_path):
    path = tmp_path / "model.ckpt"
    tf.raw_ops.Save(
        filename=str(path),
        tensor_names=["numbers", "half", "q"],
        data=[tf.range(5), tf.constant([1.5, -2.0], tf.float16), made.random_of("qint8")],
    )
    checkpoint = open_checkpoint(path)
    assert checkpoint.stored(checkpoint.tensors["numbers"]).tolist() == [0, 1, 2, 3, 4]
    assert checkpoint.stored(checkpoint.tensors["half"]).tolist() == [1.5, -2.0]
    ours = checkpoint.stored(checkpoint.tensors["q"])
    assert ours.reshape(-1).view(np.uint8).tolist() == made.bits(made.random_of("qint8")).tolist()


# objects


@pytest.fixture(scope="session")
def objects(tmp_path_factory):
    return made.keras_checkpoint(tmp_path_factory.mktemp("objects"))


def test_an_object_based_checkpoint_is_bit_for_bit_tensorflows(objects):
    checkpoint = made.opened(objects)
    assert OBJECT_GRAPH_KEY in checkpoint.tensors
    assert all(alike(objects, key) for key in checkpoint.tensors)


def test_object_based_keys_become_names_people_know(objects):
    names = {t.name for t in made.opened(objects).tensors.values()}
    assert {"hidden/kernel", "hidden/bias", "bn/gamma", "bn/moving_mean", "out/kernel"} <= names
    assert not any(".ATTRIBUTES" in name for name in names)


def test_a_model_and_its_optimizer_are_told_apart(objects, answer):
    """Keras reaches the model's variables through the optimizer, too: the keys alone mislead."""
    tensors = answer("summary", objects)["checkpoint"]["tensors"]
    roles = {t["name"]: t["role"] for t in tensors}
    model = {f"hidden/{n}" for n in ("kernel", "bias")} | {f"out/{n}" for n in ("kernel", "bias")}
    model |= {f"bn/{n}" for n in ("gamma", "beta", "moving_mean", "moving_variance")}
    assert {name: roles[name] for name in model} == dict.fromkeys(model)
    slots = {name for name, role in roles.items() if role == "optimizer"}
    # Adam: two for each trained variable, the step and the learning rate
    assert len(slots) == 2 * 6 + 2
    assert all("adam" in n or n in {"iteration", "learning_rate"} for n in slots), slots


def test_slots_of_an_optimizer_of_tensorflow_2_are_told_apart(tmp_path, answer):
    """Slot variables proper, which the object graph lists as such."""
    from tensorflow.python.training.adam import AdamOptimizer

    weight = tf.Variable(tf.ones([3, 2]), name="weight")
    optimizer = AdamOptimizer(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(weight * weight)
    optimizer.apply_gradients([(tape.gradient(loss, weight), weight)])
    saved = tf.train.Checkpoint(weight=weight, opt=optimizer)
    prefix = Path(saved.save(str(tmp_path / "ckpt")))
    checkpoint = made.opened(prefix)
    value = "weight/.ATTRIBUTES/VARIABLE_VALUE"
    assert set(checkpoint.slots.values()) == {value}
    assert len(checkpoint.slots) == 2
    roles = {t["key"]: t["role"] for t in answer("summary", prefix)["checkpoint"]["tensors"]}
    assert roles[value] is None
    assert {roles[slot] for slot in checkpoint.slots} == {"optimizer"}


def test_slots_of_a_saver_are_told_apart(resnet32, answer):
    roles = {t["key"]: t["role"] for t in answer("summary", resnet32)["checkpoint"]["tensors"]}
    assert roles["unit_1_0/sub1/conv1/DW/Momentum"] == "optimizer"
    assert roles["unit_1_0/sub1/conv1/DW"] is None
    assert roles["global_step"] == "other"


@pytest.fixture
def answer():
    import json

    def ask(*words):
        ran = run(*words, "--json")
        assert (ran.code, ran.err) == (0, ""), ran.err
        found = json.loads(ran.out, parse_constant=lambda name: pytest.fail(f"{name} in JSON"))
        return found.get("data", found)

    return ask


def test_the_state_of_a_data_pipeline_is_no_damage(tmp_path):
    """An iterator is saved as variants: they have no numbers, but they are not damaged."""
    rows = iter(tf.data.Dataset.range(10))
    next(rows)
    prefix = Path(tf.train.Checkpoint(rows=rows).save(str(tmp_path / "ckpt")))
    assert list(damaged_tensors(made.opened(prefix))) == []
    assert run("summary", prefix, "--stats").code == 0
    damaged = made.shard(prefix)
    size = damaged.stat().st_size
    flip(damaged, size // 4)
    assert len(list(damaged_tensors(made.opened(prefix)))) == 1


def test_keys_without_an_object_graph_are_made_readable():
    value = "/.ATTRIBUTES/VARIABLE_VALUE"
    assert readable_key(f"model/layer/kernel{value}") == "model/layer/kernel"
    slot = f"model/kernel/.OPTIMIZER_SLOT/optimizer/m{value}"
    assert readable_key(slot) == "model/kernel slot of optimizer/m"
    assert readable_key("hidden/kernel") == "hidden/kernel"


def test_without_its_data_file_an_object_based_checkpoint_is_still_listed(objects, tmp_path):
    shutil.copyfile(made.index(objects), tmp_path / "ckpt.index")
    checkpoint = open_checkpoint(tmp_path / "ckpt.index")
    assert set(checkpoint.tensors) == set(made.opened(objects).tensors)


# what a user sees


def test_the_summary_lists_tensors_shapes_types_and_sizes(tmp_path, answer):
    prefix = made.small_checkpoint(tmp_path / "model")
    stored = answer("summary", prefix)["checkpoint"]
    assert (stored["version"], stored["shards"]) == ("V2", 1)
    rows = {t["key"]: (t["dtype"], t["shape"], t["bytes"]) for t in stored["tensors"]}
    assert rows == {
        "layer/bias": ("float32", [3], 12),
        "layer/kernel": ("float32", [4, 6], 96),
        "names": ("string", [3], 3 + 4 + 5),
        "step": ("int64", [], 8),
    }


@pytest.mark.parametrize("name", ["model", "model.index", "model.data-00000-of-00001"])
def test_a_checkpoint_is_named_by_its_prefix_or_any_of_its_files(tmp_path, name):
    made.small_checkpoint(tmp_path / "model")
    ran = run(tmp_path / name)
    assert ran.code == 0
    assert "4 tensors" in ran.out


def test_the_state_file_leads_to_the_newest_checkpoint(tmp_path, answer):
    weight = tf.Variable([1.0])
    manager = tf.train.CheckpointManager(tf.train.Checkpoint(w=weight), str(tmp_path / "a"), 3)
    for _ in range(3):
        manager.save()
    # moved, as logs are
    shutil.move(tmp_path / "a", tmp_path / "b")
    stored = answer("summary", tmp_path / "b/checkpoint")["checkpoint"]
    assert stored["path"] == str(tmp_path / "b/ckpt-3")
    assert answer("summary", tmp_path / "b")["checkpoint"]["path"] == str(tmp_path / "b/ckpt-3")


def test_in_a_folder_the_state_file_has_the_last_word(tmp_path, answer):
    for step in (1, 2, 10):
        made.small_checkpoint(tmp_path / f"model.ckpt-{step}")
    assert answer("summary", tmp_path)["checkpoint"]["path"].endswith("model.ckpt-10")
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "/elsewhere/model.ckpt-2"\n')
    assert answer("summary", tmp_path)["checkpoint"]["path"].endswith("model.ckpt-2")


def test_an_early_checkpoint_is_named_by_its_state_file(tmp_path, answer):
    made.early_checkpoint(tmp_path / "model.ckpt-5")
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-5"\n')
    assert answer("summary", tmp_path / "checkpoint")["checkpoint"]["version"] == "V1"
    assert answer("summary", tmp_path)["checkpoint"]["version"] == "V1"


@pytest.mark.parametrize(
    "text", ['model_checkpoint_path: ""', "model_checkpoint_path: ", "model_checkpoint_path: 7"]
)
def test_a_state_file_that_names_nothing_is_an_error(tmp_path, text):
    (tmp_path / "checkpoint").write_text(text)
    ran = run(tmp_path / "checkpoint")
    assert ran.code == 4
    assert str(tmp_path / "checkpoint") in ran.err


def test_a_state_file_whose_checkpoint_is_gone_names_it(tmp_path):
    (tmp_path / "checkpoint").write_text('model_checkpoint_path: "model.ckpt-9"')
    ran = run(tmp_path / "checkpoint")
    assert ran.code == 3
    assert "model.ckpt-9" in ran.err


def test_a_missing_shard_is_named_with_its_tensor(tmp_path):
    parts = [made.save(tmp_path / f"tmp_{n}", {f"v{n}": tf.range(n + 1)}) for n in range(3)]
    prefix = made.merge(tmp_path / "model", parts)
    made.shard(prefix, 1, 3).unlink()
    checkpoint = made.opened(prefix)
    assert checkpoint.stored(checkpoint.tensors["v2"]).tolist() == [0, 1, 2]
    with pytest.raises(PathNotFound, match="v1") as caught:
        checkpoint.stored(checkpoint.tensors["v1"])
    assert caught.value.where == str(made.shard(prefix, 1, 3))
    ran = run("doctor", prefix)
    assert ran.code == 0
    assert "3 tensors verified" not in ran.out
    assert "v1" in ran.out
    assert run("summary", prefix, "--stats").code == 3


@pytest.mark.parametrize("count", [2, 1000])
def test_entries_that_only_protobuf_takes_say_the_same(tmp_path, count):
    """A group, which nobody writes any more, around nothing: then all go one by one, as few do."""
    prefix = made.save(tmp_path / "model", {"a": made.random_of("float32"), "b": tf.zeros([3, 0])})
    group = bytes([9 << 3 | 3, 9 << 3 | 4])
    values = [value for _, value in made.entries_of(made.index(prefix))[1:]] * (count // 2)
    plain = columns_of(entries_with(values), made.index(prefix))
    assert plain.shape == [(7, 5), (3, 0)] * (count // 2)
    odd = entries_with([value + group for value in values])
    assert columns_of(odd, made.index(prefix)) == plain


@pytest.mark.parametrize("odd", [{"offset": 0x35, "size": 1 << 14}, {"offset": 3}, {"size": 0}])
def test_entries_without_a_checksum_say_the_same_among_many(tmp_path, odd):
    """Of the first, the number that is its offset stands where the tag of a checksum would."""
    entry = message_class("BundleEntryProto")
    some = entry(dtype=1, offset=3, size=4, crc32c=5).SerializeToString()
    values = [some] * 500 + [entry(**odd).SerializeToString(), b""]
    found = columns_of(entries_with(values), tmp_path)
    assert found.offset == [3] * 500 + [odd.get("offset", 0), 0]
    assert found.size == [4] * 500 + [odd.get("size", 0), 0]
    assert found.crc == [5] * 500 + [0, 0]


def entries_with(values):
    count = len(values)
    return EntryColumns([b""] * count, Spans.of(values), np.zeros(count, np.int64))


def test_shapes_of_many_tensors_are_tensorflows(tmp_path):
    """Of any rank, side by side."""
    shapes = [[], [3], [2, 3], [1], [0, 4], [2, 1, 3], [5]]
    tensors = {f"v{n:04d}": tf.zeros(shapes[n % len(shapes)]) for n in range(500)}
    prefix = made.save(tmp_path / "model", tensors)
    theirs = tf.train.load_checkpoint(str(prefix)).get_variable_to_shape_map()
    assert {key: [*one.shape] for key, one in made.opened(prefix).tensors.items()} == theirs


# cost


def test_opening_and_reading_one_tensor_leave_the_others_alone(tmp_path, monkeypatch):
    tensors = {f"v{n:04d}": tf.fill([2500], float(n)) for n in range(200)}
    prefix = made.save(tmp_path / "model", tensors)
    read = {}

    def counted(original):
        def reading(self, offset, size):
            data = original(self, offset, size)
            read[self.path.name] = read.get(self.path.name, 0) + len(data)
            return data

        return reading

    for name in ("read_at", "array_at"):
        monkeypatch.setattr(FileReader, name, counted(getattr(FileReader, name)))
    checkpoint = made.opened(prefix)
    assert set(read) == {"model.index"}
    assert checkpoint.stored(checkpoint.tensors["v0077"])[0] == 77.0
    assert read[made.shard(prefix).name] == 10_000


def test_a_large_tensor_comes_in_pieces(tmp_path):
    value = made.random_of("float64", (1 << 20, 2))
    checkpoint = made.opened(made.save(tmp_path / "model", {"x": value}))
    pieces = list(checkpoint.chunks(checkpoint.tensors["x"]))
    assert len(pieces) > 3
    assert b"".join(pieces) == value.numpy().tobytes()


# damage


def flip(path, position, mask=0x40):
    data = bytearray(path.read_bytes())
    data[position] ^= mask
    path.write_bytes(bytes(data))


def tensor_at(prefix, position):
    """The tensor a byte of the data file belongs to, and where that tensor starts."""
    entry = message_class("BundleEntryProto")
    for key, value in made.entries_of(made.index(prefix)):
        if key:
            place = entry.FromString(value)
            if place.offset <= position < place.offset + place.size:
                return key.decode(), place.offset
    raise AssertionError(position)


def test_a_flipped_byte_anywhere_in_the_values_names_tensor_and_offset(tmp_path):
    prefix = made.small_checkpoint(tmp_path / "model")
    shard = made.shard(prefix)
    whole = shard.read_bytes()
    for position in range(len(whole)):
        shard.write_bytes(whole)
        flip(shard, position, 1 << position % 8)
        name, offset = tensor_at(prefix, position)
        checkpoint = made.opened(prefix)
        (fault,) = damaged_tensors(checkpoint)
        assert f"tensor {name} " in str(fault)
        assert isinstance(fault, CorruptFile)
        assert fault.offset == offset
        assert fault.where == str(shard)
        with pytest.raises(CorruptFile, match=name):
            checkpoint.stored(checkpoint.tensors[name])


@pytest.mark.parametrize("position", [0, 20, 105, 111, 118])
def test_doctor_and_stats_name_the_tensor_with_a_flipped_byte(tmp_path, position):
    prefix = made.small_checkpoint(tmp_path / "model")
    flip(made.shard(prefix), position)
    name, offset = tensor_at(prefix, position)
    looked = run("doctor", prefix)
    assert looked.code == 0
    words = " ".join(looked.out.split())
    assert "4 tensors verified" not in words
    assert f"tensor {name} " in words
    assert f"at byte {offset}" in words
    ran = run("summary", prefix, "--stats")
    assert (ran.code, ran.out) == (4, "")
    assert f"tensor {name} " in ran.err
    assert f"at byte {offset}" in ran.err


def test_a_flipped_byte_in_a_slice_names_the_variable(tmp_path):
    whole = made.random_of("float32", (4, 2))
    slices = {"w@0": "4 2 0,2:-", "w@1": "4 2 2,2:-"}
    prefix = made.save(tmp_path / "model", {"w@0": whole[:2], "w@1": whole[2:]}, slices)
    flip(made.shard(prefix), 17)
    (fault,) = damaged_tensors(made.opened(prefix))
    assert "tensor w " in str(fault)
    assert fault.offset == 16


def faults_of(path):
    """What opening a checkpoint and reading all of it complain about."""
    try:
        return list(damaged_tensors(open_checkpoint(path)))
    except TfprofError as fault:
        return [fault]


def test_a_flipped_byte_anywhere_in_the_index_is_reported(tmp_path):
    prefix = made.small_checkpoint(tmp_path / "model")
    index = made.index(prefix)
    whole = index.read_bytes()
    unnoticed = []
    for position in range(len(whole)):
        index.write_bytes(whole)
        flip(index, position, 1 << position % 8)
        faults = faults_of(index)
        assert all(str(index) in str(f) and "at byte" in str(f) for f in faults)
        unnoticed += [] if faults else [position]
    assert unnoticed == [], f"of {len(whole)} bytes; the footer starts at {len(whole) - 48}"


def test_a_flipped_byte_in_the_index_is_reported_with_its_blocks_offset(tmp_path):
    tensors = {f"layer_{n:05d}/kernel": tf.constant([n]) for n in range(12_000)}
    prefix = made.save(tmp_path / "model", tensors)
    index = made.index(prefix)
    from tfprof.wire.table import SortedTable

    data = index.read_bytes()
    blocks = list(SortedTable(lambda at, n: data[at : at + n], len(data)).blocks())
    assert len(blocks) > 1
    _, offset, size = blocks[1]
    flip(index, offset + size // 2)
    ran = run(prefix)
    assert (ran.code, ran.out) == (4, "")
    assert f"at byte {offset:,}" in ran.err


def test_a_flipped_byte_anywhere_in_an_early_checkpoint_is_reported(tmp_path):
    path = made.early_checkpoint(tmp_path / "model.ckpt")
    whole = path.read_bytes()
    unnoticed = []
    for position in range(len(whole)):
        path.write_bytes(whole)
        flip(path, position, 1 << position % 8)
        faults = faults_of(path)
        assert all("at byte" in str(fault) for fault in faults)
        unnoticed += [] if faults else [position]
    assert unnoticed == [], f"of {len(whole)} bytes; the footer starts at {len(whole) - 48}"


def test_a_data_file_cut_short_names_the_tensor_it_ends_in(tmp_path):
    prefix = made.small_checkpoint(tmp_path / "model")
    shard = made.shard(prefix)
    shard.write_bytes(shard.read_bytes()[:50])
    checkpoint = made.opened(prefix)
    with pytest.raises(CorruptFile, match=r"50 bytes long .* inside tensor layer/kernel"):
        checkpoint.stored(checkpoint.tensors["layer/kernel"])
    assert checkpoint.stored(checkpoint.tensors["layer/bias"]).tolist() == [0.5, -1.0, 2.0]


def rewritten(prefix, key, **changes):
    """The index with another entry for a key; all checksums of the table are right."""
    entry = message_class("BundleEntryProto")
    entries = []
    for name, value in made.entries_of(made.index(prefix)):
        if name == key.encode():
            message = entry.FromString(value)
            for field, content in changes.items():
                setattr(message, field, content)
            value = message.SerializeToString()  # noqa: PLW2901
        entries.append((name, value))
    made.index(prefix).write_bytes(made.table(entries))
    return made.opened(prefix)


@pytest.mark.parametrize(
    "changes",
    [
        {"offset": 1 << 40},
        {"size": 1 << 60},
        {"size": -3},
        {"size": 11},
        {"shard_id": 3},
        {"shard_id": -1},
        {"crc32c": 5},
    ],
    ids=str,
)
def test_an_entry_that_cannot_be_true_is_an_error_and_not_a_crash(tmp_path, changes):
    prefix = made.small_checkpoint(tmp_path / "model")
    checkpoint = rewritten(prefix, "layer/bias", **changes)
    with pytest.raises(TfprofError, match="layer/bias"):
        checkpoint.stored(checkpoint.tensors["layer/bias"])


@pytest.mark.parametrize("dtype", [2, 7, 20, 21, 99])
def test_a_type_that_contradicts_the_size_is_an_error_and_not_a_crash(tmp_path, dtype):
    prefix = made.small_checkpoint(tmp_path / "model")
    checkpoint = rewritten(prefix, "layer/bias", dtype=dtype)
    with pytest.raises(TfprofError, match="layer/bias"):
        checkpoint.stored(checkpoint.tensors["layer/bias"])
    for words in (["summary", prefix], ["summary", prefix, "--stats"], ["doctor", prefix]):
        assert run(*words).code in (0, 4)


def test_a_shape_beyond_memory_is_an_error_and_not_a_crash(tmp_path):
    """A sliced tensor is put together in memory: its shape must be believable."""
    whole = made.random_of("float32", (4, 2))
    slices = {"w@0": "4 2 0,2:-", "w@1": "4 2 2,2:-"}
    prefix = made.save(tmp_path / "model", {"w@0": whole[:2], "w@1": whole[2:]}, slices)
    shape = message_class("TensorShapeProto")()
    for _ in range(2):
        shape.dim.add().size = 1 << 31
    entry = message_class("BundleEntryProto")
    entries = []
    for name, value in made.entries_of(made.index(prefix)):
        message = entry.FromString(value)
        if name == b"w":
            message.shape.CopyFrom(shape)
        entries.append((name, message.SerializeToString() if name else value))
    made.index(prefix).write_bytes(made.table(entries))
    for words in (["summary", prefix], ["doctor", prefix]):
        assert run(*words).code == 0
    assert run("summary", prefix, "--stats").code == 4


def test_a_checkpoint_of_a_big_endian_machine_is_refused(tmp_path):
    prefix = made.small_checkpoint(tmp_path / "model")
    entries = made.entries_of(made.index(prefix))
    header = message_class("BundleHeaderProto").FromString(entries[0][1])
    header.endianness = 1
    entries[0] = (b"", header.SerializeToString())
    made.index(prefix).write_bytes(made.table(entries))
    with pytest.raises(InputUnreadable, match="big-endian"):
        made.opened(prefix)


def test_a_table_that_is_no_checkpoint_is_refused(tmp_path):
    path = tmp_path / "sorted"
    path.write_bytes(made.table([(b"a", b"1")]))
    ran = run(path)
    assert (ran.code, ran.out) == (4, "")
    assert "no checkpoint" in ran.err
