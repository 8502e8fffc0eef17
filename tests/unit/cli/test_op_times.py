"""`layers --by`, the views and the summary on traces: what users see of op time."""

import json

import pytest
from run_cli import run


@pytest.fixture
def slow(samples):
    return samples / "xplane/slow-cb.xplane.pb"


def data_of(*arguments):
    ran = run(*arguments, "--json")
    assert ran.code == 0
    return json.loads(ran.out)


def test_a_trace_alone_has_layers_with_their_time(slow):
    answer = data_of("layers", slow)
    rows = {row["layer"]: row for row in answer["data"]["rows"]}
    # of 8 steps
    assert rows["conv2d_1"]["time_us"] == pytest.approx(241_451 / 8, abs=1)
    assert rows["conv2d_1"]["params"] is None
    assert any("no graph was given" in warning for warning in answer["warnings"])
    assert any(warning.startswith("peak_bytes: ") for warning in answer["warnings"])
    assert any(warning.startswith("time.peak, ") for warning in answer["warnings"])
    assert answer["data"]["time"]["steps"] == 8


@pytest.mark.parametrize("by", ["op", "scope", "node", "device", "thread"])
def test_rows_are_what_by_names(slow, by):
    rows = data_of("layers", slow, "--by", by)["data"]["rows"]
    assert all({by, "runs", "self_us", "median_us"} <= set(row) for row in rows)
    assert rows == sorted(rows, key=lambda row: -row["self_us"])


def test_a_graph_and_its_run_have_time_beside_sizes(unet):
    answer = data_of("layers", unet)
    assert [warning.split(":")[0] for warning in answer["warnings"]] == [
        "time.peak, peak_share, bandwidth_share", "device_us and what is of it",
    ]  # fmt: skip
    rows = {row["layer"]: row for row in answer["data"]["rows"]}
    assert rows["right0"]["time_us"] == pytest.approx(19.9e6, rel=0.01)
    assert rows["right0"]["params"] == 110_720
    ops = {row["op"]: row for row in data_of("layers", unet, "--by", "op")["data"]["rows"]}
    assert ops["_FusedConv2D"]["flops_per_second"] == pytest.approx(27.25e9, rel=0.01)


def test_kernels_of_a_gpu(samples):
    (row, copies) = data_of("layers", samples / "xplane/synthetic-gpu.xplane.pb", "--by", "kernel")[
        "data"
    ]["rows"]
    assert (copies["kernel"], copies["op"]) == ("MemcpyH2D", "(copies to the device)")
    assert (row["registers"], row["grid"], row["block"]) == (128, "64,1,1", "128,1,1")
    assert (row["devices"], row["runs"], row["occupancy"]) == (["/gpu:0"], 50, 0.5)
    assert row["could_use_tensor_cores"]
    assert not row["uses_tensor_cores"]


@pytest.mark.parametrize(
    ("sample", "options", "code", "said"),
    [
        ("keras_mlp_fwd.graph.pb", ["--by", "thread"], 3, "needs a trace"),
        ("keras_mlp_fwd.graph.pb", ["--by", "kernel"], 3, "needs a trace"),
        ("xplane/slow-cb.xplane.pb", ["--by", "kernel"], 3, "no kernels"),
        ("xplane/slow-cb.xplane.pb", ["--by", "kernel", "--device", "cpu"], 2, "does not go with"),
        ("xplane/tiny-htl1.xplane.pb", [], 3, "recorded from host_tracer_level 2 on, this is 1"),
    ],
)
def test_what_cannot_be_told_is_said(samples, sample, options, code, said):
    ran = run("layers", samples / sample, *options)
    assert ran.code == code
    assert said in ran.err


def test_views_of_a_trace_alone_show_time_by_op_type_and_scope(slow):
    ran = run("op", slow)
    assert ran.code == 0
    assert ran.out.splitlines()[1].startswith("ResizeBilinear")
    ops = {row["op"]: row["self"] for row in data_of("op", slow, "-max_depth", 100)["data"]["rows"]}
    assert ops["Conv2DBackpropFilter"]["micros"] == 397_710
    nodes = {row["name"]: row for row in data_of("scope", slow)["data"]["nodes"]}
    assert nodes["StatefulPartitionedCall/adam"]["total"]["micros"] == pytest.approx(
        83_700, abs=200
    )


def test_a_trace_joins_its_graph(samples):
    folder = samples / "traced_step"
    options = ["-account_type_regexes", ".*", "-select", "micros", "-max_depth", "100"]
    rows = data_of("op", folder, *options)["data"]["rows"]
    ops = {row["op"]: row["self"] for row in rows}
    assert ops["_FusedConv2D"]["occurrence"] == 3


def test_a_summary_is_of_an_average_step(slow):
    ran = run(slow)
    assert ran.code == 0
    assert "241.8 ms a step, 8 steps traced" in ran.out
    answer = data_of("summary", slow)["data"]
    assert answer["time"]["steps"] == 8
    # ops overlap: their time is more than the time on the wall
    assert answer["time"]["op_us"] > answer["time"]["step_us"] == pytest.approx(241_790, abs=1)
    assert answer["requested_bytes"] is None
    assert answer["top"][0]["op"] == "Conv2DBackpropFilter"
