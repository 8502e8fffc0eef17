"""Reports on live graphs that ran: what TensorFlow's own tests hold the original's files to."""

import gzip
import json
import math

import pytest
from live_models import Live, convolutions, found, recurrent
from tensorflow.core.profiler import profile_pb2

from tfprof import compat as original
from tfprof.errors import UsageError

Builder = original.ProfileOptionBuilder
COMPAT = [None, "original"]
METHODS = {"scope": "name_scope", "graph": "graph", "op": "operations", "code": "python"}
EVERYTHING = [
    "micros", "bytes", "params", "float_ops", "occurrence", "device", "op_types", "input_shapes",
]  # fmt: skip
PER_LINE = ["micros", "bytes", "params", "float_ops", "device"]
CPU = "/job:localhost/replica:0/task:0/device:cpu:0"


@pytest.fixture(scope="module")
def small():
    return Live(convolutions)


@pytest.fixture(scope="module")
def full():
    return Live(recurrent)


@pytest.fixture(scope="module")
def run_meta(full):
    return full.run()


@pytest.fixture
def dump(tmp_path):
    return tmp_path / "dump"


def _all(dump, select):
    """A builder for every node, with its report in a file."""
    builder = Builder(Builder.trainable_variables_parameter()).with_file_output(str(dump))
    return builder.with_accounted_types([".*"]).account_displayed_op_only(False).select(select)


def _report(dump):
    """What stands below the explanations."""
    doc, profile, text = dump.read_text(encoding="utf-8").partition("Profile:\n")
    assert doc.startswith("\nDoc:\n")
    assert profile
    return text


def _cells(text, name):
    """What stands in the brackets behind a name."""
    (line,) = [one for one in text.splitlines() if one.strip().startswith(f"{name} (")]
    return line.partition("(")[2].removesuffix(")").split(", ")


@pytest.mark.parametrize("compat", COMPAT)
def test_a_file_lists_the_trained_variables(small, dump, compat):
    options = Builder(Builder.trainable_variables_parameter()).with_file_output(str(dump)).build()
    original.profile(small.graph, options=options, compat=compat)
    assert _report(dump) == (
        "node name | # parameters\n"
        "_TFProfRoot (--/205 params)\n"
        "  first (3x3x3x4, 108/108 params)\n"
        "  scalar (1, 1/1 params)\n"
        "  second (2x2x4x6, 96/96 params)\n"
    )


def test_columns_stand_in_their_own_order_whatever_the_order_of_select(small, dump):
    original.profile(small.graph, small.run(), options=_all(dump, EVERYTHING).build())
    assert _report(dump).splitlines()[0] == (
        "node name | # parameters | # float_ops | requested bytes | total execution time | "
        "accelerator execution time | cpu execution time | assigned devices | op types | "
        "op count (run|defined) | input shapes"
    )


def test_an_op_that_ran_has_every_column_filled(small, dump):
    original.profile(small.graph, small.run(), options=_all(dump, EVERYTHING).build())
    cells = _cells(_report(dump), "Conv_a")
    assert cells[:3] == ["0/0 params", "6.91k/6.91k flops", "512B/512B"]
    took, accelerator, cpu = cells[3:6]
    assert took == cpu
    assert not took.startswith("0us/")
    assert accelerator == "0us/0us"
    assert cells[6:] == [CPU, f"{CPU}|Conv2D", "1/2|1/2", "0:2x8x8x3|1:3x3x3x4"]


@pytest.mark.parametrize(
    ("selected", "shown", "missing"),
    [
        (["micros"], ["total execution time", "accelerator execution time"], ["bytes"]),
        (["bytes"], ["requested bytes"], ["peak bytes", "residual bytes", "output bytes", "time"]),
        (
            ["peak_bytes", "residual_bytes", "output_bytes"],
            ["peak bytes", "residual bytes", "output bytes"],
            ["requested bytes", "execution time"],
        ),
        (["accelerator_micros"], ["accelerator execution time"], ["total exec", "cpu exec"]),
    ],
)
def test_only_what_is_selected_has_a_heading(small, dump, selected, shown, missing):
    options = Builder(Builder.time_and_memory()).with_file_output(str(dump)).select(selected)
    original.profile(small.graph, small.run(), options=options.build())
    heading = _report(dump).splitlines()[0]
    assert all(text in heading for text in shown)
    assert not any(text in heading for text in missing)


def test_code_lines_have_the_same_headings_and_no_hidden_ops(full, run_meta, dump):
    selected = ["bytes", "params", "float_ops", "num_hidden_ops", "device", "input_shapes"]
    builder = _all(dump, selected).with_node_names(show_name_regexes=[".*live_models.*"])
    original.profile(full.graph, run_meta, cmd="code", options=builder.build())
    assert _report(dump).splitlines()[0] == (
        "node name | requested bytes | # parameters | # float_ops | assigned devices | input shapes"
    )


