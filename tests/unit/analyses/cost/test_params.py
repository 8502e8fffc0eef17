"""Parameters of models whose counts are known."""

import made_by_tensorflow
import pytest
import tensorflow as tf

import tfprof
from tfprof.analyses.cost.params import count_parameters
from tfprof.analyses.graph.reach import extent
from tfprof.analyses.graph.roles import Role
from tfprof.sources.find.load import Request, choose, read


def parameters(*paths, **named):
    (selection,) = choose(Request(list(paths), named)).selections
    data = read(selection)
    return count_parameters(data, extent(data))


def counts(found):
    """Role to number of parameters; None where it is unknown."""
    return {role.value: found.by_role[role].value for role in Role} | {"total": found.total.value}


FORWARD = {
    "keras_MobileNetV2_fwd.graph.pb": 3_538_984,
    "keras_ResNet50_fwd.graph.pb": 25_636_712,
    "keras_bert_base_fwd.graph.pb": 108_498_434,
    "keras_lstm_fwd.graph.pb": 2_609_538,
    "keras_lstm_fwd.graph.pbtxt": 2_609_538,
    "keras_mlp_fwd.graph.pb": 407_050,
    "keras_mlp_fwd.graph.pbtxt": 407_050,
}


@pytest.mark.parametrize("sample", FORWARD)
def test_a_forward_graph_has_a_total_but_says_nothing_of_training(samples, sample):
    found = parameters(samples / sample)
    assert found.total.value == FORWARD[sample]
    for role in (Role.TRAINABLE, Role.NON_TRAINABLE):
        assert found.by_role[role].value is None
        assert "trained" in found.by_role[role].reason
    assert sum(found.bytes_by_dtype.values()) == 4 * FORWARD[sample]
    assert set(found.bytes_by_dtype) == {"float32"}


def test_resnet32_from_its_log_directory(samples):
    found = counts(parameters(samples / "resnet32"))
    assert found["trainable"] == 464_154
    assert found["total"] == 930_581
    assert found["optimizer"] == 464_154


@pytest.mark.parametrize(
    "files",
    [
        ["graph.pb"],
        ["graph.pb", "tfprof_log"],
        ["model.ckpt.meta"],
        ["graph.pb", "model.ckpt.meta"],
    ],
    ids="+".join,
)
def test_resnet32_from_any_of_its_files(samples, files):
    """The op log and the collections say what is trained; a training graph shows it."""
    found = counts(parameters(*(samples / "resnet32" / name for name in files)))
    assert found["trainable"] == 464_154
    assert found["total"] == 930_581


def test_unet(unet):
    found = counts(parameters(unet))
    assert found["trainable"] == 31_030_658
    assert found["optimizer"] == 2 * 31_030_658 + 2
    assert found["non_trainable"] == 0
    assert found["total"] == 93_091_976


def test_unet_from_the_original_tools_profile(unet_profile):
    found = counts(parameters(unet_profile))
    assert found["trainable"] == 31_030_658
    assert found["total"] == 93_091_976


def test_unet_with_batch_norm(samples):
    assert counts(parameters(samples / "unet_bn_cond_train.meta"))["trainable"] == 31_036_546


def test_resnet50_of_tensorflow_1(samples):
    found = counts(parameters(samples / "resnet50_infer_b1.meta"))
    assert found["trainable"] is not None
    assert found["total"] == found["trainable"] + found["non_trainable"] + found["other"]


TRAINING = {
    # trainable, non-trainable, optimizer
    "keras_mlp_train.graph.pb": (407_050, None, 814_102),
    "keras_mlp_train.graph.pbtxt": (407_050, None, 814_102),
    "keras_lstm_train.graph.pb": (2_609_538, None, 5_219_078),
    "keras_MobileNetV2_train.graph.pb": (3_504_872, 34_112, 7_009_746),
}


@pytest.mark.parametrize("sample", TRAINING)
def test_a_training_graph_shows_what_is_trained(samples, sample):
    found = counts(parameters(samples / sample))
    trainable, fixed, optimizer = TRAINING[sample]
    assert found["trainable"] == trainable
    assert found["optimizer"] == optimizer
    if fixed is not None:
        assert found["non_trainable"] == fixed
    assert found["total"] == sum(found[role.value] for role in Role)


