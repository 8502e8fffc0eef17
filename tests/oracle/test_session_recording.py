"""Sessions of TensorFlow 1 in a recording: their steps, and one run traced in full."""

import json

import numpy as np
import pytest
import tensorflow as tf

import tfprof

v1 = tf.compat.v1
PLAIN = v1.Session.run
WIDTH = 16


class Linear:
    """The linear model of a Supervisor's loop, with a counter and an initializer."""

    def __init__(self):
        with tf.Graph().as_default() as self.graph:
            self.step = v1.train.get_or_create_global_step()
            self.x = v1.placeholder(tf.float32, [None, WIDTH], "x")
            weights = v1.get_variable("W", [WIDTH, 4], initializer=v1.zeros_initializer())
            with tf.name_scope("linear"):
                out = tf.matmul(self.x, weights)
            self.loss = tf.reduce_sum(tf.square(out - 1.0))
            optimizer = v1.train.GradientDescentOptimizer(0.001)
            self.train = optimizer.minimize(self.loss, global_step=self.step)
            self.initialize = v1.global_variables_initializer()
        self.fed = {self.x: np.ones((8, WIDTH))}


@pytest.fixture
def model():
    yield Linear()
    assert v1.Session.run is PLAIN


def _record(folder):
    return json.loads((folder / "rank-0" / "run.json").read_text())


def test_runs_that_train_are_steps(model, tmp_path):
    with tfprof.capture(tmp_path), v1.Session(graph=model.graph) as session:
        session.run(model.initialize)
        for step in range(14):
            session.run([model.train, model.loss], model.fed)
            session.run(model.loss, model.fed)
            session.run({"only looking": model.step})
            if step % 5 == 0:
                session.run({"both": [model.train, model.step]}, model.fed)
    told = _record(tmp_path)
    assert (told["steps"]["kind"], told["steps"]["count"]) == ("session", 17)
    (captured,) = told["captures"]
    assert (captured["first_step"], captured["last_step"]) == (3, 7)
    assert told["devices"][0]["kind"] == "CPU"
    rank = tmp_path / "rank-0"
    names = {path.name for path in rank.iterdir()}
    assert {"graph.pb", "graph_vars.json", "tfprof_log", "run_meta_8", "plugins"} <= names


def test_the_folder_has_all_that_the_original_had(model, tmp_path):
    with tfprof.capture(tmp_path, steps=(2, 3)), v1.Session(graph=model.graph) as session:
        session.run(model.initialize)
        for _ in range(6):
            session.run(model.train, model.fed)
    rank = tmp_path / "rank-0"
    (capture,) = rank.glob("plugins/profile/*/*.xplane.pb")
    steps = tfprof.load(capture).steps().to_dict()["data"]["steps"]
    assert [step["step"] for step in steps] == [2, 3]
    profile = tfprof.load(rank)
    summary = profile.summary().to_dict()["data"]
    assert summary["params"]["trainable"] == WIDTH * 4
    assert summary["macs"] == 3 * 8 * WIDTH * 4  # TensorFlow 1 ties the gradient of x to that of W
    assert summary["time"]["op_us"] > 0
    placed = profile.placement().to_dict()["data"]
    assert list(placed["devices"]) == ["/cpu:0"]
    run_meta = v1.RunMetadata.FromString((rank / "run_meta_4").read_bytes())
    assert run_meta.partition_graphs
    assert run_meta.step_stats.dev_stats


def test_results_and_errors_are_those_of_the_session(model, tmp_path):
    def train(steps):
        with v1.Session(graph=model.graph) as session:
            session.run(model.initialize)
            both = [session.run([model.train, model.loss], model.fed) for _ in range(steps)]
            with pytest.raises(tf.errors.InvalidArgumentError):
                session.run(model.train)  # nothing is fed
        return [loss for _, loss in both]

    plain = train(9)
    with tfprof.capture(tmp_path):
        np.testing.assert_array_equal(train(9), plain)
    assert _record(tmp_path)["state"] == "ended"


def test_a_program_that_traces_runs_itself_is_left_to_it(model, tmp_path, capsys):
    """TensorFlow has one profiler: a run that is traced would fail while a capture goes on."""
    options = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    with tfprof.capture(tmp_path, steps=(2, 7)), v1.Session(graph=model.graph) as session:
        session.run(model.initialize)
        for step in range(1, 10):
            if step % 4:
                session.run(model.train, model.fed)
                continue
            run_meta = v1.RunMetadata()
            session.run(model.train, model.fed, options=options, run_metadata=run_meta)
            assert run_meta.step_stats.dev_stats
    (captured,) = _record(tmp_path)["captures"]
    assert (captured["first_step"], captured["last_step"], captured["complete"]) == (2, 3, False)
    assert "the program uses the profiler itself" in capsys.readouterr().err


@pytest.mark.long
def test_a_monitored_session_that_is_restored_goes_on(model, tmp_path):
    """As a Supervisor did: killed half way, started again at the step of its checkpoint."""
    logs = tmp_path / "run"
    for until in (25, 50):
        with (
            tfprof.capture(logs, steps=(3, 4), every=10),
            model.graph.as_default(),
            v1.train.MonitoredTrainingSession(
                checkpoint_dir=str(tmp_path / "checkpoints"),
                save_checkpoint_steps=5,
                save_summaries_steps=None,
                save_summaries_secs=None,
                log_step_count_steps=None,
            ) as session,
        ):
            step = 0
            while step < until:
                step, _ = session.run([model.step, model.train], model.fed)
    told = _record(logs)
    assert told["steps"]["count"] >= 49
    assert [one["first_step"] for one in told["captures"]][-1] >= 43
    assert tfprof.load(logs / "rank-0").summary()


@pytest.mark.long
def test_run_metadata_goes_with_its_capture(model, tmp_path):
    """However long a run is, and however often it starts again, as many lie there as captures."""
    rank = tmp_path / "rank-0"
    for _ in range(2):
        with (
            tfprof.capture(tmp_path, steps=(3, 4), every=10, keep=2),
            v1.Session(graph=model.graph) as session,
        ):
            session.run(model.initialize)
            for _ in range(50):
                session.run(model.train, model.fed)
        captures = _record(tmp_path)["captures"]
        assert 2 <= len(captures) <= 3
        named = {one["run_meta"] for one in captures}
        assert named == {f"run_meta_{one['last_step'] + 1}" for one in captures}
        assert named == {path.name for path in rank.glob("run_meta_*")}
        assert len(list(rank.glob("plugins/profile/*"))) == len(captures)


def test_beside_an_open_context_sessions_are_left_alone(model, tmp_path, capsys):
    with (
        tfprof.ProfileContext(str(tmp_path / "context"), dump_steps=[]),
        tfprof.capture(tmp_path / "logs"),
        v1.Session(graph=model.graph) as session,
    ):
        session.run(model.initialize)
        session.run(model.train, model.fed)
    assert "a ProfileContext is open" in capsys.readouterr().err