@pytest.mark.parametrize("compat", COMPAT)
def test_gradients_stand_below_the_line_they_are_of(full, run_meta, dump, compat):
    builder = _all(dump, ["params", "float_ops"])
    builder.with_node_names(show_name_regexes=[".*live_models.py:[0-9]+:recurrent.*"])
    root = original.profile(
        full.graph, run_meta, cmd="code", options=builder.build(), compat=compat
    )
    lines = [child.name for child in root.children]
    forward = [name for name in lines if not name.endswith(" (gradient)")]
    assert len(forward) == 6
    assert forward == sorted(forward)
    gradients = [at for at, name in enumerate(lines) if name.endswith(" (gradient)")]
    assert len(gradients) == 4
    assert all(lines[at] == f"{lines[at - 1]} (gradient)" for at in gradients)
    assert root.total_parameters == 4 * 205 + 96 * 96
    assert root.total_exec_micros > 0
    below = sum(child.total_float_ops for child in root.children)
    assert below == root.total_float_ops > 4 * 2 * 2 * 96 * 96


def test_only_the_innermost_line_holds_the_node_it_made(small):
    options = Builder(_all("", PER_LINE).build()).with_empty_output().build()
    leaf = original.profile(small.graph, small.run(), cmd="code", options=options)
    while leaf.children:
        assert leaf.graph_nodes == []
        leaf = leaf.children[0]
    assert [node.name for node in leaf.graph_nodes] == ["zeros"]


def test_op_rows_are_sorted_by_how_often_they_occur(full, run_meta, dump):
    selected = [
        "params", "micros", "bytes", "peak_bytes", "residual_bytes", "output_bytes", "occurrence",
        "input_shapes",
    ]  # fmt: skip
    options = _all(dump, selected).with_min_occurrence(10).order_by("occurrence").build()
    root = original.profile(full.graph, run_meta, cmd="op", options=options)
    heading = [cell.strip() for cell in _report(dump).splitlines()[0].split("|")]
    assert heading[:6] == [
        "node name", "requested bytes", "peak bytes", "residual bytes", "output bytes",
        "total execution time",
    ]  # fmt: skip
    met = [len(row.graph_nodes) for row in root.rows]
    assert len(met) > 3
    assert met == sorted(met, reverse=True)
    assert min(met) >= 10
    shaped = [node for row in root.rows for node in row.graph_nodes if node.input_shapes]
    assert len(shaped) > 10


def test_an_op_row_adds_its_own_cost_to_the_rows_after_it(full, run_meta):
    options = Builder().with_max_depth(1000).with_empty_output().order_by("occurrence").build()
    row = original.profile(full.graph, run_meta, cmd="op", options=options)
    assert row.total_exec_micros == sum(one.exec_micros for one in row.rows) > 0
    while row.children:
        (after,) = row.children
        assert row.total_exec_micros == row.exec_micros + after.total_exec_micros
        row = after
    assert row.total_exec_micros == row.exec_micros


@pytest.mark.parametrize(
    "metric", ["micros", "bytes", "accelerator_micros", "cpu_micros", "params", "float_ops"]
)
def test_pprof_takes_every_metric(full, run_meta, tmp_path, metric):
    target = tmp_path / "profile.pb.gz"
    builder = Builder().with_max_depth(100_000).select([metric])
    builder.with_node_names(trim_name_regexes=["live_models.py:[0-9]+:convolutions.*"])
    options = builder.with_pprof_output(str(target)).build()
    original.profile(full.graph, run_meta, cmd="code", options=options)
    made = profile_pb2.Profile.FromString(gzip.decompress(target.read_bytes()))
    assert len(made.sample) > 10
    texts = list(made.string_table)
    assert "live_models:recurrent" in texts
    assert "live_models:recurrent (gradient)" in texts
    assert any("loop/product" in text for text in texts)
    total = sum(sample.value[1] for sample in made.sample)
    assert (total == 0) == (metric == "accelerator_micros")


@pytest.mark.parametrize(
    "selected", [["op_types"], ["device"], ["input_shapes"], ["micros", "bytes"]]
)
def test_pprof_leaves_no_file_of_what_is_no_metric(full, run_meta, tmp_path, selected):
    target = tmp_path / "profile.pb.gz"
    options = Builder().select(selected).with_pprof_output(str(target)).build()
    with pytest.raises(UsageError, match="pprof"):
        original.profile(full.graph, run_meta, cmd="code", options=options)
    assert not target.exists()


