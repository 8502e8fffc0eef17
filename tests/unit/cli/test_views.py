"""The four views on the command line: the numbers of the seed README, JSON, files, options."""

import json

import pytest
from run_cli import run, spawn


@pytest.fixture
def resnet(samples):
    return samples / "resnet32"


def _scope(resnet, *words):
    return run("scope", resnet, *words).out


def test_all_variables_are_counted_by_default(resnet):
    assert _scope(resnet).splitlines()[0] == "_TFProfRoot (--/930.58k params)"


def test_the_readme_shows_weights_with_their_slots(resnet):
    shown = _scope(resnet, "-max_depth", "10")
    assert "  pool_logit/DW (64x10, 640/1.28k params)\n" in shown
    assert "  init/init_conv/DW (3x3x3x16, 432/864 params)\n" in shown


def test_trainable_variables_are_a_type(resnet):
    shown = _scope(resnet, "-account_type_regexes", "_trainable_variables", "-max_depth", "10")
    assert shown.splitlines()[0] == "_TFProfRoot (--/464.15k params)"


def test_float_operations_are_those_of_the_readme(resnet):
    words = ["-account_type_regexes", ".*", "-select", "float_ops", "-max_depth", "10"]
    shown = _scope(resnet, *words, "-order_by", "float_ops")
    assert "unit_1_0/sub1/conv1/Conv2D (603.98m/603.98m flops)" in shown
    assert "init/init_conv/Conv2D (113.25m/113.25m flops)" in shown


def test_without_an_op_log_floats_are_counted_by_our_own_rules(resnet):
    words = ["-select", "float_ops", "-account_type_regexes", ".*", "-max_depth", "10"]
    shown = run("scope", resnet / "graph.pb", *words).out
    assert "unit_1_0/sub1/conv1/Conv2D (603.98m/603.98m flops)" in shown


def test_checkpoint_variables_are_a_type(resnet):
    shown = _scope(resnet, "-account_type_regexes", "_checkpoint_variables", "-max_depth", "10")
    assert shown.splitlines()[0] == "_TFProfRoot (--/930.58k params)"


def test_json_nodes_know_their_parents(resnet):
    nodes = json.loads(_scope(resnet, "--json", "-max_depth", "10"))["data"]["nodes"]
    assert nodes[0]["parent"] is None
    assert nodes[0]["total"]["params"] == 930_581
    assert all(node["parent"] < node["id"] for node in nodes[1:])
    assert sum(n["self"]["params"] for n in nodes if n["accounted"]) == 930_581


def test_op_rows_add_up_to_the_total(resnet):
    words = ["-account_type_regexes", ".*", "-select", "micros", "-max_depth", "1000"]
    data = json.loads(run("op", resnet, *words, "--json").out)["data"]
    assert sum(row["self"]["micros"] for row in data["rows"]) == data["total"]["micros"]


def test_the_early_style_has_one_time_column_and_the_late_three(resnet):
    words = ["-account_type_regexes", ".*", "-select", "micros", "-max_depth", "1"]
    assert _scope(resnet, *words) == "_TFProfRoot (0us/3.68sec)\n"
    late = _scope(resnet, *words, "--style", "late").splitlines()
    assert late[0].startswith("node name | total execution time | accelerator")
    assert late[1] == "_TFProfRoot (--/3.68sec, --/0us, --/3.68sec)"


def test_corrected_sizes_know_gigabytes_and_the_original_does_not(resnet):
    words = ["-account_type_regexes", ".*", "-select", "bytes", "-max_depth", "1"]
    assert "3.44GB" in _scope(resnet, *words)
    assert "3440.05MB" in _scope(resnet, *words, "--compat", "original")


@pytest.mark.parametrize("command", ["scope", "graph", "op"])
def test_a_view_goes_to_a_file_by_every_old_name(resnet, tmp_path, command):
    shown = run(command, resnet).out
    for number, words in enumerate((["-dump_to_file"], ["-o"], ["-output"])):
        target = tmp_path / f"{number}.txt"
        value = f"file:outfile={target}" if words == ["-output"] else str(target)
        ran = run(command, resnet, *words, value)
        assert (ran.code, ran.out) == (0, "")
        assert target.read_text() == shown


