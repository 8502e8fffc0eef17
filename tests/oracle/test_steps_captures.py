"""Steps of runs that TensorFlow makes now: the script that made them knows how many there were."""

import json
import re

import numpy as np
import pytest

import tfprof
from tfprof.analyses.runtime.op_events import op_events
from tfprof.analyses.runtime.step_average import step_average
from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.analyses.steps.detect import find_steps
from tfprof.results.categories import Category

RULES = {
    "keras3_fit": "function", "keras3_epochs": "function", "keras3_evaluation": "function",
    "keras3_evaluation_warm": "function", "keras3_long_evaluation": "function",
    "keras3_steps_per_execution": "function", "keras3_callback": "step_num",
    "keras2_fit": "step_num", "keras2_epochs": "step_num", "keras2_evaluation": "step_num",
    "keras2_evaluation_only": "step_num", "keras2_steps_per_execution": "step_num",
    "keras2_callback": "step_num",
    "fused": "function", "autotuned": "function", "map_functions": "function",
    "custom_loop": "function", "custom_loop_with_evaluation": "function",
    "two_functions": "function", "other_shapes": "function", "concrete_function": "function",
    "session_runs": "function_run", "queue_runner": "function_run",
    "distributed": "function", "replicas": "function",
    "loop_in_a_function": "loop", "loop_with_break": "loop",
    "eager_loop": "input", "eager_epochs": "input", "arrays_by_hand": "function",
    "slow_callback": "function",
    "numbered_twice": "step_num", "marked_by_name": "name", "nested_markers": "step_num",
    "no_steps": "none",
}  # fmt: skip


@pytest.fixture
def run(step_captures):
    """`run(name)` are the steps found in a run, and the truth about it."""

    def found(name):
        there = step_captures / name
        space = tfprof.load(there).trace.space
        return find_steps(space), json.loads((there / "truth.json").read_text())

    return found


@pytest.mark.parametrize(("name", "rule"), RULES.items())
def test_all_steps_are_found_and_nothing_else_is_one(run, name, rule):
    steps, truth = run(name)
    assert len(steps.windows) == truth["steps"], steps
    assert steps.rule == rule
    numbers = [window.number for window in steps.windows]
    assert len(set(numbers)) == len(numbers)
    assert numbers[:1] == [truth.get("first", 0)][: len(numbers)]


@pytest.mark.parametrize("name", RULES)
def test_periods_neither_overlap_nor_end_before_their_markers(run, name):
    windows = run(name)[0].windows
    begins = np.array([window.begin for window in windows], np.int64)
    ends = np.array([window.end for window in windows], np.int64)
    untils = np.array([window.until for window in windows], np.int64)
    assert (begins <= ends).all()
    assert (ends <= untils).all()
    assert (untils[:-1] <= begins[1:]).all()


def test_every_run_of_the_script_is_looked_at(step_captures):
    assert {path.name for path in step_captures.iterdir()} == set(RULES)


@pytest.mark.parametrize("name", [name for name in RULES if "evaluation" in name])
def test_an_evaluation_is_in_no_step_and_is_told_with_its_calls_and_time(run, name):
    steps, truth = run(name)
    if "evaluations" not in truth:
        assert not steps.dropped
        return
    (told,) = steps.dropped
    calls, places = truth["evaluation_calls"], truth["evaluations"]
    pattern = rf"{calls} (calls of|markers) `\w+` in {places} places, [\d.,]+ m?s"
    assert re.fullmatch(pattern, told.what)
    assert "evaluation" in told.why
    # the last step of each epoch ends with its marker, before the evaluation
    closed = [window.until == window.end for window in steps.windows]
    epoch = truth["steps"] // places
    assert [at + 1 for at, ends in enumerate(closed) if ends] == [
        epoch * (done + 1) for done in range(places)
    ]


@pytest.mark.parametrize("library", ["keras3", "keras2"])
def test_several_batches_an_execution_are_said(run, library):
    steps, truth = run(f"{library}_steps_per_execution")
    assert f"each asks for input {truth['batches']} times" in steps.about


@pytest.mark.parametrize("name", ["keras3_fit", "keras2_fit", "fused", "custom_loop"])
def test_one_batch_a_step_is_not_worth_a_word(run, name):
    assert "asks for input" not in run(name)[0].about


def test_replicas_are_no_steps_an_execution(run):
    steps, _ = run("replicas")
    assert steps.about.endswith("; each asks 2 iterators for input, as 2 replicas do")