@pytest.mark.parametrize(("compat", "name"), [(None, "timeline"), ("original", "timeline_0")])
def test_a_steps_timeline_has_every_execution(full, run_meta, tmp_path, compat, name):
    builder = Builder().with_max_depth(100_000).with_step(0)
    options = builder.with_timeline_output(str(tmp_path / "timeline")).build()
    original.profile(full.graph, run_meta, cmd="graph", options=options, compat=compat)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    events = json.loads((tmp_path / name).read_text())["traceEvents"]
    drawn = [event["name"] for event in events if event["ph"] == "X"]
    (device,) = run_meta.step_stats.dev_stats
    ran = [record for record in device.node_stats if record.node_name != "_SOURCE"]
    assert "loop/product" in drawn
    assert set(drawn) <= {record.node_name for record in ran}
    assert len(drawn) == len({record.all_start_micros for record in ran}) > 100


@pytest.mark.parametrize("compat", COMPAT)
@pytest.mark.parametrize("command", METHODS)
def test_a_saved_profile_dumps_the_same(small, dump, tmp_path, command, compat):
    options = _all(dump, PER_LINE if command == "code" else EVERYTHING).build()
    profiler = original.Profiler(small.graph, compat=compat)
    profiler.add_step(1, small.run())
    getattr(profiler, f"profile_{METHODS[command]}")(options)
    now = _report(dump)
    dump.unlink()
    saved = tmp_path / "profile_1"
    saved.write_bytes(profiler.serialize_to_string())
    original.profile(saved, cmd=command, options=options, compat=compat)
    assert _report(dump) == now
    assert "Conv" in now or command == "code"


def test_a_profiler_writes_what_profile_writes(full, run_meta, dump):
    profiler = original.Profiler(full.graph)
    profiler.add_step(1, run_meta)
    written = {}
    for command, method in METHODS.items():
        options = _all(dump, PER_LINE).build()
        getattr(profiler, f"profile_{method}")(options)
        written[command] = dump.read_text()
        dump.unlink()
        original.profile(full.graph, run_meta, cmd=command, options=options)
        assert dump.read_text() == written[command]
    assert len(set(written.values())) == len(METHODS)


def test_the_early_dump_has_neither_frame_nor_heading(small, dump):
    options = {**original.TRAINABLE_VARS_PARAMS_STAT_OPTIONS, "dump_to_file": str(dump)}
    original.print_model_analysis(small.graph, tfprof_options=options)
    assert dump.read_text() == (
        "_TFProfRoot (--/205 params)\n"
        "  first (3x3x3x4, 108/108 params)\n"
        "  scalar (1, 1/1 params)\n"
        "  second (2x2x4x6, 96/96 params)\n"
    )


def test_the_early_report_of_everything(small, dump):
    options = {
        **original.TRAINABLE_VARS_PARAMS_STAT_OPTIONS,
        "account_type_regexes": [".*"],
        "select": ["bytes", "params", "float_ops", "num_hidden_ops", "device", "op_types"],
        "dump_to_file": str(dump),
    }
    root = original.print_model_analysis(small.graph, small.run(), tfprof_options=options)
    lines = dump.read_text().splitlines()
    assert lines[0].startswith("_TFProfRoot (0/205 params, 0/8.86k flops, 0B/")
    assert lines[0].endswith(", _kTFScopeParent)")
    assert f"  Conv_a (0/0 params, 6.91k/6.91k flops, 512B/512B, {CPU}, {CPU}|Conv2D)" in lines
    assert "    first/Assign (0/0 params, 0/0 flops, 0B/0B, AssignVariableOp)" in lines
    assert "  scalar (1, 1/1 params, 0/3 flops, 0B/0B, VarHandleOp|_trainable_variables)" in lines
    operations = [op.name for op in small.graph.get_operations()]
    assert all(found(root, name) for name in operations)


def test_a_result_has_the_shapes_of_the_graph(small):
    options = {**_all("", ["params"]).build(), "output": "none"}
    root = original.profile(small.graph, options=options)
    assert [child.name for child in root.children] == [
        "Conv_a", "Conv_b", "first", "init", "scalar", "second", "zeros",
    ]  # fmt: skip
    shapes = found(root, "Conv_b").input_shapes
    assert [[dim.size for dim in shapes[at].dim] for at in (0, 1)] == [[2, 4, 4, 4], [2, 2, 4, 6]]
    first = found(root, "first")
    assert first.parameters == first.total_parameters == math.prod([3, 3, 3, 4])
    assert all(row.exec_micros == row.requested_bytes == 0 for row in root.rows)