def test_output_none_prints_nothing(resnet):
    ran = run("scope", resnet, "-output", "none")
    assert (ran.code, ran.out) == (0, "")


def test_a_code_view_without_code_says_what_it_needs(unet):
    ran = run("code", unet)
    assert ran.code == 3
    assert "op log" in ran.err


def test_csv_has_own_and_total_of_what_is_selected(resnet):
    lines = run("scope", resnet, "--format", "csv", "-max_depth", "2").out.splitlines()
    assert lines[0] == "name,depth,self_params,total_params"
    assert lines[1].startswith("_TFProfRoot,0,")


def test_a_timeline_is_a_file_that_chrome_opens(unet, tmp_path):
    words = ["-account_type_regexes", ".*", "-max_depth", "100"]
    target = tmp_path / "t.json"
    ran = run("graph", unet, *words, "-output", f"timeline:outfile={target}")
    assert ran.code == 0
    assert "Perfetto" in ran.err
    events = json.loads(target.read_text())["traceEvents"]
    assert sum(event["ph"] == "X" for event in events) > 500


def test_several_steps_are_several_timelines(unet, tmp_path):
    run_meta = unet / "run_meta"
    words = ["-account_type_regexes", ".*", "-max_depth", "100", "-output"]
    files = ["--graph_path", unet / "graph.pb", "--run_meta_path", f"{run_meta},{run_meta}"]
    ran = run("graph", *files, *words, f"timeline:outfile={tmp_path / 't'}")
    assert ran.code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["t_0", "t_1"]


def test_code_goes_to_pprof_one_metric_at_a_time(resnet, tmp_path):
    target = tmp_path / "p.pb.gz"
    words = [
        "-account_type_regexes",
        ".*",
        "-output",
        f"pprof:outfile={target}",
        "-max_depth",
        "50",
    ]
    assert run("code", resnet, *words, "-select", "micros").code == 0
    assert target.read_bytes()[:2] == b"\x1f\x8b"
    assert run("code", resnet, *words, "-select", "micros,params").code == 2
    assert run("scope", resnet, *words, "-select", "micros").code == 2


def test_the_op_view_has_no_timeline(resnet, tmp_path):
    ran = run("op", resnet, "-output", f"timeline:outfile={tmp_path / 'x'}")
    assert ran.code == 2
    assert not list(tmp_path.iterdir())


def test_hidden_nodes_between_two_shown_ones_are_counted(resnet):
    words = [
        "-start_name_regexes",
        "cost.*",
        "-select",
        "num_hidden_ops,params",
        "-max_depth",
        "100",
    ]
    lines = run("graph", resnet / "graph.pb", *words).out.splitlines()
    assert lines[0].startswith("_TFProfRoot (--/")
    hidden = [at for at, line in enumerate(lines) if line.strip().startswith("...hidden ")]
    assert hidden
    for at in hidden:
        indent = len(lines[at]) - len(lines[at].lstrip())
        assert lines[at + 1].startswith(" " * (indent + 2))


def test_viz_says_what_draws_instead(resnet):
    ran = run("scope", resnet, "-viz", "-max_depth", "1")
    assert ran.code == 0
    assert "tfprof report" in ran.err


@pytest.mark.parametrize("command", ["scope", "graph", "op", "shell"])
def test_a_graph_that_ends_early_is_answered_with_a_warning(unet, tmp_path, command):
    cut = tmp_path / "cut.pb"
    cut.write_bytes((unet / "graph.pb").read_bytes()[:200_000])
    ran = spawn(command, cut)
    assert ran.code == 0
    assert "ends early" in ran.err


def test_trained_variables_are_found_in_a_graph_without_an_op_log(resnet):
    shown = run(
        "scope", resnet / "graph.pb", "-account_type_regexes", "_trainable_variables",
        "-max_depth", "1",
    ).out  # fmt: skip
    assert shown == "_TFProfRoot (--/464.15k params)\n"


def test_what_has_no_flops_is_said(samples):
    ran = run(
        "scope", samples / "keras_mlp_fwd.graph.pb", "-select", "float_ops",
        "-account_type_regexes", ".*", "-max_depth", "2",
    )  # fmt: skip
    assert "ops have no FLOPs since their shapes are not known" in ran.err
    assert "MatMul" in ran.err


