"""Options of the profiler: whether they arrive, TensorFlow itself says in the capture."""

import tensorflow as tf

import tfprof


def _sum():
    return tf.reduce_sum(tf.ones([3]))


def test_levels_arrive_and_calls_of_python_are_recorded(tmp_path):
    """As numbers they do not, in TensorFlow 2.21."""
    options = tfprof.profiler_options(python_tracer_level=1, host_tracer_level=3)
    tf.profiler.experimental.start(str(tmp_path), options=options)
    _sum()
    tf.profiler.experimental.stop()
    space = tfprof.load(tmp_path).trace.space
    (environment,) = space.environments.values()
    if tf.__version__.startswith("2.16."):
        assert environment.options is None  # captures did not tell them yet
    else:
        assert environment.options.python_tracer_level == 1
        assert environment.options.host_tracer_level == 3
    (threads,) = space.host_threads
    assert any(name.startswith("$") and "_sum" in name for name in threads.event_names.name)
