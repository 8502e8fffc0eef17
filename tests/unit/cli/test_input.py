"""`tfprof input`: the tree and the bottleneck, on a screen and as JSON."""

import json

import pytest
from run_cli import run

import tfprof


@pytest.fixture
def capture(samples):
    return lambda name: samples / f"xplane/{name}.xplane.pb"


def _data(ran):
    assert ran.code == 0, ran.err
    return json.loads(ran.out)["data"]


def test_one_screen_with_what_to_change(capture, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("input", capture("slow-cb"))
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert len(lines) <= 28
    assert max(map(len, lines)) <= 80
    assert "highly input-bound" in ran.out
    assert "Bottleneck  Map (MapDataset)" in ran.out
    assert "num_parallel_calls=tf.data.AUTOTUNE" in ran.out
    assert "ResizeBilinear" in ran.out
    # the tree: each stage one further to the right than the one that reads from it
    tree = [line.partition("└")[0] for line in lines if "└" in line]
    assert tree == ["", " ", "  "]


@pytest.mark.parametrize("name", ["fast-cb", "fast-trace", "fast-xla", "synthetic-gpu"])
def test_every_line_fits(capture, name, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    ran = run("input", capture(name))
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) <= 80


def test_json_has_the_stages_and_the_bottleneck(capture):
    data = _data(run("input", capture("slow-cb"), "--json"))
    assert data["bottleneck"] == "Iterator::Root::BatchV2::Map"
    names = [stage["name"] for stage in data["stages"]]
    assert [stage["parent"] for stage in data["stages"]] == [None, *names[:-1]]
    (slow,) = [stage for stage in data["stages"] if stage["name"] == data["bottleneck"]]
    assert slow["op"] == "MapDataset:1"
    assert slow["calls"] == 128
    assert slow["self_us"] == slow["blocking_us"] == pytest.approx(1_204_683.673, abs=1e-3)
    assert slow["self_share"] == pytest.approx(0.9955, abs=1e-4)
    assert (slow["parallelism"], slow["autotuned"], slow["buffered"]) == (None, None, None)
    assert data["share"] == pytest.approx(0.628, abs=1e-3)
    assert data["pipelines"][0]["advice"]
    assert data["work"]["preprocessing"] == pytest.approx(1_210_153.5, abs=0.5)


def test_a_filled_buffer_is_no_bottleneck(capture):
    data = _data(run("input", capture("fast-cb"), "--json"))
    assert data["bottleneck"] is None
    prefetch = data["stages"][1]
    assert prefetch["buffered"] == {"median": 1, "limit": 1, "empty": 0.125}
    assert data["stages"][2]["asynchronous"]
    assert data["pipelines"][0]["advice"] == []


def test_a_trace_of_tf_1_has_no_pipeline(unet):
    ran = run("input", unet)
    assert ran.code == 3
    assert "run metadata has no events of tf.data" in ran.err


def test_a_graph_alone_has_no_pipeline(samples):
    ran = run("input", samples / "keras_mlp_train.graph.pb")
    assert ran.code == 3
    assert "no run" in ran.err


def test_a_capture_without_iterators_says_why(capture):
    ran = run("input", capture("tiny-htl1"), "--json")
    data = _data(ran)
    assert (data["stages"], data["bottleneck"], data["pipelines"]) == ([], None, [])
    warnings = json.loads(ran.out)["warnings"]
    assert any("host_tracer_level was 1" in text for text in warnings)
    assert "is no tf.data.Dataset" in " ".join(run("input", capture("tiny-pytracer")).out.split())


def test_a_trace_written_by_us_gives_the_same(capture, tmp_path):
    target = tmp_path / "x.trace.json.gz"
    assert run("timeline", capture("slow-cb"), "-o", target).code == 0
    ours = _data(run("input", target, "--json"))
    data = _data(run("input", capture("slow-cb"), "--json"))
    assert ours["bottleneck"] == data["bottleneck"]
    assert [stage["self_us"] for stage in ours["stages"]] == pytest.approx(
        [stage["self_us"] for stage in data["stages"]], abs=1e-3
    )


def test_in_python(capture):
    answer = tfprof.load(capture("slow-cb")).input()
    assert answer.to_dict()["data"]["bottleneck"] == "Iterator::Root::BatchV2::Map"
    assert "Bottleneck" in str(answer)
    assert "Map" in answer.to_csv()


def test_a_wait_without_stages_is_no_model_without_a_dataset(samples):
    ran = run("input", samples / "xplane/synthetic-gpu.xplane.pb", "--json")
    assert any("its stages are not known" in one for one in json.loads(ran.out)["warnings"])
