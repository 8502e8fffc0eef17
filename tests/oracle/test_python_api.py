"""`tfprof.profile` and its relatives against `tf.compat.v1.profiler` on the same live graphs."""

import io
import random
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stderr, redirect_stdout
from functools import partial
from pathlib import Path

import pytest
import tensorflow as tf
from engine import _captured as captured
from engine import engine as cpp
from engine import profile_of
from live_models import Live, recurrent
from made_by_tensorflow import small_mlp
from random_profiles import case
from tensorflow.core.profiler import (
    tfprof_log_pb2,
    tfprof_options_pb2,
    tfprof_output_pb2,
)

from tfprof import compat as ours
from tfprof.compat.checkers import advise_on
from tfprof.compat.options import ReportOutput, as_options
from tfprof.compat.saved import profile_proto
from tfprof.compat.show import show
from tfprof.errors import UsageError

v1 = tf.compat.v1
theirs = v1.profiler
Builder = ours.ProfileOptionBuilder
COMMANDS = ["scope", "graph", "op", "code"]
NESTED = {"children", "graph_nodes"}
NOT_FILLED = {"tensor_value", "shapes"}
EVERYTHING = (
    Builder()
    .with_max_depth(10000)
    .select(["params", "float_ops", "bytes", "micros", "occurrence", "device", "op_types"])
    .build()
)
SILENT = Builder(EVERYTHING).with_empty_output().build()
OPTIONS = {
    "parameters": Builder.trainable_variables_parameter(),
    "float_ops": Builder.float_operation(),
    "time_and_memory": Builder.time_and_memory(),
    "everything": EVERYTHING,
    "shapes": Builder().with_max_depth(10000).select(["input_shapes"]).build(),
    "by_type": Builder(EVERYTHING).with_accounted_types(["MatMul", ".*Var.*"]).build(),
    "missing_keys": {"select": ["params"], "account_type_regexes": [".*"]},
}


@pytest.fixture(scope="module")
def traced():
    """A convolution with training and an unknown batch; the graph and a traced run."""
    with tf.Graph().as_default() as graph:
        image = v1.placeholder(tf.float32, [None, 8, 8, 3], name="image")
        kernel = v1.get_variable("conv/DW", [3, 3, 3, 4], use_resource=False)
        x = tf.nn.relu(tf.nn.conv2d(image, kernel, 1, "SAME", name="conv/Conv2D"))
        x = tf.reshape(x, [-1, 256])
        dense = v1.get_variable("dense/w", [256, 5], use_resource=True)
        y = tf.matmul(x, dense, name="dense/MatMul") + v1.get_variable("dense/b", [5])
        loss = tf.reduce_mean(tf.square(y), name="loss")
        step = v1.train.MomentumOptimizer(0.1, 0.9).minimize(loss)
        initialize = v1.global_variables_initializer()
    run_meta = v1.RunMetadata()
    with v1.Session(graph=graph) as session:
        session.run(initialize)
        full = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        feed = {image: [[[[0.5] * 3] * 8] * 8] * 2}
        session.run(step, feed, options=full, run_metadata=run_meta)
    return graph, run_meta


def _same(reference, result):
    """Every field at every depth, and the bytes of the whole; without recursion."""
    assert type(reference).FromString(result.SerializeToString()) == reference
    pairs = [(reference, result)]
    while pairs:
        wanted, got = pairs.pop()
        for field in wanted.DESCRIPTOR.fields:
            name = field.name
            if name in NOT_FILLED:
                continue
            value, mine = getattr(wanted, name), getattr(got, name)
            if name in NESTED:
                assert [one.name for one in value] == [one.name for one in mine], wanted.name
                pairs += zip(value, mine, strict=True)
            elif name == "input_shapes":
                assert _dims(value) == _dims(mine), wanted.name
            else:
                assert (list(value) if name == "devices" else value) == mine, (wanted.name, name)


def _dims(shapes):
    return {
        at: None if shape.unknown_rank else [dim.size for dim in shape.dim]
        for at, shape in shapes.items()
    }