@pytest.mark.parametrize("name", ["loop_in_a_function", "loop_with_break"])
def test_the_body_of_a_loop_over_a_dataset_is_the_model(step_captures, name):
    """Threads of tf.data run it, beside the functions of the pipeline."""
    profile = tfprof.load(step_captures / name)
    found = profile.steps(events="host_model").to_dict()["data"]
    ran = {event["event"].rpartition("/")[2] for event in found["events"]}
    assert {"ReadVariableOp:ReadVariableOp", "AssignSubVariableOp:AssignSubVariableOp"} <= ran
    assert found["host"]["model_ops"] > 0
    behind = profile.steps(events="host_tf_data").to_dict()["data"]["events"]
    assert not any("AssignSub" in event["event"] for event in behind)
    rows = op_events(profile.trace)
    model = rows.node.map(lambda node: "AssignSub" in node)
    assert model.any()
    assert not rows.pipeline[model].any()


def test_to_ask_an_iterator_in_python_is_no_op_of_the_model(step_captures):
    profile = tfprof.load(step_captures / "eager_loop")
    (found,) = breakdowns(profile.trace.space)
    plane = next(one for one in found.planes if not one.is_device)
    model, waits = (plane.intervals(one) for one in (Category.HOST_MODEL, Category.INPUT))
    assert len(model)
    assert len(waits)
    assert not len(model.both(waits))


def test_a_wait_for_a_queue_is_a_wait_for_input(step_captures):
    profile = tfprof.load(step_captures / "queue_runner")
    steps = profile.steps().to_dict()["data"]
    average = steps["average"]
    assert average["breakdown"]["input"] > 0.8 * 4 * 10_000
    assert average["breakdown"]["host_model"] < 0.1 * average["breakdown"]["input"]
    assert steps["gaps"][0]["meanwhile"][0]["what"] == "QueueDequeueManyV2"
    answer = profile.input()
    (fetch,) = answer.to_dict()["data"]["fetches"]
    assert (fetch["name"], fetch["op"], fetch["runs"]) == ("take", "QueueDequeueManyV2", 6)
    (filler,) = fetch["filled_by"]
    assert filler["name"] == "fill"
    assert 20 <= filler["runs"] <= 28
    assert "no iterator" not in str(answer)


def test_a_callback_that_sleeps_is_python_outside_tensorflow(step_captures):
    answer = tfprof.load(step_captures / "slow_callback").steps()
    found = answer.to_dict()["data"]
    assert found["host"]["outside_us"] >= 20_000
    assert found["host"]["outside_between_steps_us"] >= 20_000
    text = str(answer)
    assert "is Python outside TensorFlow" in text
    assert "tfprof.profiler_options(python_tracer_level=1)" in text
    assert found["gaps"][0]["meanwhile"][0]["what"] == "Python outside TensorFlow"


def test_steps_that_the_capture_cut_are_told(run):
    steps, _ = run("keras2_callback")
    assert [(told.what, told.why) for told in steps.dropped] == [
        ("1 call of `train_function` before the first marker", "its step began before the capture"),
        ("1 call of `train_function` after the last marker", "its step ended after the capture"),
    ]


@pytest.mark.parametrize("name", ["keras2_epochs", "numbered_twice"])
def test_numbers_that_repeat_are_replaced_and_that_is_said(run, name):
    steps, truth = run(name)
    assert [window.number for window in steps.windows] == list(range(truth["steps"]))
    assert steps.about.endswith("numbered through here, since their own numbers repeat")


def test_a_marker_around_the_steps_of_keras_is_no_step(run):
    (told,) = run("nested_markers")[0].dropped
    assert told.what == "3 events `round`"
    assert told.why == "around several steps"


def test_what_is_called_after_every_step_belongs_to_it(run):
    steps, _ = run("two_functions")
    assert not steps.dropped
    assert all(window.until > window.end for window in steps.windows[:-1])


def test_a_pause_between_epochs_of_an_eager_loop_is_no_step(run):
    steps, _ = run("eager_epochs")
    assert steps.dropped[0].what == "2 pauses before a new iterator"


def test_the_average_step_of_a_run_leaves_an_evaluation_out(step_captures):
    """Both train and evaluate with this node; only what trains is in steps."""
    trace = tfprof.load(step_captures / "keras3_evaluation_warm").trace
    dense = [name for name in trace.executions.node.table if name.endswith("/Relu")]
    found = step_average(trace)
    assert found.steps == 10
    runs = {cost.name: cost.runs for cost in found.nodes if cost.name in dense}
    assert runs == dict.fromkeys(dense, 10)
    assert sum(trace.executions.node[row] in dense for row in range(len(trace.executions))) == 14


def test_without_steps_a_summary_is_of_the_whole_capture(step_captures):
    answer = tfprof.load(step_captures / "no_steps").summary()
    assert answer.to_dict()["data"]["time"]["steps"] is None
    assert "steps are not known" in str(answer)
