"""`ProfileContext`: real sessions, real files; what TensorFlow's own test of it asks, and more."""

import inspect
import threading

import numpy as np
import pytest
import tensorflow as tf
from engine import engine as cpp
from live_models import convolutions
from run_cli import run
from tensorflow.core.profiler import tfprof_options_pb2, tfprof_output_pb2

import tfprof
from tfprof import compat as original
from tfprof.compat.traced_steps import WARM_UP, TracedSteps
from tfprof.errors import OutputNotWritable, UsageError

v1 = tf.compat.v1
Builder = original.ProfileOptionBuilder
TIMES = Builder(Builder.time_and_memory(min_bytes=0)).with_empty_output().build()
PLAIN = v1.Session.run


class Loop:
    """A small model, and runs of it one at a time."""

    def __init__(self, build=convolutions):
        with tf.Graph().as_default() as self.graph:
            self.fetch = build()
            self.initialize = v1.global_variables_initializer()
        self.session = v1.Session(graph=self.graph)

    def start(self):
        self.session.run(self.initialize)

    def run(self, times=1):
        for _ in range(times):
            result = self.session.run(self.fetch)
        return result


@pytest.fixture
def loop():
    made = Loop()
    yield made
    made.session.close()
    assert v1.Session.run is PLAIN


def _names(folder):
    return sorted(path.name for path in folder.iterdir())


def _steps(path):
    return sorted(set(tfprof.load(path).data.trace.steps))


def test_the_signature_is_the_originals():
    names = list(inspect.signature(original.ProfileContext).parameters)
    assert names[:5] == ["profile_dir", "trace_steps", "dump_steps", "enabled", "debug"]
    assert tfprof.ProfileContext is original.ProfileContext


def test_steps_are_profiled_and_the_hundredth_is_saved(loop, tmp_path):
    """What TensorFlow's testBasics asks."""
    outfile = tmp_path / "dump"
    options = Builder(Builder.time_and_memory()).with_file_output(str(outfile)).build()
    texts = {}
    with original.ProfileContext(str(tmp_path), compat="original") as pctx:
        pctx.add_auto_profiling("op", options=options, profile_steps=[15, 50, 100])
        loop.start()
        for step in range(1, 102):
            loop.run()
            assert outfile.exists() == (step in (15, 50, 100))
            if outfile.exists():
                texts[step] = outfile.read_text()
                outfile.unlink()
            assert (tmp_path / "profile_100").exists() == (step >= 100)
        assert set(pctx.get_profiles("op")) == {15, 50, 100}
    assert {15, 50, 100} <= set(_steps(tmp_path / "profile_100"))
    cpp.ProfilerFromFile(str(tmp_path / "profile_100").encode())
    proto = tfprof_options_pb2.OptionsProto(**options)
    cpp.Profile(b"op", proto.SerializeToString())
    cpp.DeleteProfiler()
    _, title, shown = outfile.read_text().partition("Profile:\n")  # the text above is our own
    assert title
    assert shown == texts[100].partition(title)[2]


def test_after_a_warm_up_each_set_of_fetches_is_traced(loop, tmp_path, capsys):
    """What TensorFlow's testAutoTracingInDeubMode asks."""
    with original.ProfileContext(tmp_path, debug=True):
        loop.start()
        loop.run(times=10)
        assert _names(tmp_path) == []
        loop.run()
        assert _names(tmp_path) == ["run_meta_11"]
        assert tfprof.load(tmp_path / "run_meta_11").data.trace.executions.node
        (tmp_path / "run_meta_11").unlink()
        loop.run()
        assert _names(tmp_path) == []
        loop.session.run([loop.fetch, "Conv_a:0"])
        assert _names(tmp_path) == ["run_meta_13"]
    said = capsys.readouterr().err
    assert "step 11 is traced" in said
    assert "step 100 was to be the first" in said


@pytest.mark.parametrize(("seen", "extra"), [(0.0, True), (0.6, False)])
def test_some_more_steps_are_traced_while_little_was_seen(seen, extra):
    steps = TracedSteps(None)
    traced = [
        step
        for step in range(200)
        if steps.wants(step, lambda: frozenset({"loss"}), lambda: seen) and steps.counted()
    ]
    assert traced[0] == WARM_UP + 1
    assert (8 < len(traced) < 30) if extra else len(traced) == 1
    assert max(traced) < 100