def _copied(graph):
    """The original writes the run's shapes into the graph it is handed: it gets one of its own."""
    copy = tf.Graph()
    with copy.as_default():
        v1.train.import_meta_graph(v1.train.export_meta_graph(graph=graph))
    return copy


def _both(command, options, graph, **inputs):
    """Results and texts from `Profile:` on. The original changes the graph: it comes second."""
    printed = io.StringIO()
    with redirect_stdout(printed), redirect_stderr(io.StringIO()):
        mine = ours.profile(graph, cmd=command, options=options, compat="original", **inputs)
    kept = []
    text = captured(
        lambda: kept.append(theirs.profile(graph, cmd=command, options=options, **inputs))
    )
    _same(kept[0], mine)
    return text.partition("Profile:\n")[2], printed.getvalue().partition("Profile:\n")[2]


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_live_graph_reads_as_in_the_original(traced, command, options):
    theirs_, mine = _both(command, OPTIONS[options], traced[0])
    assert mine == theirs_
    assert mine


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("options", OPTIONS)
def test_a_traced_run_reads_as_in_the_original(traced, command, options):
    graph, run_meta = traced
    theirs_, mine = _both(command, OPTIONS[options], _copied(graph), run_meta=run_meta)
    assert mine == theirs_


@pytest.mark.parametrize("command", COMMANDS)
def test_a_function_reads_as_in_the_original(command):
    model = small_mlp()
    with ThreadPoolExecutor(1) as pool:
        # the code view is as deep as the stack, and protobuf reads no more than a hundred levels:
        # a thread begins a stack of its own
        spec = tf.TensorSpec([4, 784])
        function = pool.submit(tf.function(model).get_concrete_function, spec).result()
    theirs_, mine = _both(command, EVERYTHING, function.graph)
    assert mine == theirs_


@pytest.mark.parametrize("command", COMMANDS)
def test_a_loop_and_its_gradients_read_as_in_the_original(command):
    live = Live(recurrent)
    theirs_, mine = _both(command, EVERYTHING, live.graph, run_meta=live.run())
    assert mine == theirs_
    assert "loop/product" in mine or command in ("op", "code")


def test_the_users_log_is_merged_as_in_the_original(traced):
    def log(made):
        entry = made.log_entries.add(name="dense/MatMul", float_ops=77)
        entry.types.append("mine")
        made.log_entries.add(name="conv/DW").types.append("mine")
        return made

    options = Builder(EVERYTHING).with_accounted_types(["mine"]).build()
    with redirect_stdout(io.StringIO()):
        mine = ours.profile(
            traced[0], op_log=log(ours.OpLogProto()), options=options, compat="original"
        )
    reference = []
    given = log(tfprof_log_pb2.OpLogProto())
    captured(lambda: reference.append(theirs.profile(traced[0], op_log=given, options=options)))
    _same(reference[0], mine)
    assert mine.total_float_ops == 77


def test_the_option_block_is_the_originals(traced):
    for options in OPTIONS.values():
        printed = io.StringIO()
        with redirect_stdout(printed):
            ours.profile(traced[0], options=options, compat="original")
        text = captured(lambda options=options: theirs.profile(traced[0], options=options))
        end = "Report======================\n"
        assert printed.getvalue().partition(end)[0] == text.partition(end)[0]


def test_several_steps_read_as_in_the_originals_profiler(traced):
    graph, run_meta = traced
    graph = _copied(graph)
    steps = [(3, run_meta), (8, run_meta), (8, run_meta)]
    questions = [
        (f"profile_{method}", {**SILENT, "step": step})
        for step in (-1, 3, 8)
        for method in ("name_scope", "graph", "operations", "python")
    ]
    mine = ours.Profiler(graph, compat="original")
    for step, run in steps:
        mine.add_step(step, run)
    answers = [getattr(mine, name)(options) for name, options in questions]
    reference = theirs.Profiler(graph)
    captured(lambda: [reference.add_step(step, run) for step, run in steps])
    for (name, options), answer in zip(questions, answers, strict=True):
        _same(getattr(reference, name)(options), answer)


