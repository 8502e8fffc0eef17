"""`tfprof.capture` and `tfprof.trace` around real programs."""

import json
import shutil
import subprocess
import sys
import threading

import keras
import numpy as np
import pytest
import tensorflow as tf
from referees import old_tensorflow

import tfprof
from tfprof.errors import OutputNotWritable, UsageError

V1 = tf.compat.v1
ROWS, WIDTH = 64, 16


class Loop:
    """A custom loop on a tf.function, as in TensorFlow's guides."""

    def __init__(self, **options):
        self.weights = tf.Variable(tf.random.stateless_normal([WIDTH, 4], [1, 2]), name="weights")
        self.optimizer = keras.optimizers.Adam()
        self.optimizer.build([self.weights])
        self.train_step = tf.function(self._train_step, **options)
        self.data = tf.data.Dataset.from_tensor_slices(tf.ones([ROWS, WIDTH])).batch(8)
        self.losses = []

    def _train_step(self, batch):
        with tf.GradientTape() as tape, tf.name_scope("dense"):
            loss = tf.reduce_sum(tf.square(tf.matmul(batch, self.weights)))
        self.optimizer.apply(tape.gradient(loss, [self.weights]), [self.weights])
        return loss

    def run(self, capture, steps):
        batches = iter(self.data.repeat())
        for _ in range(steps):
            with capture.step("train"):
                self.losses.append(float(self.train_step(next(batches))))


def _record(folder, rank=0):
    return json.loads((folder / f"rank-{rank}" / "run.json").read_text())


def _captures(folder):
    return sorted((folder / "rank-0").glob("plugins/profile/*/*.xplane.pb"))


def _numbers(folder):
    told = tfprof.load(folder / "rank-0").steps().to_dict()["data"]
    return [step["step"] for step in told["steps"]]


def test_a_custom_loop_leaves_all_that_the_commands_need(tmp_path):
    loop = Loop()
    with tfprof.capture(tmp_path, steps=(4, 7)) as capture:
        loop.run(capture, 12)
    assert _numbers(tmp_path) == [4, 5, 6, 7]
    told = _record(tmp_path)
    assert told["state"] == "ended"
    assert (told["steps"]["kind"], told["steps"]["count"]) == ("marked", 12)
    (captured,) = told["captures"]
    assert (captured["first_step"], captured["last_step"], captured["complete"]) == (4, 7, True)
    assert len(captured["step_us"]) == 3
    assert captured["bytes"] == _captures(tmp_path)[0].stat().st_size
    assert len(told["steps"]["untraced_us"]) == 5  # 3; 8 to 11
    assert told["devices"][0]["kind"] == "CPU"
    assert told["batch"] == 8
    function = told["functions"][0]
    assert (function["name"], function["role"]) == ("_train_step", "step")
    assert json.loads((tmp_path / "run.json").read_text())["ranks"] == ["rank-0"]
    profile = tfprof.load(tmp_path / "rank-0")
    summary = profile.summary().to_dict()["data"]
    assert summary["params"]["trainable"] == WIDTH * 4
    assert summary["macs"] == 2 * 8 * WIDTH * 4
    (dense,) = [
        row for row in profile.layers().to_dict()["data"]["rows"] if row["layer"] == "dense"
    ]
    assert dense["params"] == WIDTH * 4
    assert dense["time_us"] > 0
    assert "test_capture.py" in str(profile.code(max_depth=100))


@pytest.mark.skipif(old_tensorflow(), reason="XProf needs another protobuf")
def test_xprof_finds_the_same_steps(tmp_path):
    from xprof_oracle import steps_by_xprof

    loop = Loop()
    with tfprof.capture(tmp_path, steps=(4, 9)) as capture:
        loop.run(capture, 10)
    (path,) = _captures(tmp_path)
    copy = shutil.copy(path, tmp_path / "vm.xplane.pb")
    assert steps_by_xprof(copy) == [f"train step {number}" for number in range(5, 9)]


def test_the_default_waits_until_nothing_is_traced(tmp_path):
    loop = Loop(reduce_retracing=False)
    batches = [tf.ones([size, WIDTH]) for size in (1, 2, 3, 4, *[4] * 9)]
    with tfprof.capture(tmp_path) as capture:
        for batch in capture.steps(batches):
            loop.train_step(batch)
    assert _numbers(tmp_path) == [6, 7, 8, 9, 10]
    assert _record(tmp_path)["steps"]["count"] == 13


BARE = """
import tensorflow as tf
import tfprof

weights = tf.Variable(tf.ones([4, 4]))

@tf.function
def update(batch):
    weights.assign_sub(1e-3 * tf.matmul(batch, weights))

class Trainer:
    @tfprof.capture
    def train(self, batch):
        "A step."
        update(batch)
        return self

trainer = Trainer()
assert all(trainer.train(tf.ones([4, 4])) is trainer for _ in range(9))
print(Trainer.train.__name__, Trainer.train.__doc__)
"""