def test_a_context_that_is_not_enabled_does_nothing(loop, tmp_path):
    """What TensorFlow's testDisabled asks."""
    with original.ProfileContext("", enabled=False) as pctx:
        assert v1.Session.run is PLAIN
        pctx.add_auto_profiling("scope", TIMES, [1])
        pctx.trace_next_step()
        pctx.dump_next_step()
        loop.start()
        loop.run(times=3)
        assert pctx.profiler is None
        with pytest.raises(UsageError):
            pctx.get_profiles("scope")
    with original.ProfileContext(tmp_path, dump_steps=[]) as pctx:
        assert v1.Session.run is not PLAIN
        loop.run(times=3)
        assert pctx.profiler is not None
    assert _names(tmp_path) == []


def test_chosen_steps_are_traced_and_saved(loop, tmp_path):
    folder = tmp_path / "made" / "here"
    with original.ProfileContext(folder, trace_steps=range(2, 9, 3), dump_steps={5, 10}) as pctx:
        loop.start()
        loop.run(times=12)
    assert _names(folder) == ["profile_10", "profile_5"]
    assert _steps(folder / "profile_5") == [2, 5]
    assert _steps(folder / "profile_10") == [2, 5, 8]
    root = pctx.profiler.profile_name_scope(TIMES)
    assert root.total_exec_micros > 0


def test_the_command_line_and_tensorflow_read_what_was_saved(loop, tmp_path):
    with original.ProfileContext(tmp_path, trace_steps=[10], dump_steps=[10]):
        loop.start()
        loop.run(times=10)
    ran = run("scope", tmp_path / "profile_10")
    assert ran.code == 0
    assert "first (3x3x3x4, 108/108 params)" in ran.out
    assert "Conv_b" in run("scope", tmp_path / "profile_10", "-account_type_regexes", ".*").out
    cpp.ProfilerFromFile(str(tmp_path / "profile_10").encode())
    silent = Builder().with_empty_output().select(["params", "micros"]).build()
    options = tfprof_options_pb2.OptionsProto(**silent)
    answer = cpp.Profile(b"scope", options.SerializeToString())
    cpp.DeleteProfiler()
    root = tfprof_output_pb2.GraphNodeProto.FromString(answer)
    assert root.total_parameters >= 108 + 96 + 1
    assert root.total_exec_micros > 0


def test_the_next_step_is_traced_or_saved_once(loop, tmp_path):
    with original.ProfileContext(tmp_path, trace_steps=[], dump_steps=[]) as pctx:
        loop.start()
        loop.run(times=2)
        pctx.trace_next_step()
        loop.run(times=2)
        assert pctx.profiler.profile_operations({**TIMES, "step": 3}).total_exec_micros > 0
        pctx.dump_next_step()
        loop.run(times=2)
        pctx.trace_next_step()
        pctx.dump_next_step()
        loop.run(times=2)
    assert _names(tmp_path) == ["profile_5", "profile_7"]
    assert _steps(tmp_path / "profile_5") == [3]
    assert _steps(tmp_path / "profile_7") == [3, 7]


@pytest.mark.parametrize("command", ["scope", "graph", "op", "code"])
def test_every_view_can_be_profiled(loop, tmp_path, command):
    with original.ProfileContext(tmp_path, trace_steps=[], dump_steps=[]) as pctx:
        pctx.add_auto_profiling(command, TIMES, [1, 3])
        with pytest.raises(UsageError, match="no auto profiling"):
            pctx.get_profiles(command)
        loop.start()
        loop.run(times=4)
        found = pctx.get_profiles(command)
    assert list(found) == [1, 3]
    kind = "GraphNodeProto" if command in ("scope", "graph") else "MultiGraphNodeProto"
    assert {type(result) for result in found.values()} == {getattr(original, kind)}
    assert all(result.total_exec_micros > 0 for result in found.values())


def test_slips_are_told_at_once(tmp_path):
    with pytest.raises(UsageError, match="no profile_dir"):
        original.ProfileContext("")
    with pytest.raises(UsageError, match="not a folder of this machine"):
        original.ProfileContext("gs://bucket/train")
    with pytest.raises(UsageError, match="101 steps"):
        original.ProfileContext(tmp_path, trace_steps=list(range(101)))
    with pytest.raises(UsageError, match="compat"):
        original.ProfileContext(tmp_path, compat="late")
    pctx = original.ProfileContext(tmp_path)
    with pytest.raises(UsageError, match="unknown cmd: python"):
        pctx.add_auto_profiling("python", TIMES, [1])
    with pytest.raises(UsageError, match="max_dept"):
        pctx.add_auto_profiling("scope", {"max_dept": 3}, [1])
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputNotWritable, match="file"), original.ProfileContext(tmp_path / "file"):
        pass
    assert v1.Session.run is PLAIN


