"""Live objects: what becomes of a tf.Graph, a function, a Keras model; nothing of it is changed."""

import keras
import pytest
import tensorflow as tf
from made_by_tensorflow import small_mlp, tf1_graph

from tfprof import compat as original
from tfprof.errors import UsageError, WrongKind
from tfprof.live.objects import live_graph

v1 = tf.compat.v1
Builder = original.ProfileOptionBuilder
PARAMETERS = Builder(Builder.trainable_variables_parameter()).with_empty_output().build()
FLOPS = Builder(Builder.float_operation()).with_empty_output().build()
TIMES = Builder(Builder.time_and_memory(min_bytes=0)).with_empty_output().build()


def _traced(graph, fetch, feed):
    run_meta = v1.RunMetadata()
    full = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    with v1.Session(graph=graph) as session:
        session.run(graph.get_operation_by_name("init"))
        session.run(fetch, feed, options=full, run_metadata=run_meta)
    return run_meta


def _names(root):
    return [row.name for row in root.rows]


def test_a_graphs_trained_variables_are_those_of_its_collection():
    root = original.profile(tf1_graph(), options=PARAMETERS)
    assert root.total_parameters == 36
    assert _names(root) == ["_TFProfRoot", "hidden", "hidden/bias", "hidden/kernel"]


def test_the_default_graph_is_taken_where_there_is_one():
    with tf1_graph().as_default():
        assert original.profile(options=PARAMETERS).total_parameters == 36


def test_without_a_graph_eager_code_is_told_what_to_hand_over():
    with pytest.raises(UsageError, match="no graph"):
        original.profile(options=PARAMETERS)
    with pytest.raises(UsageError, match="no graph"):
        original.Profiler().profile_name_scope(PARAMETERS)
    assert original.profile(options=PARAMETERS, compat="original").total_parameters == 0


def test_the_seeds_parameter_count_agrees():
    graph = tf1_graph(lambda: v1.train.MomentumOptimizer(0.1, 0.9))
    trained = graph.get_collection(v1.GraphKeys.TRAINABLE_VARIABLES)
    counted = sum(variable.shape.num_elements() for variable in trained)
    assert original.profile(graph, options=PARAMETERS).total_parameters == counted


def test_a_keras_model_has_its_parameters_and_flops():
    model = small_mlp()
    root = original.profile(model, options=PARAMETERS)
    assert root.total_parameters == model.count_params()
    names = set(_names(original.profile(model, options={**FLOPS, "min_float_ops": 0})))
    assert any("hidden" in name for name in names)


def test_flops_that_an_open_batch_hides_are_named_to_those_who_ask(capsys):
    model = small_mlp()
    original.profile(model, options=PARAMETERS)
    assert capsys.readouterr().err == ""
    original.profile(model, options=FLOPS)
    assert "MatMul" in capsys.readouterr().err


def test_what_keras_froze_is_not_trained():
    model = small_mlp()
    model.get_layer("hidden").trainable = False
    root = original.profile(model, options=PARAMETERS)
    assert root.total_parameters == model.get_layer("out").count_params()


def test_a_keras_model_of_several_inputs():
    one, two = keras.Input((3,), name="one"), keras.Input((4,), name="two")
    joined = keras.layers.Dense(2)(keras.layers.Concatenate()([one, two]))
    for inputs in ([one, two], {"one": one, "two": two}):
        model = keras.Model(inputs, joined)
        assert original.profile(model, options=PARAMETERS).total_parameters == 16


def test_a_keras_model_that_was_never_built_says_so():
    class Own(keras.Model):
        pass

    with pytest.raises(UsageError, match="inputs"):
        original.profile(Own(), options=PARAMETERS)


def test_a_function_by_signature_by_trace_and_concrete():
    weight = tf.Variable(tf.ones([8, 5]))

    @tf.function(input_signature=[tf.TensorSpec([4, 8])])
    def signed(x):
        return x @ weight

    @tf.function
    def called(x):
        return x @ weight

    with pytest.raises(UsageError, match="traced 0 times"):
        original.profile(called, options=FLOPS)
    called(tf.ones([4, 8]))
    concrete = signed.get_concrete_function()
    for given in (signed, called, concrete, concrete.graph):
        assert original.profile(given, options=FLOPS).total_float_ops == 2 * 4 * 8 * 5
        assert original.profile(given, options=PARAMETERS).total_parameters == 40
    called(tf.ones([6, 8]))
    with pytest.raises(UsageError, match="traced 2 times"):
        original.profile(called, options=FLOPS)


def test_the_variable_table_names_the_captured_placeholder():
    weight = tf.Variable(tf.ones([8, 5], tf.float64), name="kernel", trainable=False)
    function = tf.function(lambda x: x @ weight)
    live = live_graph(function.get_concrete_function(tf.TensorSpec([4, 8], tf.float64)))
    (holder,) = live.variables
    assert tf.compat.v1.GraphDef.FromString(live.data).node[1].name == holder
    variable = live.variables[holder]
    assert (variable.name, variable.shape, variable.trainable) == ("kernel", (8, 5), False)
    assert variable.dtype == tf.float64.as_datatype_enum


