"""TensorFlow leaves cheap ops out of a capture once it knows them: such captures say so."""

import json

import keras
import pytest
import tensorflow as tf

import tfprof
from tfprof.sources.xplane.xplane import read

MISSING = "cheap ops are missing"


class Trained:
    """A model of small ops; `jit` compiles its step."""

    def __init__(self, *, jit=False):
        layers = [keras.layers.Dense(128, activation="relu") for _ in range(4)]
        self.model = keras.Sequential([keras.Input((16,)), *layers, keras.layers.Dense(1)])
        self.optimizer = keras.optimizers.Adam()
        self.step = tf.function(self._step, jit_compile=jit)
        self.data = tf.random.normal((64, 16))
        self.made = 0

    def _step(self, data):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(self.model(data, training=True)))
        trained = self.model.trainable_variables
        self.optimizer.apply_gradients(zip(tape.gradient(loss, trained), trained, strict=True))
        return loss

    def until(self, step):
        while self.made < step:
            self.step(self.data)
            self.made += 1

    def captured(self, folder, count, **options):
        with tfprof.capture(folder, steps=(1, count), **options) as capture:
            for _ in range(count):
                with capture.step():
                    self.step(self.data)
                    self.made += 1
        (path,) = folder.glob("rank-0/plugins/profile/*/*.xplane.pb")
        piece = read(path, 0, None)
        return [said for said in piece.warnings if MISSING in said], len(piece.trace.executions)


@pytest.fixture(scope="module")
def trained():
    return Trained()


def test_a_capture_of_late_steps_says_that_cheap_ops_are_missing(trained, tmp_path):
    trained.until(2)
    said, ops = trained.captured(tmp_path / "early", 5)
    assert not said
    trained.until(150)  # runs that are recorded are not measured
    (said,), few = trained.captured(tmp_path / "late", 5)
    assert "--every-op" in said
    assert few < ops / 4
    assert "cheap ops" in str(tfprof.load(tmp_path / "late").steps())
    said, all_of_them = trained.captured(tmp_path / "all", 5, every_op=True)
    assert not said
    assert all_of_them >= ops
    told = json.loads((tmp_path / "all/rank-0/run.json").read_text())["options"]
    assert told["host_tracer_level"] == 3


def test_what_xla_compiled_has_no_such_ops(tmp_path):
    trained = Trained(jit=True)
    trained.until(120)
    said, _ = trained.captured(tmp_path, 5)
    assert not said
