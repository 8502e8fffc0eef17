"""`tfprof run` around training that ends in every way: its result is right, captures are kept."""

import json
import os
import re
import signal
import time

import pytest
from referees import needs
from run_cli import run
from run_scripts import ScriptRun, child_of, ended, plain, started, under_run, written

needs("tensorflow")

_LOOP = """
import atexit, os, resource, sys, time
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow as tf

weight = tf.Variable(tf.ones((20, 20)))

@tf.function
def train_step(batch):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(tf.square(batch @ weight))
    weight.assign_sub(0.01 * tape.gradient(loss, weight))
    return loss

atexit.register(print, "at exit", flush=True)
steps, argument = int(sys.argv[1]), sys.argv[2:]
for step in range(1, steps + 1):
    loss = train_step(tf.ones((8, 20)))
    if step == 5:
        print("ready", flush=True)
        if "raise" in argument:
            raise RuntimeError("on purpose")
        if "exit" in argument:
            sys.exit(4)
        if "_exit" in argument:
            os._exit(9)
        if "small" in argument:  # as on a disk that is full
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))
    if step > 4 and "slowly" in argument:
        time.sleep(0.1)
print("loss", round(float(loss), 4))
"""


@pytest.fixture
def place(tmp_path):
    written(tmp_path, _LOOP)
    return tmp_path


@pytest.mark.parametrize(
    ("how", "code", "by", "out"),
    [
        ("exit", 4, "exit", "ready\nat exit\n"),
        ("raise", 1, "exception", "ready\nat exit\n"),
        ("_exit", 9, "os._exit", "ready\n"),
    ],
)
def test_what_is_there_when_it_ends_is_kept(place, how, code, by, out):
    ran = under_run(place, "train.py", "60", how)
    assert (ran.code, ran.out) == (code, out)
    assert ran.captured() == [(3, 5, False)]
    record = ran.record()
    assert (record["state"], record["ended_by"], record["exit_code"]) == ("failed", by, code)
    assert ran.top["exit_code"] == code
    assert "steps 3 to 5 of 5 training steps captured" in ran.said[0]
    assert run("steps", ran.folder).code == 0


def _signalled(place, number, *options, wait_for="ready\n") -> ScriptRun:
    process = started(place, *options, "train.py", "1000", "slowly")
    line = process.stdout.readline()
    assert line == wait_for
    os.kill(child_of(process), number)
    return ended(process, place, line)


def test_sigterm_while_capturing(place):
    ran = _signalled(place, signal.SIGTERM, "--steps", "3..900")
    assert (ran.code, ran.out) == (-signal.SIGTERM, "ready\n")
    ((first, last, whole),) = ran.captured()
    assert (first, whole) == (3, False)
    assert last >= 4
    assert ran.record()["ended_by"] == ran.top["ended_by"] == "signal 15"
    assert ran.said[0] == "tfprof: the script was ended by SIGTERM"
    assert run("steps", ran.folder).code == 0


def test_ctrl_c_while_capturing(place):
    ran = _signalled(place, signal.SIGINT, "--steps", "3..900")
    assert (ran.code, ran.out) == (-signal.SIGINT, "ready\nat exit\n")
    assert "KeyboardInterrupt" in ran.err
    assert "tfprof/" not in ran.err.partition("KeyboardInterrupt")[0]
    assert ran.record()["ended_by"] == "signal 2"
    assert len(ran.captured()) == 1


def test_kill_9_while_capturing(place):
    """A capture that was being made is gone, an earlier one is not."""
    process = started(place, "--every", "8", "train.py", "1000", "slowly")
    line = process.stdout.readline()
    (folder,) = (place / "tfprof-runs").iterdir()
    while not _is_told(folder) or not list(folder.glob("rank-0/.tmp-*-capture-2")):
        assert process.poll() is None
        time.sleep(0.02)
    os.kill(child_of(process), signal.SIGKILL)
    ran = ended(process, place, line)
    assert (ran.code, ran.out) == (-signal.SIGKILL, "ready\n")
    assert ran.said[0] == "tfprof: the script was ended by SIGKILL"
    assert ran.record()["ended_by"] == "signal 9"
    assert len(ran.captured()) == 1
    assert not list(folder.glob("rank-0/.tmp-*"))
    assert run("steps", folder).code == 0
    assert "Time " in ran.err


def _is_told(folder):
    """Whether run.json has a capture."""
    record = folder / "rank-0" / "run.json"
    return record.exists() and json.loads(record.read_text("utf-8"))["captures"]