def test_the_op_log_written_is_the_originals(traced, tmp_path):
    graph, run_meta = _copied(traced[0]), traced[1]
    (tmp_path / "ours").mkdir()
    (tmp_path / "theirs").mkdir()
    ours.write_op_log(graph, tmp_path / "ours", run_meta=run_meta)
    captured(lambda: theirs.write_op_log(graph, str(tmp_path / "theirs"), run_meta=run_meta))
    mine, wanted = (
        tfprof_log_pb2.OpLogProto.FromString((tmp_path / who / "tfprof_log").read_bytes())
        for who in ("ours", "theirs")
    )
    assert mine.id_to_string == wanted.id_to_string
    assert {e.name: e for e in mine.log_entries} == {e.name: e for e in wanted.log_entries}


def test_the_engine_reads_what_the_profiler_saved(traced, tmp_path):
    graph, run_meta = traced
    profiler = ours.Profiler(graph, compat="original")
    profiler.add_step(5, run_meta)
    path = tmp_path / "profile_5"
    path.write_bytes(profiler.serialize_to_string())
    options = tfprof_options_pb2.OptionsProto(**SILENT)
    for command, method in (("scope", "name_scope"), ("op", "operations"), ("code", "python")):
        cpp.ProfilerFromFile(str(path).encode())
        answer = cpp.Profile(command.encode(), options.SerializeToString())
        cpp.DeleteProfiler()
        kind = "GraphNodeProto" if command == "scope" else "MultiGraphNodeProto"
        reference = getattr(tfprof_output_pb2, kind).FromString(answer)
        mine = getattr(profiler, f"profile_{method}")(SILENT)
        _same(reference, mine)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_context_gives_what_the_originals_profiler_gives(traced, tmp_path, command):
    """The original context is gone from TensorFlow; the profiler that it asked is still there."""
    graph = _copied(traced[0])
    fetch, feed = "loss:0", {"image:0": [[[[0.5] * 3] * 8] * 8] * 2}
    runs = {}
    with (
        ours.ProfileContext(tmp_path, [1, 3], [3], compat="original") as context,
        v1.Session(graph=graph) as session,
    ):
        context.add_auto_profiling(command, SILENT, [3])
        session.run([variable.initializer for variable in graph.get_collection("variables")])
        for step in (1, 2, 3):
            runs[step] = v1.RunMetadata()
            session.run(fetch, feed, run_metadata=runs[step])
    (mine,) = context.get_profiles(command).values()
    cpp.ProfilerFromFile(str(tmp_path / "profile_3").encode())
    options = tfprof_options_pb2.OptionsProto(**SILENT)
    answer = cpp.Profile(command.encode(), options.SerializeToString())
    cpp.DeleteProfiler()
    kind = "GraphNodeProto" if command in ("scope", "graph") else "MultiGraphNodeProto"
    _same(getattr(tfprof_output_pb2, kind).FromString(answer), mine)
    reference = theirs.Profiler(graph)
    captured(lambda: [reference.add_step(step, runs[step]) for step in (1, 3)])
    method = {"scope": "name_scope", "op": "operations", "code": "python"}.get(command, command)
    _same(getattr(reference, f"profile_{method}")(SILENT), mine)


def test_advice_is_the_originals(traced, capsys):
    graph, run_meta = _copied(traced[0]), traced[1]
    reference = []
    mine = ours.advise(graph, run_meta, compat="original")
    captured(lambda: reference.append(theirs.advise(graph, run_meta)))
    assert list(mine.checkers) == sorted(reference[0].checkers)
    for name, checker in reference[0].checkers.items():
        assert mine.checkers[name].reports == list(checker.reports)
    assert "top 1 operation type" in capsys.readouterr().out


