"""`profile`, `print_model_analysis`, `advise`, `Profiler`, `write_op_log` on files and bytes."""

import subprocess
import sys

import pytest

import tfprof
from tfprof import compat as original
from tfprof.errors import CorruptFile, OutputNotWritable, PathNotFound, UsageError, WrongKind
from tfprof.model.options import Options
from tfprof.wire.schema import message_class

Builder = original.ProfileOptionBuilder
SILENT = Builder().with_empty_output().build()


@pytest.fixture
def graph(unet):
    return (unet / "graph.pb").read_bytes()


@pytest.fixture
def run_meta(unet):
    return message_class("RunMetadata").FromString((unet / "run_meta").read_bytes())


def _find(root, name):
    return next((row for row in root.rows if row.name == name), None)


def test_a_report_goes_through_pythons_stdout(graph, capsys):
    original.profile(graph, options=Builder.trainable_variables_parameter())
    lines = capsys.readouterr().out.splitlines()
    assert lines[1] == "=========================Options============================="
    assert "==================Model Analysis Report======================" in lines
    assert lines[-1] == "======================End of Report=========================="
    profile = lines.index("Profile:")
    assert lines[profile + 1] == "node name | # parameters"
    assert lines[profile + 2] == "_TFProfRoot (--/31.03m params)"


def test_the_parameters_of_the_second_seed_come_out(graph):
    options = Builder(Builder.trainable_variables_parameter()).with_empty_output().build()
    assert original.profile(graph, options=options).total_parameters == 31_030_658


def test_the_builder_of_the_second_seed_works_with_the_import_changed(graph, run_meta, capsys):
    builder = (
        original.ProfileOptionBuilder()
        .with_max_depth(6)
        .select(["micros", "bytes", "params", "float_ops"])
        .order_by("peak_bytes")
    )
    result = original.profile(graph, run_meta=run_meta, cmd="scope", options=builder.build())
    assert result.total_exec_micros > 0
    assert result.total_float_ops > 0
    peaks = [child.total_peak_bytes for child in result.children]
    assert peaks == sorted(peaks, reverse=True)
    assert "total execution time" in capsys.readouterr().out


def test_a_graph_may_be_a_message_bytes_or_a_path(graph, unet):
    message = message_class("GraphDef").FromString(graph)
    totals = {
        original.profile(given, options=SILENT).total_parameters
        for given in (graph, message, unet / "graph.pb", str(unet / "graph.pb"))
    }
    assert len(totals) == 1


def test_a_run_may_be_a_message_bytes_or_a_path(graph, run_meta, unet):
    totals = {
        original.profile(graph, given, options=SILENT).total_exec_micros
        for given in (run_meta, run_meta.SerializeToString(), unet / "run_meta")
    }
    assert len(totals) == 1
    assert totals != {0}


def test_an_empty_run_changes_nothing(graph):
    empty = message_class("RunMetadata")()
    assert original.profile(graph, empty, options=SILENT).total_exec_micros == 0


def test_an_op_log_adds_types_and_wins_with_its_flops(graph):
    log = original.OpLog()
    entry = log.log_entries.add()
    entry.name = "model/left0/conv0/conv2d/Conv2D"
    entry.types.append("mine")
    entry.float_ops = 7
    options = Builder(SILENT).with_accounted_types(["mine"]).build()
    for given in (log, log.SerializeToString()):
        assert original.profile(graph, op_log=given, options=options).total_float_ops == 7
    assert len(log.log_entries) == 1


def test_a_file_gets_the_report_without_the_frame(graph, tmp_path, capsys):
    path = tmp_path / "dump"
    original.profile(graph, options=Builder().with_file_output(str(path)).select([]).build())
    text = path.read_text(encoding="utf-8")
    assert text.startswith("\nDoc:\nscope: ")
    assert "\n\nProfile:\nnode name | \n_TFProfRoot ()\n" in text
    assert capsys.readouterr().out == ""