def test_a_full_disk_lets_training_go_on(place):
    alone = plain(place, "train.py", "30", "small")
    ran = under_run(place, "--steps", "8..12", "train.py", "30", "small")
    assert (ran.code, ran.out) == (0, alone.out)
    assert "tfprof: the capture of steps 8 to 12 is lost: " in ran.err
    assert "tfprof: nothing was captured, for the reason above" in ran.said


@pytest.mark.parametrize(
    ("steps", "said"),
    [
        (1, "--steps 1 captures it, tracing included"),
        (2, "--steps 2..2 captures all but the first, which traces"),
        (3, None),
    ],
)
def test_a_short_run(place, steps, said):
    ran = under_run(place, "train.py", str(steps))
    assert ran.code == 0
    captures = ran.captured()
    if captures:
        assert captures[0][:2] == (min(2, steps), steps) or captures[0][:2] == (3, 3)
    else:
        assert said in ran.err


def test_steps_that_were_not_reached(place):
    ran = under_run(place, "--steps", "100..110", "train.py", "10")
    assert ran.captured() == []
    assert "  --steps 100 was not reached; the last one was 10" in ran.err


def test_a_script_that_does_not_train_says_so(tmp_path):
    written(tmp_path, "import tensorflow as tf\ntf.function(lambda x: x + 1)(tf.ones(3))")
    ran = under_run(tmp_path, "train.py")
    assert ran.said[0] == "tfprof: the script made no training step: nothing was captured"
    assert "--duration" in ran.said[1]
    assert ran.record()["steps"] is None


def test_by_the_clock(place):
    ran = under_run(place, "--duration", "0.5s", "train.py", "25", "slowly")
    assert ran.code == 0
    (capture,) = ran.record()["captures"]
    assert capture["why"] == "duration"
    assert 0.4 < capture["seconds"] < 5


_TRACEBACKS = """
import os, sys, traceback
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow as tf
import keras

def shown(call):
    try:
        call()
    except BaseException as fault:
        print(traceback.format_exc(), repr(fault.__context__), repr(fault.__cause__))

x, y = np.ones((64, 4), "float32"), np.ones((64, 1), "float32")
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)

class Fails(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        if batch == 3:
            raise ValueError("at the begin of a batch")
    def on_test_batch_end(self, batch, logs=None):
        raise ValueError("at the end of a batch")

model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(1)])
model.compile("sgd", "mse")
shown(lambda: model.fit(data, verbose=0, callbacks=[Fails()]))
shown(lambda: model.evaluate(data, verbose=0, callbacks=[Fails()]))
shown(lambda: model.fit(data, verbose=0, validation_data=7))

class Wrong(keras.Model):
    def call(self, inputs):
        return tf.linalg.matmul(inputs, tf.ones((3, 3)))

wrong = Wrong()
wrong.compile("sgd", "mse")
shown(lambda: wrong.fit(data, verbose=0))
shown(lambda: wrong.train_on_batch(x, y))

optimizer = keras.optimizers.SGD()

@tf.function
def step(batch, at):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean(model(batch))
    optimizer.apply_gradients(zip(tape.gradient(loss, model.weights), model.weights))
    return tf.gather(batch, at)

for number in range(4):
    step(x, 0)
shown(lambda: step(x, 1000))
shown(lambda: step(x))
shown(lambda: step.get_concrete_function(x, 0)("word"))

def elements():
    yield x[:8], 0
    raise KeyError("in the data")

def over_data():
    spec = (tf.TensorSpec((8, 4)), tf.TensorSpec((), tf.int32))
    for batch, at in tf.data.Dataset.from_generator(elements, output_signature=spec):
        step(batch, at)

shown(over_data)
shown(lambda: optimizer.apply([tf.ones(3)], model.weights[:1]))
with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    holder = tf.compat.v1.placeholder(tf.float32, (2,), "holder")
    shown(lambda: session.run(holder + 1))
    shown(lambda: session.run("nobody"))

@tf.function
def traced(value):
    raise RuntimeError("while it is traced")

traced(1)
"""


def test_tracebacks_are_those_without_us(tmp_path):
    written(tmp_path, _TRACEBACKS)
    alone, ran = plain(tmp_path, "train.py"), under_run(tmp_path, "train.py")
    assert ran.code == alone.code == 1
    assert _masked(ran.out) == _masked(alone.out)
    assert ran.out.count("Traceback") >= 12
    last = alone.err[alone.err.rindex("Traceback (most") :]
    assert _masked(last) in _masked(ran.err)


def _masked(text):
    """Files that are made anew in each process, and numbers of ops."""
    text = re.sub(r"__autograph_generated_file\w+", "FILE", text)
    return re.sub(r"0x[0-9a-f]+|(?<=__inference_step_)\d+", "N", text)
