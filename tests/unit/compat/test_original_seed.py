"""The functions of "Looking under the hood of TensorFlow models", run with the import changed.

They were written for TensorFlow 1, so they get a process of their own that behaves like it.
"""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest
from referees import needs
from run_cli import environment

# the changed import, and a net of the article's kind that is small enough to train here
HEAD = """
import sys
import numpy as np
import tensorflow.compat.v1 as tf
import tfprof
tf.disable_v2_behavior()
tf.profiler = tfprof


class UNet:
  INPUT_SHAPE, OUTPUT_SHAPE = [16, 16, 1], [16, 16, 2]

  def __init__(self):
    self.input = tf.placeholder(tf.float32, [None, None, None, 1], "input")
    self.labels = tf.placeholder(tf.float32, [None, None, None, 2], "labels")
    with tf.variable_scope("model"):
      left = tf.nn.relu(self.convolve(self.input, "left", 1, 4))
      down = tf.nn.max_pool2d(left, 2, 2, "SAME", name="pool")
      deep = tf.nn.relu(self.convolve(down, "deep", 4, 8))
      up = tf.image.resize_nearest_neighbor(deep, tf.shape(left)[1:3], name="up")
      self.output = self.convolve(tf.concat([left, up], 3), "right", 12, 2)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits_v2(self.labels, self.output))
    self.step = tf.train.AdamOptimizer().minimize(loss)

  def convolve(self, x, name, size, filters):
    with tf.variable_scope(name):
      kernel = tf.get_variable("kernel", [3, 3, size, filters])
      bias = tf.get_variable("bias", [filters])
      return tf.nn.bias_add(tf.nn.conv2d(x, kernel, 1, "SAME"), bias)

  def train(self, sess, x, y, options, run_metadata):
    feed = {self.input: x, self.labels: y}
    sess.run(self.step, feed, options=options, run_metadata=run_metadata)

  def inference(self, sess, x, options, run_metadata):
    sess.run(self.output, {self.input: x}, options=options, run_metadata=run_metadata)
"""
# from here on as published
SEED = """
def parameter_count(graph):
  vars = graph.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES)
  return (np.sum([np.prod(v.shape) for v in vars])).value

def timeline(model, filename, mode='train'):
  sess = tf.Session()
  sess.run(tf.global_variables_initializer())
  input_shape = [1] + UNet.INPUT_SHAPE
  output_shape = [1] + UNet.OUTPUT_SHAPE
  input_batch = np.random.rand(*input_shape)
  output_batch = np.random.rand(*output_shape)
  run_metadata = tf.RunMetadata()
  options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
  if mode == 'train':
    model.train(sess, input_batch, output_batch, options, run_metadata)
  elif mode == 'inference':
    model.inference(sess, input_batch, options, run_metadata)
  builder = (tf.profiler.ProfileOptionBuilder()
    .with_max_depth(6)
    .select(['micros', 'bytes', 'params', 'float_ops'])
    .order_by('peak_bytes'))
  builder = builder.with_timeline_output(filename)
  options = builder.build()
  return tf.profiler.profile(tf.get_default_graph(), run_meta=run_metadata, cmd="scope",
                             options=options)
"""
CALLS = """
import json
model = UNet()
counted = tf.profiler.profile(tf.get_default_graph(), options=tf.profiler.ProfileOptionBuilder(
    tf.profiler.ProfileOptionBuilder.trainable_variables_parameter()).with_empty_output().build())
answer = {"parameters": [parameter_count(tf.get_default_graph()), counted.total_parameters]}
for mode in ("train", "inference"):
  result = timeline(model, f"timeline_{mode}.json", mode)
  answer[mode] = {
      "name": result.name,
      "micros": result.total_exec_micros,
      "flops": result.total_float_ops,
      "bytes": result.total_requested_bytes,
      "peaks": [child.total_peak_bytes for child in result.children],
      "rows": [row.name for row in result.rows],
  }
print(json.dumps(answer))
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    """What the functions returned, and the folder they wrote into."""
    needs("tensorflow")
    folder = tmp_path_factory.mktemp("seed")
    surroundings = environment(PYTHONWARNINGS="default", TF_ENABLE_ONEDNN_OPTS=0)
    done = subprocess.run(
        [sys.executable, "-c", HEAD + SEED + CALLS],
        capture_output=True,
        text=True,
        cwd=folder,
        env=surroundings,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return SimpleNamespace(folder=folder, **json.loads(done.stdout))


def _events(ran, mode):
    text = (ran.folder / f"timeline_{mode}.json").read_text()
    return [event for event in json.loads(text)["traceEvents"] if event["ph"] == "X"]


def test_parameters_are_those_that_the_article_counts(ran):
    assert ran.parameters == [9 * 4 + 4 + 9 * 4 * 8 + 8 + 9 * 12 * 2 + 2] * 2


@pytest.mark.parametrize("mode", ["train", "inference"])
def test_a_timeline_is_written_under_the_name_given(ran, mode):
    drawn = {event["name"]: event["dur"] for event in _events(ran, mode)}
    answer = getattr(ran, mode)
    assert drawn["_TFProfRoot"] == answer["micros"] > 0
    assert {"model", "model/left", "model/pool"} <= set(drawn)
    assert set(drawn) <= set(answer["rows"])


@pytest.mark.parametrize("mode", ["train", "inference"])
def test_a_result_has_what_was_selected_in_the_order_asked_for(ran, mode):
    answer = getattr(ran, mode)
    assert answer["name"] == "_TFProfRoot"
    assert answer["flops"] > 2 * 16 * 16 * (9 * 4 + 9 * 12 * 2)
    assert answer["bytes"] > 0
    assert answer["peaks"] == sorted(answer["peaks"], reverse=True)
    assert answer["peaks"][0] > 0


def test_training_also_draws_the_gradients(ran):
    drawn = [{event["name"] for event in _events(ran, mode)} for mode in ("train", "inference")]
    assert "gradients" in drawn[0]
    assert "gradients" not in drawn[1]
    assert sorted(path.name for path in ran.folder.iterdir()) == [
        "timeline_inference.json", "timeline_train.json",
    ]  # fmt: skip