def test_contexts_follow_each_other_and_do_not_nest(loop, tmp_path):
    loop.start()
    for name in ("one", "two"):
        with original.ProfileContext(tmp_path / name, trace_steps=[0], dump_steps=[0]) as outer:
            with (
                pytest.raises(UsageError, match="open ProfileContext"),
                original.ProfileContext(tmp_path / "inner"),
            ):
                pass
            with pytest.raises(UsageError, match="open ProfileContext"):
                outer.__enter__()
            loop.run()
        assert v1.Session.run is PLAIN
        assert _names(tmp_path / name) == ["profile_0"]
    loop.run()


def test_an_exception_ends_the_context_and_no_step_more(loop, tmp_path):
    """In the original a failed run was the last that was looked at."""
    loop.start()
    with original.ProfileContext(tmp_path, trace_steps=[0, 1], dump_steps=[1]) as pctx:
        with pytest.raises(TypeError, match="has invalid type"):
            loop.session.run(7)
        loop.run()
    assert _steps(tmp_path / "profile_1") == [1]
    with pytest.raises(KeyboardInterrupt), pctx:
        raise KeyboardInterrupt
    assert v1.Session.run is PLAIN


def test_neither_graph_nor_arguments_are_changed(loop, tmp_path):
    loop.start()
    loop.graph.finalize()
    before = loop.graph.as_graph_def(add_shapes=True)
    options = v1.RunOptions(trace_level=v1.RunOptions.NO_TRACE, timeout_in_ms=60_000)
    given = v1.RunOptions()
    given.CopyFrom(options)
    with original.ProfileContext(tmp_path, dump_steps=[12]) as pctx:
        pctx.add_auto_profiling("code", TIMES, [2])
        results = [loop.session.run(loop.fetch, options=given) for _ in range(14)]
    assert given == options
    assert loop.graph.as_graph_def(add_shapes=True) == before
    plain = loop.run()
    assert all(np.array_equal(result, plain) for result in results)


def test_the_callers_run_metadata_is_filled_traced_or_not(loop, tmp_path):
    """In the original a step that was looked at and not traced left it empty."""
    loop.start()
    full = v1.RunOptions(trace_level=v1.RunOptions.FULL_TRACE)
    with original.ProfileContext(tmp_path, trace_steps=[0], dump_steps=[0, 1]):
        for _ in range(3):
            run_meta = v1.RunMetadata()
            loop.session.run(loop.fetch, {}, full, run_metadata=run_meta)
            assert run_meta.step_stats.dev_stats


def test_two_graphs_are_profiled_as_one(loop, tmp_path):
    other = Loop(lambda: tf.matmul(v1.get_variable("w", [5, 7]), tf.ones([7, 2]), name="product"))
    with original.ProfileContext(tmp_path, trace_steps=range(4), dump_steps=[3]) as pctx:
        for each in (loop, other):
            each.start()
            each.run()
    parameters = Builder(Builder.trainable_variables_parameter()).with_empty_output().build()
    assert pctx.profiler.profile_name_scope(parameters).total_parameters == 1 + 108 + 96 + 35
    for command in ("name_scope", "graph", "operations", "python"):
        root = getattr(pctx.profiler, f"profile_{command}")(TIMES)
        assert root.total_exec_micros > 0
    graph = tfprof.load(tmp_path / "profile_3").data.graph
    assert {"Conv_b", "product", "w"} <= set(graph.names)
    flops = Builder(Builder.float_operation()).with_empty_output().build()
    for compat in (None, "original"):
        profiler = original.Profiler(pctx.profiler._graph, compat=compat)
        counted = {row.name: row.float_ops for row in profiler.profile_name_scope(flops).rows}
        assert counted["product"] == 2 * 5 * 7 * 2
        assert counted["Conv_a"] > 0
    other.session.close()