def test_an_early_graph_starts_from_what_it_is_told_to(resnet):
    shown = run(
        "graph", resnet, "-start_name_regexes", "cost.*", "-max_depth", "100", "-min_micros",
        "10000", "-select", "micros", "-account_type_regexes", ".*",
    ).out.splitlines()  # fmt: skip
    assert shown[0] == "_TFProfRoot (0us/445.33ms)"
    assert [line for line in shown[1:] if not line.startswith("    ")] == [
        "  init/init_conv/Conv2D (11.69ms/11.69ms)",
        "  unit_1_0/sub2/conv2/Conv2D (11.46ms/30.51ms)",
        "  unit_1_1/sub2/conv2/Conv2D (11.33ms/36.13ms)",
        "  unit_1_2/sub2/conv2/Conv2D (11.60ms/37.22ms)",
        "  unit_1_3/sub2/conv2/Conv2D (11.41ms/37.91ms)",
        "  unit_1_4/sub2/conv2/Conv2D (16.52ms/46.65ms)",
        "  unit_2_1/sub1/conv1/Conv2D (10.23ms/13.11ms)",
    ]


@pytest.mark.parametrize("spelt", [".*device:CPU.*", ".*device:cpu.*"])
def test_a_device_may_be_spelt_in_any_case(samples, spelt):
    folder = samples / "parameter_servers"
    by_type = run("scope", folder, "-account_type_regexes", spelt, "-max_depth", "1").out
    assert by_type not in ("", "_TFProfRoot (--/0 params)\n")
    for style in ("early", "late"):
        words = ["-device_regexes", spelt, "-max_depth", "9", "--style", style]
        assert len(run("scope", folder, *words).out.splitlines()) > 5


def test_devices_that_are_not_shown_are_hidden_in_every_view(samples):
    folder = samples / "parameter_servers"
    for view, style in (("scope", "early"), ("scope", "late"), ("graph", "late"), ("op", "late")):
        words = ["-account_type_regexes", ".*", "--style", style, "-max_depth", "100"]
        everything = run(view, folder, *words).out.splitlines()
        some = run(view, folder, *words, "-device_regexes", ".*task:1.*").out.splitlines()
        none = run(view, folder, *words, "-device_regexes", "nowhere").out.splitlines()
        assert len(none) <= 2 < len(some) < len(everything)


def test_a_folder_can_be_the_checkpoint(resnet):
    words = ["-account_type_regexes", "_checkpoint_variables", "-max_depth", "1"]
    files = [f"--graph_path={resnet / 'graph.pb'}", f"--checkpoint_path={resnet}"]
    assert run("scope", *files, *words).out == "_TFProfRoot (--/930.58k params)\n"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["-account_type_regexes", "Variable"], "no type matches Variable; did you mean Variable"),
        (["-account_type_regexes", "VariableV2,Cnov2D"], "matches Cnov2D; did you mean Conv2D?"),
        (["-start_name_regexes", "nowhere"], "no name matches -start_name_regexes nowhere"),
        (["-show_name_regexes", "sub1"], "did you mean .*sub1.*?"),
        (["-device_regexes", ".*gpu.*"], "no device matches .*gpu.*; devices here: "),
    ],
)
@pytest.mark.parametrize("view", ["scope", "graph"])
def test_a_pattern_that_matches_nothing_is_named_with_what_may_be_meant(resnet, view, words, says):
    ran = run(view, resnet / "graph.pb", *words, "-max_depth", 1)
    assert (ran.code, says in ran.err) == (0, True)
    asked = json.loads(run(view, resnet / "graph.pb", *words, "-max_depth", 1, "--json").out)
    assert any(says in warning for warning in asked["warnings"])


def test_the_usual_types_need_not_all_be_there(resnet, tmp_path):
    assert run("scope", resnet / "graph.pb", "-max_depth", 1).err == ""
    (tmp_path / "graph.pbtxt").write_text('node { name: "x" op: "NoOp" }')
    none = run("scope", tmp_path / "graph.pbtxt", "-max_depth", 1).err
    assert "no type matches Variable, VariableV2, VarHandleOp; types here are " in none


def test_the_originals_engine_says_nothing_of_patterns(resnet):
    words = ["-account_type_regexes", "Variable", "--compat", "original", "-select", "params"]
    assert "matches" not in run("scope", resnet / "graph.pb", *words).err