def _random(seed):
    """Results, advice and saved profile of a random case, from the engine and from us."""
    made = case(random.Random(seed))  # noqa: S311  (a seed, no secret)
    graph, log = made.graph.SerializeToString(), made.log.SerializeToString()
    runs = [(step, run.SerializeToString()) for step, run in made.runs]
    options = tfprof_options_pb2.OptionsProto(**made.options, output="none").SerializeToString()
    advisor = tfprof_options_pb2.AdvisorOptionsProto()
    for name in ours.ALL_ADVICE:
        advisor.checkers[name].SetInParent()
    coded = [entry.name for entry in made.log.log_entries if entry.HasField("code_def")]
    survives = not coded or any("gradients/" not in name for name in coded)
    answers = []

    def ask():
        cpp.NewProfiler(graph, log)
        for step, run in runs:
            cpp.AddStep(step, graph, run, log)
        answers.append(cpp.Profile(made.command.encode(), options))
        if survives:
            answers.append(cpp.Profile(b"advise", advisor.SerializeToString()))
        cpp.DeleteProfiler()

    captured(ask)
    data = profile_of(graph, runs, log)
    with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
        result = show(
            data, made.command, as_options(made.options, compat=True)[0], ReportOutput("none")
        )
        advice = advise_on(data, compat=True)
    return made.command, answers, result, advice, data


@pytest.mark.parametrize("block", range(6))
def test_a_random_profile_has_the_engines_fields(block):
    for seed in range(40 * block, 40 * (block + 1)):
        command, answers, result, advice, data = _random(seed)
        kind = "GraphNodeProto" if command in ("scope", "graph") else "MultiGraphNodeProto"
        _same(getattr(tfprof_output_pb2, kind).FromString(answers[0]), result)
        for answer in answers[1:]:
            wanted = tfprof_output_pb2.AdviceProto.FromString(answer).checkers
            for name in ("AcceleratorUtilizationChecker", "ExpensiveOperationChecker"):
                assert advice.checkers[name].reports == sorted(
                    wanted[name].reports, key=_order(name)
                )
            hints = advice.checkers["OperationChecker"].reports
            assert len(hints) == len(wanted["OperationChecker"].reports)
        _same(
            _reloaded(data),
            show(data, "scope", as_options(SILENT, compat=True)[0], ReportOutput("none")),
        )


def _order(name):
    """The engine lists devices in no order; the rest stays as it is."""
    return str if name == "AcceleratorUtilizationChecker" else lambda _: 0


def _reloaded(data):
    """What the engine makes of the profile that we save."""
    options = tfprof_options_pb2.OptionsProto(**SILENT).SerializeToString()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "profile"
        path.write_bytes(profile_proto(data, compat=True))
        cpp.ProfilerFromFile(str(path).encode())
        answer = cpp.Profile(b"scope", options)
        cpp.DeleteProfiler()
    return tfprof_output_pb2.GraphNodeProto.FromString(answer)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_file_reads_as_the_originals_from_profile_on(traced, command, tmp_path):
    """Above it, the words that explain a view are our own, in the same places."""
    parts = []
    for ask in (partial(ours.profile, compat="original"), theirs.profile):
        path = tmp_path / f"{len(parts)}.txt"
        options = Builder(EVERYTHING).with_file_output(str(path)).build()
        captured(partial(ask, traced[0], cmd=command, options=options))
        parts.append(path.read_text().partition("\n\nProfile:\n"))
    (mine, _, my_report), (their, _, their_report) = parts
    assert my_report == their_report != ""
    assert mine.startswith("\nDoc:\n")
    assert their.startswith("\nDoc:\n")


@pytest.mark.parametrize(
    ("command", "output", "select"),
    [
        ("scope", "pprof", ["micros"]),
        ("op", "pprof", ["micros"]),
        ("code", "pprof", ["micros", "bytes"]),
        ("code", "pprof", ["device"]),
        ("op", "timeline", ["micros"]),
    ],
)
def test_a_file_that_cannot_be_made_leaves_a_bare_root_there_and_is_an_error_here(
    traced, command, output, select, tmp_path
):
    options = Builder(EVERYTHING).select(select).build()
    options["output"] = f"{output}:outfile={tmp_path / 'out'}"
    kept = []
    captured(lambda: kept.append(theirs.profile(traced[0], cmd=command, options=options)))
    with redirect_stderr(io.StringIO()):
        mine = ours.profile(traced[0], cmd=command, options=options, compat="original")
    _same(kept[0], mine)
    assert (mine.name, mine.children) == ("_TFProfRoot", [])
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(UsageError):
        ours.profile(traced[0], cmd=command, options=options)