def test_other_threads_go_on_while_a_run_is_looked_at(tmp_path):
    """A run inside of a traced run, in the same thread or not, is neither stopped nor lost."""
    inner = Loop()
    inner.start()

    def work():
        thread = threading.Thread(target=inner.run)
        thread.start()
        thread.join()
        return np.float32(inner.run().sum())

    outer = Loop(lambda: tf.numpy_function(work, [], tf.float32, name="work"))
    with original.ProfileContext(tmp_path, trace_steps=[0, 1], dump_steps=[2]) as pctx:
        outer.run()  # 0, and 1 and 2 inside of it
        inner.run()
    assert _names(tmp_path) == ["profile_3"]
    assert _steps(tmp_path / "profile_3") == [0, 3]
    assert pctx.profiler.profile_name_scope({**TIMES, "step": 3}).total_exec_micros > 0
    for each in (inner, outer):
        each.session.close()


def test_a_hundred_steps_are_the_most(tmp_path, capsys):
    loop = Loop(lambda: tf.constant(1.0) + tf.constant(2.0))
    with original.ProfileContext(tmp_path, trace_steps=range(100), dump_steps=[103]) as pctx:
        loop.run(times=101)
        for _ in range(3):
            pctx.trace_next_step()
            loop.run()
    assert _steps(tmp_path / "profile_103") == list(range(100))
    assert capsys.readouterr().err.count("100 steps are traced") == 1
    loop.session.close()


def test_a_full_disk_does_not_end_the_training(loop, tmp_path, capsys):
    loop.start()
    with original.ProfileContext(tmp_path / "gone", trace_steps=[0], dump_steps=[1]):
        loop.run()
        (tmp_path / "gone").rmdir()
        assert loop.run() is not None
    assert "profile_1: cannot be written" in capsys.readouterr().err


def test_somebody_elses_wrapper_stays(loop, tmp_path):
    base, seen = v1.Session.__mro__[1], []
    with original.ProfileContext(tmp_path, trace_steps=[0], dump_steps=[0]) as pctx:
        ours = base.run

        def theirs(self, *args, **kwargs):
            seen.append(args)
            return ours(self, *args, **kwargs)

        base.run = theirs
        loop.start()
    try:
        assert base.run is theirs
        loop.run()
        assert len(seen) == 2
        assert pctx._count == 1
    finally:
        base.run = PLAIN


def test_a_monitored_session_counts_like_any_other(tmp_path):
    with tf.Graph().as_default():
        v1.train.create_global_step()
        fetch = convolutions()
        with (
            original.ProfileContext(tmp_path, trace_steps=range(30), dump_steps=[]) as pctx,
            v1.train.MonitoredSession() as session,
        ):
            before = pctx._count
            for _ in range(3):
                session.run(fetch)
            assert pctx._count == before + 3
    assert pctx.profiler.profile_name_scope(TIMES).total_exec_micros > 0


def test_a_fault_in_profiling_takes_nothing_from_the_run(loop, tmp_path, capsys, monkeypatch):
    from tfprof.compat.session_profiler import SessionProfiler

    def broken(*_):
        raise RuntimeError("no such profile")

    expected = loop.start() or loop.run()
    monkeypatch.setattr(SessionProfiler, "add_step", broken)
    with original.ProfileContext(str(tmp_path), trace_steps=[0, 2], dump_steps=[]):
        for _ in range(4):
            np.testing.assert_allclose(loop.run(), expected)
    monkeypatch.setattr(SessionProfiler, "follow", broken)
    with original.ProfileContext(str(tmp_path), trace_steps=[1], dump_steps=[]):
        loop.run(3)
    told = capsys.readouterr().err
    assert told.count("is not profiled: RuntimeError: no such profile") == 3


def test_many_threads_run_while_every_step_is_wanted(loop, tmp_path):
    """Each step is counted once, each is profiled at most once, and every result is right."""
    loop.start()
    expected = loop.run()
    results, faults = [], []

    def work():
        try:
            results.extend(loop.run() for _ in range(15))
        except Exception as fault:  # noqa: BLE001  (told in the test's own thread)
            faults.append(fault)

    steps = range(60)
    with original.ProfileContext(str(tmp_path), trace_steps=steps, dump_steps=[]) as context:
        context.add_auto_profiling("op", TIMES, steps)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert context._count == 60
        profiled = context.get_profiles("op")
    assert not faults
    assert len(results) == 60
    for result in results:
        np.testing.assert_allclose(result, expected)
    assert 1 <= len(profiled) <= 60
    assert set(profiled) <= set(steps)
