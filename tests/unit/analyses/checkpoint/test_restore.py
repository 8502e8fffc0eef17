"""What restoring a checkpoint would do, for graphs and Savers of every kind."""

import json

import made_by_tensorflow
import made_checkpoints
import numpy as np
import pytest
import tensorflow as tf
from run_cli import run

V1 = tf.compat.v1


@pytest.fixture
def graph_file(tmp_path):
    def write(graph, name="graph.pb"):
        path = tmp_path / name
        path.write_bytes(graph.as_graph_def().SerializeToString())
        return path

    return write


def restore(*paths):
    ran = run("doctor", *paths, "--json")
    assert (ran.code, ran.err) == (0, "")
    found = json.loads(ran.out)
    return found.get("data", found)["restore"]


def said(*paths):
    ran = run("doctor", *paths)
    assert (ran.code, ran.err) == (0, "")
    return " ".join(ran.out.split())


def variables(graph=None, *, resource=False, **shapes):
    """A graph with these variables, all float32."""
    graph = graph or tf.Graph()
    with graph.as_default():
        for name, shape in shapes.items():
            V1.get_variable(name.replace("__", "/"), shape, use_resource=resource)
    return graph


def linear_model(*, resource):
    """The linear model of the tutorial on Supervisors, with a Saver for two of its variables."""
    with tf.Graph().as_default() as graph:
        weight = V1.Variable([0.1], tf.float32, use_resource=resource)
        bias = V1.Variable([0.0], tf.float32, use_resource=resource)
        step = V1.Variable(0, name="global_step", trainable=False, use_resource=resource)
        saver = V1.train.Saver([weight, bias])
        x, y = V1.placeholder(tf.float32), V1.placeholder(tf.float32)
        loss = tf.reduce_sum(tf.square(weight * x + bias - y))
        train = V1.train.GradientDescentOptimizer(0.01).minimize(loss, global_step=step)
        init = V1.global_variables_initializer()
    return graph, saver, init, train, (x, y)


@pytest.mark.parametrize("resource", [False, True])
@pytest.mark.parametrize("meta", [False, True], ids=["graph.pb", ".meta"])
def test_a_partial_restore_leaves_the_global_step_alone(tmp_path, graph_file, resource, meta):
    graph, saver, init, train, (x, y) = linear_model(resource=resource)
    with V1.Session(graph=graph) as session:
        session.run(init)
        session.run(train, {x: [1.0, 2.0], y: [1.5, 3.5]})
        prefix = saver.save(session, str(tmp_path / "pretrained"))
    path = tmp_path / "pretrained.meta" if meta else graph_file(graph)
    found = restore(path, prefix)
    assert sorted(found["matched"]) == ["Variable", "Variable_1"]
    assert found["missing"] == ["global_step"]
    assert (found["mismatched"], found["extra"]) == ([], [])
    words = said(path, prefix)
    assert "Restores 2 of 3 variables: Variable, Variable_1" in words
    assert "Not restored global_step" in words


def test_a_partial_restore_out_of_a_whole_checkpoint_leaves_the_rest_over(tmp_path, graph_file):
    graph, _, _, _, _ = linear_model(resource=False)
    tensors = {"Variable": tf.constant([2.0]), "Variable_1": tf.constant([-0.5])}
    step = {"global_step": tf.constant(1000)}
    prefix = made_checkpoints.save(tmp_path / "whole", {**tensors, **step})
    found = restore(graph_file(graph), prefix)
    assert sorted(found["matched"]) == ["Variable", "Variable_1"]
    assert found["missing"] == ["global_step"]
    assert found["extra"] == ["global_step"]


