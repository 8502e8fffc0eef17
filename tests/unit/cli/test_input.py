"""`tfprof input`: the tree and the bottleneck, on a screen and as JSON."""

import json
import threading
import time

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
    assert "no op of the runs takes elements from a queue or an iterator" in ran.err


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


# runs of sessions


def queue_runs(folder, *, runs=3, seconds=0.02, traced_enqueue=False):
    """Runs that wait for a queue, whose elements take a while to make."""
    import tensorflow as tf

    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        queue = v1.FIFOQueue(4, [tf.float32], [[8]], name="queue")
        enqueue = queue.enqueue(v1.placeholder_with_default(tf.ones([8]), [8]), name="fill")
        out = tf.reduce_sum(queue.dequeue(name="take"), name="out")
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        with v1.Session() as session:

            def fill():
                time.sleep(seconds)
                session.run(enqueue)

            for number in range(runs):
                filling = threading.Thread(target=fill)
                metadata = v1.RunMetadata()
                filling.start()
                fetched = [out, enqueue] if traced_enqueue else out
                session.run(fetched, options=options, run_metadata=metadata)
                filling.join()
                (folder / f"run_meta_{number}").write_bytes(metadata.SerializeToString())
    (folder / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString())


def test_a_wait_for_a_queue_is_called_so(tmp_path):
    queue_runs(tmp_path)
    said = run("steps", tmp_path).out
    assert "QueueDequeueV2" in said
    assert "IteratorGetNext" not in said
    # wherever the line breaks
    assert f"`tfprofinput{tmp_path}`" in "".join(said.split())


def test_runs_that_wait_for_a_queue_tell_which(tmp_path):
    queue_runs(tmp_path)
    ran = run("input", tmp_path, "--json")
    assert ran.code == 0
    found = json.loads(ran.out)["data"]
    (fetch,) = found["fetches"]
    assert (fetch["name"], fetch["op"], fetch["runs"]) == ("take", "QueueDequeueV2", 3)
    assert (fetch["source"], fetch["source_op"]) == ("queue", "FIFOQueueV2")
    assert fetch["capacity"] == 4
    assert fetch["filled_by"] == [
        {"name": "fill", "op": "QueueEnqueueV2", "runs": 0, "time_us": None}
    ]
    assert fetch["waited_us"] == pytest.approx(found["waited_us"], rel=0.01)
    assert fetch["waited_us"] > 3 * 15_000
    assert found["work"] == {}
    text = run("input", tmp_path).out
    assert "Filled by  fill, whose runs were not traced" in text


def test_without_a_graph_the_records_tell_the_queue(tmp_path):
    queue_runs(tmp_path, runs=1)
    found = json.loads(run("input", tmp_path / "run_meta_0", "--json").out)["data"]
    (fetch,) = found["fetches"]
    assert (fetch["source"], fetch["source_op"], fetch["filled_by"]) == ("queue", None, [])


def test_what_fills_a_queue_is_told_if_it_was_traced(tmp_path):
    queue_runs(tmp_path, runs=1, seconds=0, traced_enqueue=True)
    found = json.loads(run("input", tmp_path, "--json").out)["data"]
    (filler,) = found["fetches"][0]["filled_by"]
    assert filler["runs"] == 1
    assert filler["time_us"] is not None


def test_an_iterator_in_a_session_is_no_queue(tmp_path):
    import tensorflow as tf

    v1 = tf.compat.v1
    with tf.Graph().as_default() as graph:
        iterator = v1.data.make_one_shot_iterator(tf.data.Dataset.range(9))
        out = iterator.get_next() + 1
        metadata = v1.RunMetadata()
        options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
        with v1.Session() as session:
            session.run(out, options=options, run_metadata=metadata)
    (tmp_path / "run_meta").write_bytes(metadata.SerializeToString())
    (tmp_path / "graph.pb").write_bytes(graph.as_graph_def().SerializeToString())
    found = json.loads(run("input", tmp_path, "--json").out)["data"]
    (fetch,) = found["fetches"]
    assert (fetch["op"], fetch["source_op"]) == ("IteratorGetNext", "OneShotIterator")