def test_no_output_is_none(graph, capsys):
    original.profile(graph, options=SILENT)
    assert capsys.readouterr().out == ""


def test_a_timeline_goes_to_the_file_named(graph, tmp_path):
    target = tmp_path / "flame.json"
    original.profile(graph, options={**SILENT, "output": f"timeline:outfile={target}"})
    assert target.read_text().startswith('{"traceEvents":[')


def test_pprof_is_for_code_only(graph, tmp_path):
    options = {**SILENT, "output": f"pprof:outfile={tmp_path / 'x'}"}
    with pytest.raises(UsageError, match="code"):
        original.profile(graph, options=options)


def test_selected_columns_are_explained(graph, capsys):
    options = Builder().select(["params", "colour"]).build()
    original.profile(graph, options=options, cmd="op", compat="original")
    out = capsys.readouterr().out
    assert "\nDoc:\nop: " in out
    assert "\nparams: " in out
    assert "\nUnknown select: colour\n" in out


@pytest.mark.parametrize("options", [{"select": ["micro"]}, {"order_by": "micro"}])
def test_a_misspelt_metric_is_named_with_the_nearest_one(graph, options):
    with pytest.raises(UsageError, match="does not know 'micro'") as raised:
        original.profile(graph, options={**SILENT, **options})
    assert "micros" in raised.value.hint


def test_the_early_call_prints_in_the_early_style(graph, capsys):
    result = original.print_model_analysis(
        graph, tfprof_options=original.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    )
    assert result.total_parameters == 31_030_658
    out = capsys.readouterr().out
    assert "Doc:" not in out
    assert "node name" not in out
    assert "Report======================\n_TFProfRoot (--/31.03m params)\n" in out
    assert "-device_regexes             .*\n" in out


def test_the_early_dump_goes_to_a_file(graph, tmp_path, capsys):
    path = tmp_path / "dump"
    options = {**original.TRAINABLE_VARS_PARAMS_STAT_OPTIONS, "dump_to_file": str(path)}
    original.print_model_analysis(graph, tfprof_options=options)
    assert path.read_text(encoding="utf-8").startswith("_TFProfRoot (--/31.03m params)\n")
    assert capsys.readouterr().out == ""


def test_words_that_cannot_be_are_refused(graph, tmp_path):
    with pytest.raises(UsageError, match="unknown cmd: tree"):
        original.profile(graph, cmd="tree")
    with pytest.raises(UsageError, match="no step 3"):
        original.profile(graph, options={**SILENT, "step": 3})
    with pytest.raises(UsageError, match="code lines"):
        original.profile(graph, cmd="code", options=SILENT)
    with pytest.raises(WrongKind, match="RunMetadata"):
        original.profile(message_class("RunMetadata")(), options=SILENT)
    with pytest.raises(WrongKind, match="GraphDef"):
        original.profile(graph, message_class("GraphDef")(), options=SILENT)
    with pytest.raises(PathNotFound):
        original.profile(tmp_path / "gone.pb", options=SILENT)
    with pytest.raises(OutputNotWritable):
        original.profile(graph, options={**SILENT, "output": f"file:outfile={tmp_path}/a/b"})


def test_bytes_that_are_something_else_are_named(graph, tmp_path):
    for broken in ({"run_meta": b"\x0a\x05ab"}, {"op_log": b"\x0a\x05ab"}):
        with pytest.raises(CorruptFile, match=next(iter(broken))):
            original.profile(graph, options=SILENT, **broken)
    with pytest.raises(CorruptFile, match="graph"):
        original.profile(b"\xff\xff", options=SILENT)
    with pytest.raises(PathNotFound):
        original.profile(graph, op_log=tmp_path / "gone", options=SILENT)


def test_options_without_a_key_are_options(graph, capsys):
    original.profile(graph, options={})
    assert "\n-max_depth                  10\n" in capsys.readouterr().out