def test_a_training_graph_with_its_variable_table_is_no_other(samples):
    alone = counts(parameters(samples / "keras_mlp_train.graph.pb"))
    table = samples / "keras_mlp_train_vars.json"
    assert counts(parameters(samples / "keras_mlp_train.graph.pb", vars=[table])) == alone


@pytest.fixture
def without_shapes(samples, tmp_path):
    """A graph as `as_graph_def()` writes it by default."""
    graph = tf.compat.v1.GraphDef.FromString((samples / "keras_mlp_train.graph.pb").read_bytes())
    for node in graph.node:
        node.attr.pop("_output_shapes", None)
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    return path


def test_without_shapes_the_count_is_unknown_and_says_what_to_give(without_shapes):
    found = parameters(without_shapes)
    assert found.total.value is None
    assert "--vars" in found.total.reason
    assert found.by_role[Role.TRAINABLE].value is None


def test_a_variable_table_gives_the_shapes(without_shapes, samples):
    found = counts(parameters(without_shapes, vars=[samples / "keras_mlp_train_vars.json"]))
    assert found["trainable"] == 407_050
    assert found["optimizer"] == 814_102


def test_a_variable_table_may_say_what_is_trained(samples, tmp_path):
    import json

    graph = tf.compat.v1.GraphDef.FromString((samples / "keras_mlp_fwd.graph.pb").read_bytes())
    handles = [n.name for n in graph.node if n.op == "Placeholder" and n.attr["dtype"].type == 20]
    shapes = {"Cast": [784, 512], "BiasAdd": [512]}
    table = {name: [shapes["BiasAdd"], "float32", False] for name in handles}
    table[handles[0]] = [[784, 512], "float32", True]
    path = tmp_path / "vars.json"
    path.write_text(json.dumps(table), "utf-8")
    found = counts(parameters(samples / "keras_mlp_fwd.graph.pb", vars=[path]))
    assert found["trainable"] == 784 * 512
    assert found["non_trainable"] == 512 * (len(handles) - 1)


@pytest.mark.parametrize(
    ("name", "trainable", "total"),
    [("mobilenet_saved_model", 3_504_872, 3_538_984), ("mlp_saved_model", 407_050, 407_050)],
)
def test_a_saved_model_counts_what_its_signature_reads(made, name, trainable, total):
    found = counts(parameters(made(name)))
    assert found["total"] == total
    assert found["trainable"] == trainable
    assert found["non_trainable"] == total - trainable


def test_a_saved_model_of_tensorflow_1_counts_its_collections(made):
    found = counts(parameters(made("tf1_saved_model")))
    assert found["trainable"] == 8 * 4 + 4
    assert found["non_trainable"] == 4


def test_a_frozen_graph_has_its_weights_as_constants(tmp_path):
    from tensorflow.python.framework.convert_to_constants import (
        convert_variables_to_constants_v2,
    )

    model = made_by_tensorflow.small_mlp()
    traced = tf.function(model).get_concrete_function(tf.TensorSpec([None, 784], tf.float32))
    frozen = convert_variables_to_constants_v2(traced)
    path = tmp_path / "frozen.pb"
    path.write_bytes(frozen.graph.as_graph_def().SerializeToString())
    found = parameters(path)
    assert found.total.value == 407_050
    assert found.frozen
    assert found.by_role[Role.TRAINABLE].value is None
    assert "frozen" in found.by_role[Role.TRAINABLE].reason


def test_no_graph_no_count(samples):
    found = parameters(samples / "keras_mlp_train_b8_default.runmeta.pb")
    assert found.total.value is None
    assert "graph" in found.total.reason


def test_a_graph_without_variables_has_none(tmp_path):
    with tf.Graph().as_default() as graph:
        tf.compat.v1.placeholder(tf.float32, [2, 2], name="x")
    path = tmp_path / "graph.pb"
    path.write_bytes(graph.as_graph_def().SerializeToString())
    assert counts(parameters(path))["total"] == 0


def test_python_gives_the_same_numbers(unet):
    data = tfprof.load(unet).summary().to_dict()["data"]
    assert data["params"]["trainable"] == 31_030_658
    assert data["params"]["bytes"] == {"float32": 4 * 93_091_976}
