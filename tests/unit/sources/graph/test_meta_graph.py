"""MetaGraphDef and SavedModel: the graph, and what was declared about it."""

import shutil

import keras
import made_by_tensorflow
import pytest
import tensorflow as tf
from google.protobuf import text_format
from tensorflow.core.framework import variable_pb2
from tensorflow.core.protobuf import saved_model_pb2

import tfprof
from tfprof.errors import CorruptFile
from tfprof.sources.find.load import Request, choose, read

META = ["resnet50_infer_b1.meta", "unet_bn_cond_train.meta", "resnet32/model.ckpt.meta"]


def load(*paths):
    (selection,) = choose(Request(list(paths))).selections
    return read(selection)


def _saved(folder):
    return saved_model_pb2.SavedModel.FromString((folder / "saved_model.pb").read_bytes())


@pytest.mark.parametrize("sample", META)
def test_the_graph_of_a_meta_file_is_tensorflows(samples, sample):
    meta = tf.compat.v1.MetaGraphDef.FromString((samples / sample).read_bytes())
    graph = load(samples / sample).graph
    assert graph.names == [node.name for node in meta.graph_def.node]
    assert [graph.ops[i] for i in range(len(graph))] == [n.op for n in meta.graph_def.node]


@pytest.mark.parametrize("sample", META)
def test_variables_are_those_of_the_collections(samples, sample):
    meta = tf.compat.v1.MetaGraphDef.FromString((samples / sample).read_bytes())

    def names(collection):
        values = meta.collection_def[collection].bytes_list.value
        return {variable_pb2.VariableDef.FromString(v).variable_name[:-2] for v in values}

    declared = load(samples / sample).declared.variables
    assert set(declared) == names("variables") | names("trainable_variables")
    trained = {name for name, v in declared.items() if v.trainable}
    assert trained == names("trainable_variables")
    assert trained


@pytest.mark.parametrize("sample", META)
def test_collections_of_names_are_kept(samples, sample):
    meta = tf.compat.v1.MetaGraphDef.FromString((samples / sample).read_bytes())
    ours = load(samples / sample).declared
    assert set(ours.collections) == set(meta.collection_def)
    for name, collection in meta.collection_def.items():
        assert list(ours.collections[name]) == list(collection.node_list.value)
    assert ours.tensorflow_version == meta.meta_info_def.tensorflow_version != ""


def test_a_text_meta_file_declares_the_same(samples, tmp_path):
    path = samples / "resnet50_infer_b1.meta"
    meta = tf.compat.v1.MetaGraphDef.FromString(path.read_bytes())
    text = tmp_path / "x.meta"
    text.write_text(text_format.MessageToString(meta), encoding="utf-8")
    ours, theirs = load(text), load(path)
    assert ours.inputs[0].format == "MetaGraphDef text"
    assert ours.declared == theirs.declared
    assert ours.graph.names == theirs.graph.names


@pytest.mark.parametrize("name", ["mlp_saved_model", "tf1_saved_model", "mobilenet_saved_model"])
def test_signatures_of_a_saved_model_are_tensorflows(made, name):
    (meta,) = _saved(made(name)).meta_graphs
    ours = load(made(name)).declared.signatures
    assert set(ours) == set(meta.signature_def)
    for key, theirs in meta.signature_def.items():
        for mine, specs in ((ours[key].inputs, theirs.inputs), (ours[key].outputs, theirs.outputs)):
            assert {s.name: (s.tensor, s.dtype) for s in mine} == {
                k: (info.name, info.dtype) for k, info in specs.items()
            }
            for spec in mine:
                shape = tf.TensorShape(specs[spec.name].tensor_shape)
                dims = None if shape.rank is None else tuple(shape.as_list())
                assert spec.shape == dims
    assert load(made(name)).declared.tags == ("serve",)
    assert load(made(name)).declared.tensorflow_version == tf.__version__


def test_what_a_function_captured_is_what_tensorflow_restores(made):
    """The variables by position, against the model that TensorFlow loads from the same folder."""
    folder = made("mlp_saved_model")
    captures = load(folder).declared.captures
    (meta,) = _saved(folder).meta_graphs
    concrete = meta.object_graph_def.concrete_functions
    assert set(captures) == set(concrete)
    for name, function in concrete.items():
        nodes = [meta.object_graph_def.nodes[i] for i in function.bound_inputs]
        assert [None if v is None else v.name for v in captures[name]] == [
            n.variable.name if n.WhichOneof("kind") == "variable" else None for n in nodes
        ]
    restored = tf.saved_model.load(str(folder))  # kept, or its variables are gone
    signature = restored.signatures["serving_default"]
    shapes = sorted(tuple(v.shape) for v in signature.variables)
    most = max(captures.values(), key=len)
    assert sorted(v.shape for v in most if v is not None) == shapes
    assert all(v.trainable for v in most if v is not None)