def test_a_decorator_without_a_word_more(tmp_path):
    """In a process of its own: the recording ends with the program."""
    done = subprocess.run(
        [sys.executable, "-c", BARE], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert done.stdout == "train A step.\n"
    (folder,) = (tmp_path / "tfprof-runs").iterdir()
    assert folder.name.startswith("train-")
    assert f"the capture goes to tfprof-runs/{folder.name}" in done.stderr
    assert _numbers(folder) == [3, 4, 5, 6, 7]


def test_a_folder_that_nobody_names(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    loop = Loop()
    with tfprof.capture(steps=(2, 3)) as capture:
        loop.run(capture, 4)
    (folder,) = (tmp_path / "tfprof-runs").iterdir()
    assert _numbers(folder) == [2, 3]


def test_each_call_of_a_decorated_function_is_a_step(tmp_path):
    loop = Loop()
    recording = tfprof.capture(tmp_path, steps=(2, 3))

    @recording
    def train(batch):
        """Trains."""
        return loop.train_step(batch)

    assert train.__doc__ == "Trains."
    for _ in range(5):
        train(tf.ones([8, WIDTH]))
    recording.close()
    assert _numbers(tmp_path) == [2, 3]
    assert _record(tmp_path)["steps"]["name"] == "train"


def test_what_a_user_calls_a_part_is_in_the_capture(tmp_path):
    @tfprof.trace("decode", shard=3)
    def decode():
        return tf.ones([8, WIDTH])

    loop = Loop()
    with tfprof.capture(tmp_path, steps=(3, 4)) as capture:
        for _ in range(5):
            with capture.step(), tfprof.trace("whole"):
                loop.train_step(decode())
    space = tfprof.load(tmp_path / "rank-0").trace.space
    (threads,) = space.host_threads
    assert len(threads.named("whole")) == 2
    rows = threads.named("decode")
    assert threads.stat_of_rows("shard", rows).ints().tolist() == [3, 3]


def test_trace_works_without_a_recording_and_in_threads():
    mark = tfprof.trace("alone")

    @mark
    def nap():
        threading.Event().wait(0.001)

    threads = [threading.Thread(target=nap) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with mark, mark:
        pass


def _model():
    model = keras.Sequential([
        keras.Input((WIDTH,)),
        keras.layers.Dense(8, activation="relu", name="hidden"),
        keras.layers.Dense(1, name="out"),
    ])  # fmt: skip
    model.compile("adam", "mse")
    return model


X, Y = np.ones((ROWS, WIDTH), "float32"), np.ones((ROWS, 1), "float32")


def test_the_steps_of_keras_are_found_without_a_word(tmp_path):
    trainer = keras.src.backend.tensorflow.trainer.TensorFlowTrainer
    plain = {name: vars(trainer)[name] for name in ("fit", "evaluate", "predict", "train_on_batch")}
    model = _model()
    with tfprof.capture(tmp_path):
        model.fit(X, Y, batch_size=8, epochs=2, verbose=0, validation_data=(X, Y))
        model.predict(X, verbose=0)
        model.train_on_batch(X, Y)
    assert {name: vars(trainer)[name] for name in plain} == plain
    told = _record(tmp_path)
    assert _numbers(tmp_path) == [3, 4, 5, 6, 7]
    assert (told["steps"]["kind"], told["steps"]["count"]) == ("fit", 17)
    assert told["batch"] == 8
    layers = told["model"]["layers"]
    assert [layer["name"] for layer in layers] == ["hidden", "out"]
    rows = tfprof.load(tmp_path / "rank-0").layers().to_dict()["data"]["rows"]
    for layer in layers:
        names = {layer["name"], layer["scope"].rpartition("/")[2]}
        assert names & {row["layer"] for row in rows}


def test_the_model_of_a_loop_of_ones_own_is_found(tmp_path):
    """Its layers are where the graph has them: built alone, in another model, in a loop."""
    scale = keras.layers.Normalization(name="scale")
    scale.adapt(X)
    inner = keras.Sequential([keras.Input((WIDTH,)), keras.layers.Dense(8)], name="inner")
    model = keras.Sequential([keras.Input((WIDTH,)), scale, inner, keras.layers.Dense(1)])
    optimizer = keras.optimizers.SGD()
    optimizer.build(model.trainable_variables)

    @tf.function
    def train(batch):
        total = tf.constant(0.0)
        for _ in tf.range(2):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.square(model(batch, training=True)))
            variables = model.trainable_variables
            optimizer.apply(tape.gradient(loss, variables), variables)
            total += loss
        return total

    with tfprof.capture(tmp_path) as capture:
        for batch in capture.steps([tf.ones([8, WIDTH])] * 8):
            train(batch)
    told = _record(tmp_path)
    assert [layer["name"] for layer in told["model"]["layers"]][:2] == ["scale", "inner"]
    graph = (tmp_path / "rank-0" / "graph.pb").read_bytes()
    for layer in told["model"]["layers"]:
        assert f"{layer['scope']}/".encode() in graph


def test_after_an_exception_nothing_is_left_behind(tmp_path):
    trainer = keras.src.backend.tensorflow.trainer.TensorFlowTrainer
    plain = vars(trainer)["fit"], V1.Session.run
    loop = Loop()

    def train(capture):
        loop.run(capture, 4)
        with capture.step():
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError), tfprof.capture(tmp_path, steps=(2, 9)) as capture:
        train(capture)
    assert (vars(trainer)["fit"], V1.Session.run) == plain
    told = _record(tmp_path)
    assert (told["state"], told["ended_by"]) == ("failed", "exception")
    (captured,) = told["captures"]
    assert (captured["first_step"], captured["last_step"], captured["complete"]) == (2, 4, False)
    assert len(_numbers(tmp_path)) >= 3
    tf.profiler.experimental.start(str(tmp_path / "mine"))  # the profiler is free again
    tf.profiler.experimental.stop()


@pytest.mark.long
def test_captures_again_and_again_with_little_room(tmp_path):
    loop = Loop()
    with tfprof.capture(tmp_path, steps=(3, 4), every=10, keep=2) as capture:
        loop.run(capture, 46)
    told = _record(tmp_path)["captures"]
    assert len(_captures(tmp_path)) == len(told)
    assert [one["first_step"] for one in told][-2:] == [33, 43]
    assert [one["kept_as"] for one in told][-2:] == ["newest", "newest"]
    assert len(told) in (2, 3)
    # and once more, as after a crash
    with tfprof.capture(tmp_path, steps=(3, 4), every=10, keep=2) as capture:
        loop.run(capture, 20)
    again = _record(tmp_path)
    assert [one["first_step"] for one in again["captures"]][-2:] == [53, 63]
    assert again["steps"]["count"] == 66
    assert len(_captures(tmp_path)) <= 3


def test_a_second_profiler_is_told_and_training_goes_on(tmp_path, capsys):
    loop = Loop()
    tf.profiler.experimental.start(str(tmp_path / "mine"))
    try:
        with tfprof.capture(tmp_path / "ours", steps=(2, 3)) as capture:
            loop.run(capture, 5)
    finally:
        tf.profiler.experimental.stop()
    assert len(loop.losses) == 5
    told = _record(tmp_path / "ours")
    assert told["captures"] == []
    assert "another profiler is on" in told["warnings"][0]
    assert "another profiler is on" in capsys.readouterr().err


def test_a_program_that_profiles_itself_is_let_go_first(tmp_path):
    loop = Loop()
    experimental = tf.profiler.experimental
    plain = experimental.start
    with tfprof.capture(tmp_path / "ours", steps=(2, 20)) as capture:
        loop.run(capture, 4)
        with experimental.Profile(str(tmp_path / "theirs")):
            loop.run(capture, 2)
        loop.run(capture, 20)
    assert experimental.start is plain
    (captured,) = _record(tmp_path / "ours")["captures"]
    assert (captured["last_step"], captured["complete"]) == (4, False)
    assert tfprof.load(tmp_path / "theirs").steps()


@pytest.mark.long
def test_a_capture_that_is_too_large_is_tried_with_fewer_steps(tmp_path):
    def size(folder, limit):
        with tfprof.capture(folder, steps=(3, 22), max_size=limit) as capture:
            Loop().run(capture, 60)
        return sum(path.stat().st_size for path in _captures(folder))

    whole = size(tmp_path / "a", "1GB")
    assert 0 < size(tmp_path / "b", whole // 2) <= whole // 2
    told = _record(tmp_path / "b")
    assert "more than the" in told["warnings"][0]
    assert told["captures"][0]["first_step"] > 22
    with tfprof.capture(tmp_path / "c", steps=(3, 4), max_size=100) as capture:
        Loop().run(capture, 9)
    assert _captures(tmp_path / "c") == []
    assert not list((tmp_path / "c" / "rank-0").glob(".tmp*"))


def test_seconds_instead_of_steps(tmp_path):
    with tfprof.capture(tmp_path, duration=0.3):
        loop = Loop()
        over = threading.Event()
        threading.Timer(1.5, over.set).start()
        while not over.is_set():
            loop.train_step(tf.ones([8, WIDTH]))
    (captured,) = _record(tmp_path)["captures"]
    assert captured["why"] == "duration"
    assert 0.2 < captured["seconds"] < 1.4
    assert tfprof.load(tmp_path / "rank-0").summary()


@pytest.mark.parametrize(
    "words",
    [{"steps": "x"}, {"steps": (5, 2)}, {"every": 0}, {"max_size": -1}, {"first_step": 0}],
    ids=str,
)
def test_slips_are_told_at_the_call(tmp_path, words):
    with pytest.raises(UsageError):
        tfprof.capture(tmp_path, **words)
    with pytest.raises(UsageError):
        tfprof.capture("https://example.org/logs")
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputNotWritable):
        tfprof.capture(tmp_path / "file")
    with pytest.raises(UsageError, match="not open"), tfprof.capture(tmp_path).step():
        pass


def test_a_program_without_steps_is_told_what_to_do(tmp_path, capsys):
    with tfprof.capture(tmp_path):
        tf.ones([3])
    assert "no step was seen" in capsys.readouterr().err
    with tfprof.capture(tmp_path / "short") as capture:
        Loop().run(capture, 2)
    assert "nothing was captured in 2 steps: give steps=(2, 2)" in capsys.readouterr().err