def test_our_own_options_may_ask_for_the_original(graph, capsys):
    original.profile(graph, options=Options(select=("params",)), compat="original")
    assert "_TFProfRoot (--/" in capsys.readouterr().out


def test_the_original_returns_nothing_where_we_refuse(graph, capsys):
    assert original.profile(graph, options={"step": 3}, compat="original").name == ""
    captured = capsys.readouterr()
    assert "-step=3 not found" in captured.err
    assert "Report======================\n\n======================End" in captured.out


def test_minimums_hide_what_is_below(graph, run_meta):
    for key, metric in (
        ("min_micros", "total_exec_micros"),
        ("min_cpu_micros", "total_cpu_exec_micros"),
        ("min_bytes", "total_requested_bytes"),
        ("min_peak_bytes", "total_peak_bytes"),
        ("min_residual_bytes", "total_residual_bytes"),
        ("min_output_bytes", "total_output_bytes"),
    ):
        root = original.profile(graph, run_meta, options={**SILENT, key: 100_000})
        assert root.children
        assert all(getattr(row, metric) >= 100_000 for row in root.rows)


def test_steps_are_told_apart_and_averaged(graph, run_meta):
    twice = message_class("RunMetadata")()
    twice.CopyFrom(run_meta)
    twice.step_stats.dev_stats.extend(run_meta.step_stats.dev_stats)
    profiler = original.Profiler(graph)
    before = profiler.profile_name_scope(SILENT)
    profiler.add_step(1, run_meta)
    profiler.add_step(2, twice)
    first = profiler.profile_name_scope({**SILENT, "step": 1}).total_exec_micros
    second = profiler.profile_name_scope({**SILENT, "step": 2}).total_exec_micros
    mean = profiler.profile_name_scope(SILENT).total_exec_micros
    assert before.total_exec_micros == 0
    assert second == 2 * first
    assert first < mean < second


def test_two_runs_of_one_step_add_up(graph, run_meta):
    once, twice = original.Profiler(graph), original.Profiler(graph)
    for profiler in (once, twice, twice):
        profiler.add_step(0, run_meta)
    for method in ("profile_graph", "profile_operations", "profile_name_scope"):
        single = getattr(once, method)(SILENT).total_exec_micros
        assert getattr(twice, method)(SILENT).total_exec_micros == 2 * single


def test_a_profiler_answers_as_profile_does(graph, run_meta, capsys):
    options = Builder().select(["params", "float_ops", "micros", "bytes", "device"]).build()
    profiler = original.Profiler(graph)
    profiler.add_step(1, run_meta)
    for method, command in (("graph", "graph"), ("operations", "op"), ("name_scope", "scope")):
        getattr(profiler, f"profile_{method}")(options)
        by_profiler = capsys.readouterr().out
        original.profile(graph, run_meta, cmd=command, options=options)
        assert capsys.readouterr().out == by_profiler


def test_a_step_without_stats_is_said_and_left_out(graph, capsys):
    profiler = original.Profiler(graph)
    profiler.add_step(4, message_class("RunMetadata")())
    assert "step 4" in capsys.readouterr().err
    assert profiler.profile_name_scope(SILENT).total_exec_micros == 0


def test_a_saved_profile_is_read_back(graph, run_meta, tmp_path):
    profiler = original.Profiler(graph)
    profiler.add_step(7, run_meta)
    path = tmp_path / "profile_7"
    path.write_bytes(profiler.serialize_to_string())
    again = original.profile(path, options=SILENT)
    now = profiler.profile_name_scope(SILENT)
    for metric in ("total_parameters", "total_exec_micros", "total_requested_bytes"):
        assert getattr(again, metric) == getattr(now, metric)
    assert tfprof.load(path).trace.steps == (7,)