@pytest.mark.parametrize("resource", [False, True])
def test_what_differs_is_missing_or_left_over_is_named(tmp_path, graph_file, resource):
    graph = variables(resource=resource, same=[2], shape=[3, 4], rank=[5], type=[2], gone=[1])
    with graph.as_default():
        V1.train.Saver()
    tensors = {
        "same": tf.zeros([2]),
        "shape": tf.zeros([4, 3]),
        "rank": tf.zeros([5, 1]),
        "type": tf.zeros([2], tf.float64),
        "old": tf.zeros([1]),
    }
    prefix = made_checkpoints.save(tmp_path / "model", tensors)
    found = restore(graph_file(graph), prefix)
    assert found["matched"] == ["same"]
    assert found["missing"] == found["not_in_checkpoint"] == ["gone"]
    assert found["extra"] == ["old"]
    both = {m["name"]: (m["graph"], m["checkpoint"]) for m in found["mismatched"]}
    assert both == {
        "shape": ("float32 [3, 4]", "float32 [4, 3]"),
        "rank": ("float32 [5]", "float32 [5, 1]"),
        "type": ("float32 [2]", "float64 [2]"),
    }
    words = said(graph_file(graph), prefix)
    assert "Restores 1 of 5 variables: same" in words
    assert "gone: not in the checkpoint" in words
    assert "shape: float32 [3, 4] in the graph, float32 [4, 3] in the checkpoint" in words
    assert "Left over old" in words


def test_a_variable_restored_under_another_name_matches(tmp_path, graph_file):
    graph = variables(new__kernel=[2, 3])
    with graph.as_default():
        V1.train.Saver({"old/kernel": V1.global_variables()[0]})
    prefix = made_checkpoints.save(tmp_path / "model", {"old/kernel": tf.zeros([2, 3])})
    found = restore(graph_file(graph), prefix)
    assert found["matched"] == ["new/kernel"]
    assert (found["missing"], found["extra"]) == ([], [])


def test_a_saver_whose_key_is_gone_is_told_by_the_variable(tmp_path, graph_file):
    graph = variables(new__kernel=[2, 3])
    with graph.as_default():
        V1.train.Saver({"old/kernel": V1.global_variables()[0]})
    prefix = made_checkpoints.save(tmp_path / "model", {"new/kernel": tf.zeros([2, 3])})
    found = restore(graph_file(graph), prefix)
    assert found["not_in_checkpoint"] == ["new/kernel"]
    assert found["extra"] == ["new/kernel"]


@pytest.mark.parametrize("resource", [False, True])
def test_without_a_saver_variables_are_matched_by_name(tmp_path, graph_file, resource):
    graph = variables(resource=resource, a=[2], b=[3])
    prefix = made_checkpoints.save(tmp_path / "model", {"a": tf.zeros([2]), "c": tf.zeros([1])})
    found = restore(graph_file(graph), prefix)
    assert (found["matched"], found["missing"], found["extra"]) == (["a"], ["b"], ["c"])


def test_each_saver_has_an_answer_of_its_own(tmp_path, graph_file):
    graph = variables(a=[2], b=[3], c=[4])
    with graph.as_default():
        held = {v.op.name: v for v in V1.global_variables()}
        V1.train.Saver([held["a"], held["b"]])
        V1.train.Saver([held["c"]], name="late")
    prefix = made_checkpoints.save(tmp_path / "model", {"a": tf.zeros([2]), "c": tf.zeros([4])})
    path = graph_file(graph)
    first, second = restore(path, prefix)["savers"]
    assert (first["name"], first["matched"], first["not_in_checkpoint"]) == ("save", ["a"], ["b"])
    assert first["missing"] == ["b", "c"]
    assert (second["name"], second["matched"]) == ("late", ["c"])
    assert second["missing"] == ["a", "b"]
    words = said(path, prefix)
    assert "by the Saver save" in words
    assert "by the Saver late" in words


def test_the_restore_ops_of_one_sharded_saver_are_one_answer(tmp_path, graph_file):
    with tf.Graph().as_default() as graph:
        for number in range(4):
            with tf.device(f"/job:ps/task:{number % 2}"):
                V1.get_variable(f"v{number}", [number + 1], use_resource=False)
        V1.train.Saver(sharded=True)
    ops = [node.op for node in graph.as_graph_def().node]
    assert ops.count("RestoreV2") == 2
    tensors = {f"v{n}": tf.zeros([n + 1]) for n in range(3)} | {"old": tf.zeros([1])}
    found = restore(graph_file(graph), made_checkpoints.save(tmp_path / "model", tensors))
    assert len(found["savers"]) == 1
    assert sorted(found["matched"]) == ["v0", "v1", "v2"]
    assert found["missing"] == ["v3"]
    assert found["extra"] == ["old"]


