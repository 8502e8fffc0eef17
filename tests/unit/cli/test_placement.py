"""`tfprof placement`, and `--partition` and `--as` on the commands that take them."""

import json
from pathlib import Path

import pytest
from run_cli import run

import tfprof

LOGS = Path(__file__).parents[2] / "logs"


def data_of(*words):
    ran = run(*words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["data"]


def test_json_has_the_keys_of_the_contract(samples):
    found = data_of("placement", samples / "two_cpus")
    for one in found["devices"].values():
        assert one.keys() >= {"nodes", "params", "time_us", "bytes"}
    for one in found["copies"]:
        assert one.keys() >= {"source", "target", "count", "bytes", "time_us"}
    assert len(found["soft_placed"]) == 4
    assert [one["device"] for one in found["partitions"]] == ["/cpu:0", "/cpu:1"]
    assert found["parameter_servers"] is None


@pytest.mark.parametrize(
    "words",
    [
        ["two_cpus"], ["two_cpus", "--nodes"], ["two_cpus", "--partition", "/cpu:1"],
        ["two_cpus/graph.pb"], ["two_cpus/run_meta", "--nodes"], ["two_cpus_function", "--nodes"],
        ["parameter_servers"], ["xplane/synthetic-gpu.xplane.pb", "--nodes"],
        ["keras_mlp_train.graph.pb"], ["resnet32"],
    ],
)  # fmt: skip
def test_the_text_fits_the_screen(samples, words, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("placement", samples / words[0], *words[1:])
    assert ran.code == 0, ran.err
    assert max(map(len, ran.out.splitlines())) <= 80


def test_unevenness_is_said_in_words(samples):
    ran = run("placement", samples / "parameter_servers")
    assert "1.32 times" in ran.out
    assert "uneven" in ran.out
    found = data_of("placement", samples / "parameter_servers")["parameter_servers"]
    assert found["imbalance"] == pytest.approx(1.315, abs=1e-3)


def test_unknown_is_null_with_a_warning(samples):
    ran = run("placement", samples / "two_cpus" / "graph.pb", "--json")
    answer = json.loads(ran.out)
    assert answer["data"]["devices"]["/cpu:0"]["time_us"] is None
    assert any("no run was given" in warning for warning in answer["warnings"])
    assert any("may run anywhere" in warning for warning in answer["warnings"])


def test_nodes_are_the_subgraphs_with_the_time_of_each_op(samples):
    whole, one = data_of("placement", samples / "two_cpus", "--nodes")["subgraphs"]
    assert (whole["device"], one["device"]) == ("/cpu:0", "/cpu:1")
    by_name = {node["name"]: node for node in one["nodes"]}
    assert by_name["second/BiasAdd"]["reads"][:2] == ["Relu/_5", "second/kernel/read"]
    assert by_name["second/BiasAdd"]["time_us"] > 0
    assert by_name["Relu/_5"]["time_us"] is None  # TensorFlow 2 records no transfers


def test_a_log_alone_is_enough():
    found = data_of("placement", "--placement-log", LOGS / "two_cpus_function.log")
    assert found["devices"]["/cpu:1"]["nodes"] == 1
    assert found["logged"]["/cpu:0"]["executed"]["VarHandleOp"] == 1


def test_faults(samples, tmp_path):
    assert run("placement").code == 2
    assert run("placement", samples / "two_cpus", "--placement-log", tmp_path / "no").code == 3
    other = tmp_path / "log"
    other.write_text("epoch 1\n")
    assert run("placement", samples / "two_cpus", "--placement-log", other).code == 4
    assert run("placement", samples / "two_cpus", "--partition", "/tpu:0").code == 2
    assert run("placement", samples / "resnet32" / "model.ckpt.index").code == 3
    assert run("scope", samples / "parameter_servers", "--as", "executed").code == 3


# --- the graph that ran in place of the one that was written


def test_views_of_one_device(samples):
    words = ["-account_type_regexes", ".*", "-select", "micros,params", "-max_depth", "9"]
    found = data_of("scope", samples / "two_cpus", "--partition", "/cpu:1", *words)
    names = {node["name"] for node in found["nodes"]}
    assert "second/BiasAdd" in names
    assert not any(name.startswith("first") for name in names)
    root = found["nodes"][0]["total"]
    devices = data_of("placement", samples / "two_cpus")["devices"]
    assert root["micros"] == devices["/cpu:1"]["time_us"]
    assert root["params"] == devices["/cpu:1"]["params"]


def test_views_of_all_that_was_executed(samples):
    words = ["-account_type_regexes", ".*", "-select", "micros"]
    found = data_of("op", samples / "two_cpus", "--as", "executed", *words, "-order_by", "micros")
    fused = [row for row in found["rows"] if row["op"] == "_FusedMatMul"]
    assert len(fused) == 1
    graph = run("graph", samples / "two_cpus", "--as", "executed", *words, "-max_depth", "12")
    # a device's tree goes on where another device made what it received
    assert "second/BiasAdd/_7" in graph.out
    assert graph.out.index("second/BiasAdd/_7") < graph.out.index("Relu/_5")


def test_layers_of_one_device(samples):
    found = data_of("layers", samples / "two_cpus", "--partition", "/cpu:1")
    assert found["total"]["macs"] == 32 * 256 * 10
    whole = data_of("layers", samples / "two_cpus", "--as", "executed")
    forward = 32 * 64 * 256 + 32 * 256 * 10
    # no gradient of the images was computed
    assert whole["total"]["macs"] == 3 * forward - 32 * 64 * 256


def test_memory_of_one_device(samples):
    words = ("memory", samples / "two_cpus", "--partition", "/cpu:1")
    for more in ((), ("--estimate",)):
        found = data_of(*words, *more)["devices"]
        assert {name: one["peak_bytes"] for name, one in found.items()} == {"/cpu:1": 32 * 10 * 4}


def test_cpus_of_one_process_share_memory(samples):
    """The second layer reads what the first made; nothing is copied for it."""
    written = data_of("memory", samples / "two_cpus", "--estimate")["devices"]
    assert written["/cpu:1"]["peak_bytes"] == 32 * 10 * 4


def test_python_asks_the_same(samples):
    profile = tfprof.load(samples / "two_cpus")
    answer = profile.placement(nodes=True, log=LOGS / "two_cpus.log").to_dict()["data"]
    assert len(answer["soft_placed"]) == 5
    assert len(answer["subgraphs"]) == 2
    there = profile.executed("/cpu:1").placement().to_dict()["data"]
    assert there["devices"].keys() == {"/cpu:1"}


def test_a_run_without_ops_places_nothing(samples):
    ran = run("placement", samples / "xplane/tiny-htl1.xplane.pb")
    assert "Placed  not known: no op was recorded" in ran.out


def soft_placed_run(folder, *, partitions):
    """A graph that asks for two GPUs, run where there is none."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        with tf.device("/cpu:0"):
            x = v1.placeholder(tf.float32, [64, 64], name="x")
        with tf.device("/gpu:0"):
            first = tf.nn.relu(x @ v1.get_variable("w0", [64, 64]))
        with tf.device("/gpu:1"):
            loss = tf.reduce_mean((first @ v1.get_variable("w1", [64, 64])) ** 2)
        train = v1.train.GradientDescentOptimizer(0.1).minimize(loss)
        options = v1.RunOptions(
            trace_level=v1.RunOptions.FULL_TRACE, output_partition_graphs=partitions
        )
        metadata = v1.RunMetadata()
        with v1.Session(config=v1.ConfigProto(allow_soft_placement=True)) as session:
            session.run(v1.global_variables_initializer())
            feed = {x: [[1.0] * 64] * 64}
            session.run(train, feed, options=options, run_metadata=metadata)
    (folder / "run_meta").write_bytes(metadata.SerializeToString())
    (folder / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString())


@pytest.mark.parametrize("partitions", [False, True])
def test_nothing_is_copied_to_a_device_that_is_not_there(tmp_path, partitions):
    soft_placed_run(tmp_path, partitions=partitions)
    found = data_of("placement", tmp_path)
    assert found["soft_placed"]
    assert found["copies"] == []
    assert found["devices"]["/cpu:0"]["params"] == 2 * 64 * 64


def test_what_other_sessions_logged_is_said(samples, tmp_path):
    log = tmp_path / "two.log"
    text = (LOGS / "two_cpus.log").read_text()
    log.write_text(f"Device mapping:\nother: (Add): /job:localhost/device:CPU:0\n{text}")
    ran = run("placement", samples / "two_cpus", "--placement-log", log, "--json")
    said = json.loads(ran.out)
    assert any("2 sessions are logged" in one and "1 node " in one for one in said["warnings"])