def test_what_is_no_graph_is_named():
    with pytest.raises(WrongKind, match="RunMetadata"):
        original.profile(v1.RunMetadata(), options=PARAMETERS)
    with pytest.raises(WrongKind, match="int"):
        original.profile(7, options=PARAMETERS)


def test_tensorflows_messages_are_taken():
    graph = tf1_graph()
    definition = graph.as_graph_def(add_shapes=True)
    log = v1.profiler.OpLogProto()
    log.log_entries.add(name="scale").types.append("mine")
    options = {**PARAMETERS, "account_type_regexes": ["mine"]}
    for given in (graph, definition):
        assert original.profile(given, op_log=log, options=options).total_parameters == 4
    assert len(log.log_entries) == 1


@pytest.mark.parametrize("compat", [None, "original"])
def test_a_run_completes_flops_and_leaves_the_graph_alone(compat):
    graph = tf1_graph()
    run_meta = _traced(graph, "y:0", {"x:0": [[1.0] * 8] * 3})
    before = graph.as_graph_def(add_shapes=True)
    root = original.profile(graph, run_meta, options=FLOPS, compat=compat)
    # the original never learns the shape of what is fed, so its product stays unknown
    assert "add" in _names(root)
    assert root.total_float_ops >= 24
    assert graph.as_graph_def(add_shapes=True) == before
    assert graph.get_tensor_by_name("add:0").shape.as_list() == [None, 4]


def test_ops_without_shapes_are_counted_on_stderr_for_the_originals_sake(capsys):
    original.profile(tf1_graph(), options=FLOPS, compat="original")
    assert "shapes are not known" in capsys.readouterr().err


def test_code_lines_lead_to_the_file_that_built_the_graph():
    options = {**PARAMETERS, "account_type_regexes": [".*"]}
    root = original.profile(tf1_graph(), cmd="code", options=options)
    assert any(row.name.startswith("made_by_tensorflow.py:") for row in root.rows)
    made = [node.name for row in root.rows for node in row.graph_nodes]
    assert "hidden/kernel" in made
    leaf = root
    while leaf.children:
        assert not leaf.graph_nodes
        leaf = leaf.children[0]
    assert leaf.graph_nodes


def test_a_profiler_follows_a_graph_that_grows():
    graph = tf1_graph()
    profiler = original.Profiler(graph)
    assert profiler.profile_name_scope(PARAMETERS).total_parameters == 36
    with graph.as_default():
        v1.get_variable("late", [100])
    assert profiler.profile_name_scope(PARAMETERS).total_parameters == 136


def test_profilers_live_side_by_side():
    graph = tf1_graph()
    run_meta = _traced(graph, "y:0", {"x:0": [[1.0] * 8] * 3})
    one, two = original.Profiler(graph), original.Profiler(small_mlp())
    one.add_step(0, run_meta)
    del two
    assert original.Profiler(small_mlp()).profile_name_scope(TIMES).total_exec_micros == 0
    assert one.profile_name_scope(TIMES).total_exec_micros > 0
    assert one.profile_python(TIMES).total_exec_micros > 0


def test_each_step_adds_what_it_ran():
    graph = tf1_graph()
    feed = {"x:0": [[1.0] * 8] * 3}
    profiler = original.Profiler(graph)
    profiler.add_step(1, _traced(graph, "MatMul:0", feed))
    assert "y" not in _names(profiler.profile_name_scope(TIMES))
    profiler.add_step(2, _traced(graph, "y:0", feed))
    assert "y" in _names(profiler.profile_name_scope(TIMES))


def test_the_op_log_of_a_live_graph(tmp_path):
    graph = tf1_graph()
    mine = original.OpLog()
    entry = mine.log_entries.add(name="hidden/kernel")
    entry.types.append("mine")
    original.write_op_log(graph, str(tmp_path), mine)
    log = original.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    entries = {entry.name: entry for entry in log.log_entries}
    assert list(entries["hidden/kernel"].types) == ["mine", "_trainable_variables"]
    assert entries["hidden/kernel"].code_def.traces
    assert log.id_to_string[0] == "none"
    assert list(mine.log_entries[0].types) == ["mine"]
    original.write_op_log(graph, str(tmp_path), add_trace=False)
    plain = original.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    assert not any(entry.code_def.traces for entry in plain.log_entries)


def test_stacks_of_the_users_log_keep_their_strings():
    mine = original.OpLog()
    mine.id_to_string.update({5: "own.py", 6: "own_function"})
    entry = mine.log_entries.add(name="scale")
    entry.code_def.traces.add(file_id=5, function_id=6, lineno=3)
    options = {**PARAMETERS, "account_type_regexes": [".*"]}
    root = original.profile(tf1_graph(), op_log=mine, cmd="code", options=options)
    assert "own.py:3:own_function" in _names(root)