def test_the_restore_ops_of_an_early_saver_are_one_answer(tmp_path, graph_file):
    """An op for each variable, one key each."""
    graph = variables(a=[2], b=[3])
    with graph.as_default():
        name = V1.placeholder_with_default("model", [], name="save/Const")
        for number, variable in enumerate(V1.global_variables()):
            key = tf.constant(variable.op.name, name=f"save/key_{number}")
            value = tf.raw_ops.RestoreSlice(
                file_pattern=name, tensor_name=key, shape_and_slice="", dt=tf.float32,
                name=f"save/RestoreSlice_{number}",
            )  # fmt: skip
            V1.assign(variable, value, name=f"save/Assign_{number}", validate_shape=False)
    path = made_checkpoints.early_checkpoint(
        tmp_path / "model.ckpt", lambda: V1.get_variable("a", [2], use_resource=False)
    )
    found = restore(graph_file(graph), path)
    assert len(found["savers"]) == 1
    assert (found["matched"], found["not_in_checkpoint"]) == (["a"], ["b"])


@pytest.mark.parametrize("resource", [False, True])
def test_the_parts_of_a_partitioned_variable_match_the_whole(tmp_path, resource):
    def build():
        split = V1.fixed_size_partitioner(2)
        V1.get_variable("w", [10, 4], partitioner=split, use_resource=resource)
        V1.get_variable("b", [4], use_resource=resource)

    session, saver = made_checkpoints.in_session(build)
    with session:
        prefix = saver.save(session, str(tmp_path / "model"))
    found = restore(tmp_path / "model.meta", prefix)
    assert found["mismatched"] == []
    assert sorted(found["matched"]) == ["b", "w/part_0", "w/part_1"]
    assert (found["missing"], found["extra"]) == ([], [])


def test_a_variable_of_unknown_shape_takes_what_is_stored(tmp_path, graph_file):
    with tf.Graph().as_default() as graph:
        V1.Variable(
            V1.placeholder_with_default(np.zeros((2, 3), np.float32), [None, 3]),
            validate_shape=False, name="w", use_resource=False,
        )  # fmt: skip
        V1.train.Saver()
    prefix = made_checkpoints.save(tmp_path / "model", {"w": tf.zeros([7, 3])})
    assert restore(graph_file(graph), prefix)["matched"] == ["w"]


def test_the_checkpoint_inside_a_saved_model_matches_its_graph(made):
    """TensorFlow restores it whole: to call anything missing or left over would be wrong."""
    folder = made("mlp_saved_model")
    found = restore(folder)
    if found is not None:
        assert found["missing"] == []
        assert found["extra"] == []


def test_the_checkpoint_inside_an_old_saved_model_matches_its_graph(made):
    found = restore(made("tf1_saved_model"))
    assert sorted(found["matched"]) == ["global_step", "hidden/bias", "hidden/kernel", "scale"]
    assert (found["missing"], found["extra"], found["mismatched"]) == ([], [], [])


def test_a_real_run_restores_every_variable(samples):
    found = restore(samples / "resnet32/graph.pb", samples / "resnet32/model.ckpt.index")
    assert len(found["matched"]) > 100
    assert (found["missing"], found["extra"], found["mismatched"]) == ([], [], [])


def test_a_graph_without_a_checkpoint_has_no_restore(graph_file):
    assert restore(graph_file(made_by_tensorflow.tf1_graph())) is None


def test_a_restore_op_without_constant_keys_is_no_saver(tmp_path, graph_file):
    graph = variables(a=[2])
    with graph.as_default():
        keys = V1.placeholder(tf.string, [1])
        V1.raw_ops.RestoreV2(
            prefix="model", tensor_names=keys, shape_and_slices=[""], dtypes=[tf.float32]
        )
    prefix = made_checkpoints.save(tmp_path / "model", {"a": tf.zeros([2])})
    found = restore(graph_file(graph), prefix)
    assert found["matched"] == ["a"]