def test_advice_is_printed_in_order_of_the_checkers(graph, run_meta, capsys):
    advice = original.advise(graph, run_meta)
    assert list(advice.checkers) == [
        "AcceleratorUtilizationChecker", "ExpensiveOperationChecker", "OperationChecker",
    ]  # fmt: skip
    assert advice.checkers["AcceleratorUtilizationChecker"].reports == []
    ops, scopes = advice.checkers["ExpensiveOperationChecker"].reports
    assert ops.startswith("top 1 operation type: Conv2DBackpropFilter, cpu: ")
    assert len(ops.splitlines()) == 3
    assert scopes.startswith("top 1 graph node: ")
    out = capsys.readouterr().out
    assert "\nExpensiveOperationChecker:\ntop 1 operation type" in out


def test_only_the_checkers_named_are_run(graph, run_meta):
    profiler = original.Profiler(graph)
    profiler.add_step(0, run_meta)
    chosen = {"OperationChecker": {}, "JobChecker": {}, "Nobody": {}}
    assert list(profiler.advise(chosen).checkers) == ["OperationChecker"]
    assert len(profiler.advise(original.ALL_ADVICE).checkers) == 3


def _gpu_case(op, start, length):
    graph = message_class("GraphDef")()
    node = graph.node.add(name="net/BatchNorm/norm", op=op)
    node.attr["data_format"].s = b"NHWC"
    run = message_class("RunMetadata")()
    for device, took in (("/device:GPU:0", 1), ("/device:GPU:0/stream:all", length)):
        stats = run.step_stats.dev_stats.add(device=device).node_stats
        stats.add(node_name=node.name, all_start_micros=start, op_end_rel_micros=took)
    stats = run.step_stats.dev_stats[0].node_stats
    stats.add(node_name=node.name, all_start_micros=start + 99, op_end_rel_micros=1)
    return graph, run


def test_advice_for_a_gpu():
    advice = original.advise(*_gpu_case("Mul", 100, 80)).checkers
    assert advice["AcceleratorUtilizationChecker"].reports == [
        "device: /device:gpu:0 utilization: 0.80"
    ]
    batch_norm, layout = advice["OperationChecker"].reports
    assert "fused" in batch_norm
    assert "NCHW" in layout
    advice = original.advise(*_gpu_case("FusedBatchNormV3", 100, 20)).checkers
    assert advice["AcceleratorUtilizationChecker"].reports == [
        "device: /device:gpu:0 low utilization: 0.20"
    ]
    assert len(advice["OperationChecker"].reports) == 1


def test_a_gpu_without_a_stream_is_noticed(capsys):
    graph, run = _gpu_case("Mul", 100, 80)
    del run.step_stats.dev_stats[1]
    original.profile(graph, run, options=Builder().build())
    assert "stream:all" in capsys.readouterr().out


def test_an_op_log_of_a_graph_that_is_no_object(graph, run_meta, tmp_path):
    original.write_op_log(graph, tmp_path, run_meta=run_meta)
    log = original.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    entries = {entry.name: entry for entry in log.log_entries}
    assert entries["model/left0/conv0/conv2d/Conv2D"].float_ops > 0
    trained = [name for name, e in entries.items() if "_trainable_variables" in e.types]
    assert trained
    options = Builder(Builder.trainable_variables_parameter()).with_empty_output().build()
    result = original.profile(graph, op_log=log, options=options, compat="original")
    assert result.total_parameters == 31_030_658


def test_an_op_log_needs_its_folder(graph, tmp_path):
    with pytest.raises(OutputNotWritable, match="tfprof_log"):
        original.write_op_log(graph, tmp_path / "gone")


def test_none_of_it_loads_tensorflow(unet):
    script = (
        "import sys\n"
        "from tfprof import compat as o\n"
        f"o.profile({str(unet / 'graph.pb')!r}, {str(unet / 'run_meta')!r})\n"
        "try:\n"
        "    o.profile()\n"
        "except o.profiler.UsageError as fault:\n"
        "    assert 'tf.Graph' in fault.hint\n"
        "else:\n"
        "    raise SystemExit('profiled nothing')\n"
        "assert 'tensorflow' not in sys.modules\n"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
