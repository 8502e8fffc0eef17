"""The Python of the original's README, with `tfprof` in place of `tf.contrib.tfprof`.

It was written for TensorFlow 1, so it gets a process of its own that behaves like it.
"""

import json
import subprocess
import sys

import pytest
from referees import needs
from run_cli import environment

from tfprof.compat import GraphNodeProto, OpLogProto, TFProfNode

HEAD = """
import json, os, sys
import tensorflow.compat.v1 as tf
import tfprof
from tfprof import tfprof_log_pb2
from tensorflow.io import gfile
tf.disable_v2_behavior()
gfile.Open = gfile.GFile

images = tf.ones([4, 64])
with tf.variable_scope("pool_logit"):
  kernel, biases = tf.get_variable("DW", [64, 10]), tf.get_variable("biases", [10])
  logits = tf.nn.xw_plus_b(images, kernel, biases)
train_op = tf.train.MomentumOptimizer(0.1, 0.9).minimize(tf.reduce_mean(logits ** 2))
output_dir = my_op_log_dir = os.getcwd()
"""
# from here on as published, apart from a session that is initialised and the folder without quotes
README = """
# Print trainable variable parameter statistics to stdout.
param_stats = tfprof.model_analyzer.print_model_analysis(
    tf.get_default_graph(),
    tfprof_options=tfprof.model_analyzer.
        TRAINABLE_VARS_PARAMS_STAT_OPTIONS)

# param_stats is tensorflow.tfprof.TFProfNode proto. It organize the statistics
# of each graph node in tree scructure. Let's print the root below.
sys.stdout.write('total_params: %d\\n' % param_stats.total_parameters)

tfprof.model_analyzer.print_model_analysis(
    tf.get_default_graph(),
    tfprof_options=tfprof.model_analyzer.FLOAT_OPS_OPTIONS)

run_metadata = tf.RunMetadata()
with tf.Session() as sess:
  sess.run(tf.global_variables_initializer())
  _ = sess.run(train_op,
               options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE),
               run_metadata=run_metadata)

tfprof.model_analyzer.print_model_analysis(
    tf.get_default_graph(),
    run_meta=run_metadata,
    tfprof_options=tfprof.model_analyzer.PRINT_ALL_TIMING_MEMORY)

op_log = tfprof_log_pb2.OpLog()
entry = op_log.log_entries.add()
entry.name = 'pool_logit/DW'
entry.types.append('pool_logit')
entry = op_log.log_entries.add()
entry.name = 'pool_logit/biases'
# Alternatively:
# var = tf.get_variable(xxx)
# entry.name = var.op.name
entry.types.append('pool_logit')

tfprof.tfprof_logger.write_op_log(
    sess.graph, my_op_log_dir, op_log)

# Get run-time shape information in order to fill shapes and get flops.
run_meta = run_metadata
tfprof.tfprof_logger.write_op_log(
    sess.graph, my_op_log_dir, op_log, run_meta)

with gfile.Open(os.path.join(output_dir, "run_meta"), "w") as f:
  f.write(run_metadata.SerializeToString())
"""
TAIL = """
open("graph.pbtxt", "w").write(str(tf.get_default_graph().as_graph_def()))
assert isinstance(param_stats, tfprof.TFProfNode)
"""


@pytest.fixture(scope="module")
def ran(tmp_path_factory):
    needs("tensorflow")
    folder = tmp_path_factory.mktemp("readme")
    done = subprocess.run(
        [sys.executable, "-c", HEAD + README + TAIL],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(PYTHONWARNINGS="default"),
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return folder, done.stdout


def test_the_three_reports_are_printed(ran):
    _, out = ran
    assert out.count("==Model Analysis Report==") == 3
    assert "_TFProfRoot (--/650 params)\n" in out
    assert "  pool_logit/DW (64x10, 640/640 params)\n" in out
    assert "total_params: 650\n" in out
    assert "pool_logit/xw_plus_b/MatMul (5.12k/5.12k flops)" in out


def test_the_op_log_has_the_types_given_and_those_of_the_trained_variables(ran):
    folder, _ = ran
    log = OpLogProto.FromString((folder / "tfprof_log").read_bytes())
    types = {entry.name: list(entry.types) for entry in log.log_entries if entry.types}
    both = ["pool_logit", "_trainable_variables"]
    assert types == {"pool_logit/DW": both, "pool_logit/biases": both}


def test_the_command_line_reads_what_was_written(ran):
    folder, _ = ran
    words = ["scope", "--graph_path=graph.pbtxt", "--run_meta_path=run_meta", "--json"]
    words += ["--op_log_path=tfprof_log", "-account_type_regexes", "pool_logit"]
    done = subprocess.run(
        [sys.executable, "-m", "tfprof", *words],
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment(),
        check=True,
    )
    assert json.loads(done.stdout)["data"]["nodes"][0]["total"]["params"] == 650


def test_the_early_name_of_a_result_is_the_later_message():
    assert TFProfNode is GraphNodeProto