def _frozen(folder, save):
    """Two dense layers and a normalization; the first layer does not train."""
    layers = [keras.Input((8,)), keras.layers.Dense(16), keras.layers.BatchNormalization()]
    model = keras.Sequential([*layers, keras.layers.Dense(4)], name="frozen")
    model.layers[0].trainable = False
    model.compile("adam", "mse")
    model.optimizer.build(model.trainable_variables)
    save(model, str(folder))
    return model


@pytest.mark.parametrize(
    "save",
    [lambda model, path: model.export(path, verbose=False), tf.saved_model.save],
    ids=["export", "save"],
)
def test_a_layer_that_was_frozen_does_not_train(tmp_path, save):
    model = _frozen(tmp_path / "frozen", save)
    found = tfprof.load(tmp_path / "frozen").summary().to_dict()["data"]
    assert model.count_params() == found["params"]["total"] == 276
    assert found["params"]["trainable"] == 2 * 16 + 16 * 4 + 4
    assert found["params"]["non_trainable"] == 8 * 16 + 16 + 2 * 16


def test_a_checkpoint_beside_its_saved_model_holds_its_variables(tmp_path):
    _frozen(tmp_path / "frozen", lambda model, path: model.export(path, verbose=False))
    answer = tfprof.load(tmp_path / "frozen").summary()
    assert answer.result.data.checkpoint.held == answer.result.data.params.variables == 8
    assert "8 of 8 variables" in str(answer)


def test_a_folder_and_its_file_are_one_saved_model(made):
    folder = made("mlp_saved_model")
    by_folder, by_file = load(folder), load(folder / "saved_model.pb")
    assert by_folder.graph.names == by_file.graph.names
    assert by_folder.declared == by_file.declared
    assert by_folder.inputs[0].path == folder / "saved_model.pb"


def test_a_text_saved_model_declares_the_same(made, tmp_path):
    folder = made("tf1_saved_model")
    text = text_format.MessageToString(_saved(folder))
    (tmp_path / "saved_model.pbtxt").write_text(text, encoding="utf-8")
    ours, theirs = load(tmp_path), load(folder)
    assert ours.inputs[0].format == "SavedModel text"
    assert ours.declared == theirs.declared
    assert ours.graph.names == theirs.graph.names


def test_of_several_graphs_the_one_for_serving_is_read_with_a_warning(made, tmp_path):
    saved = _saved(made("tf1_saved_model"))
    other = saved_model_pb2.SavedModel.FromString(saved.SerializeToString()).meta_graphs[0]
    del other.meta_info_def.tags[:]
    other.meta_info_def.tags.append("train")
    other.graph_def.node.add(name="only_in_training", op="NoOp")
    both = saved_model_pb2.SavedModel(saved_model_schema_version=1)
    both.meta_graphs.extend([other, saved.meta_graphs[0]])
    path = tmp_path / "saved_model.pb"
    path.write_bytes(both.SerializeToString())
    data = load(path)
    assert data.declared.tags == ("serve",)
    assert data.graph.find("only_in_training") is None
    assert data.graph.find("y") is not None
    assert any("2 graphs" in warning for warning in data.warnings)


def test_a_saved_model_without_a_graph_is_refused(tmp_path):
    from tfprof.sources.graph.meta_graph import read_saved_model

    path = tmp_path / "saved_model.pb"
    path.write_bytes(saved_model_pb2.SavedModel(saved_model_schema_version=1).SerializeToString())
    with pytest.raises(CorruptFile, match="no graph"):
        read_saved_model(path, 0, None)


def test_a_damaged_entry_of_a_collection_is_passed_over(tmp_path):
    with made_by_tensorflow.tf1_graph().as_default():
        meta = tf.compat.v1.train.export_meta_graph()
    meta.collection_def["trainable_variables"].bytes_list.value.append(b"\x0a\xff")
    path = tmp_path / "x.meta"
    path.write_bytes(meta.SerializeToString())
    trained = [v.name for v in load(path).declared.variables.values() if v.trainable]
    assert sorted(trained) == ["hidden/bias", "hidden/kernel"]


def test_a_saved_model_is_read_with_its_folder(made, tmp_path):
    folder = tmp_path / "export"
    shutil.copytree(made("mlp_saved_model"), folder)
    data = load(folder)
    assert data.inputs[0].path == folder / "saved_model.pb"
    assert data.inputs[0].used
    names = {i.path.name for i in data.inputs}
    assert "variables.index" in names
    assert all(i.used or i.why for i in data.inputs)
