"""Slow steps are named, with what was different in them."""

import numpy as np
import pytest
from random_traces import capture

from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.analyses.step_time.slow_steps import slow_rows, slow_steps
from tfprof.reports.steps.slow_words import slow_notes, slow_texts
from tfprof.results.categories import Category
from tfprof.sources.find.load import Request, choose, read

PS = 1_000_000


@pytest.mark.parametrize(
    ("periods", "slow"),
    [
        ([100, 101, 99, 100, 150], [4]),
        ([100, 100, 150], [2]),
        ([100, 100, 100, 105], []),  # too little to be asked about
        ([100, 150], []),  # which one is the usual one?
        ([60, 100, 140, 80, 120], []),  # all differ
        ([300, 100, 101, 102, 100, 99, 250, 100], [0, 6]),
        ([], []),
    ],
)
def test_which_steps_are_slow(periods, slow):
    assert slow_rows(np.array(periods, np.int64)).tolist() == slow


def slow_of(space):
    (found,) = breakdowns(space)
    return slow_steps(found.steps.windows, found.time, found.planes)


def run(events_of, steps=6, slow=3, extra=60):
    """Steps of 100 µs, one of them longer; `events_of(longer)` are a step's, by thread."""
    events = {"python": [], "tf_Compute/1": []}
    at = 0
    for number in range(steps):
        longer = extra if number == slow else 0
        events["python"].append(("train", at, 100 + longer, {"step_num": number, "_r": 1}))
        for thread, mine in events_of(longer).items():
            events[thread] += [(name, at + start, time, *more) for name, start, time, *more in mine]
        at += 100 + longer
    return slow_of(capture({"/host:CPU": events}))


def test_one_long_wait_for_input():
    (slow,) = run(lambda longer: {"python": [("IteratorGetNextOp::DoCompute", 5, 2 + longer)]})
    assert (slow.step, slow.extra // PS) == (3, 60)
    assert slow.grown == {Category.INPUT: 60 * PS}
    (cause,) = slow.causes
    assert (cause.what, cause.count, cause.longest // PS) == ("IteratorGetNext", 1, 62)
    (text,) = slow_texts([slow])
    assert text == (
        "Step 3 took 160 µs, 60 µs more than usual: waiting for input +60 µs "
        "(one IteratorGetNext of 62 µs)."
    )
    assert slow_notes([slow]) == {3: "one IteratorGetNext of 62 µs"}


def test_a_function_that_is_traced_again():
    def step(longer):
        traced = "traced-nonXla" if longer else "notTraced-nonXla"
        return {"python": [("train_function", 5, 80 + longer, {"tf_function_call": traced})]}

    (slow,) = run(step)
    assert slow.causes[0].what == "tracing of train_function"
    assert "tracing of train_function" in slow_notes([slow])[3]


def test_a_checkpoint_is_saved():
    def step(longer):
        save = [("save/SaveV2:SaveV2", 40, longer)] if longer else []
        return {"tf_Compute/1": [("a/MatMul:MatMul", 0, 40), *save]}

    (slow,) = run(step)
    assert slow_notes([slow]) == {3: "one SaveV2 of 60 µs"}


def test_one_op_takes_longer():
    def step(longer):
        ops = [("a/Conv2D:Conv2D", 0, 30 + longer), ("b/Mul:Mul", 30 + longer, 50)]
        return {"tf_Compute/1": ops}

    (slow,) = run(step)
    assert slow.all_ops is None
    assert slow_notes([slow]) == {3: "Conv2D took 3.0x as long"}


def test_more_ops_than_usual():
    def step(longer):
        count = 8 if longer else 4
        return {"tf_Compute/1": [("a/Conv2D:Conv2D", 20 * n, 15) for n in range(count)]}

    (slow,) = run(step)
    assert slow_notes([slow]) == {3: "8 Conv2D instead of 4"}


def test_everything_is_slower():
    def step(longer):
        factor = 1.7 if longer else 1
        types = ["MatMul", "Mul", "AddV2", "Relu"]
        ops = [(f"a/{t}:{t}", 22 * n * factor, 20 * factor) for n, t in enumerate(types)]
        return {"tf_Compute/1": ops}

    (slow,) = run(step)
    assert slow.all_ops == pytest.approx(1.7)
    assert slow_notes([slow]) == {3: "all ops took 1.7x as long: the machine was busy"}


def test_nothing_was_recorded_in_between():
    (slow,) = run(lambda _: {"tf_Compute/1": [("a/MatMul:MatMul", 0, 90)]})
    (text,) = slow_texts([slow])
    assert "in the step, not recorded +60 µs" in text


def test_only_the_slowest_are_explained():
    events, at = [], 0
    for number in range(40):
        longer = number if 10 <= number < 17 else 0
        events.append(("train", at, 100 + 5 * longer, {"step_num": number}))
        at += 100 + 5 * longer
    found = slow_of(capture({"/host:CPU": {"python": events}}))
    assert [one.step for one in found] == list(range(10, 17))
    assert [one.causes is None for one in found] == [True, True, *[False] * 5]


def test_a_kernel_of_a_device_is_named():
    kernels, marks, at = [], [], 0
    for number in range(5):
        longer = 80 if number == 2 else 0
        marks.append(("train", at, 100 + longer, {"step_num": number}))
        kernels += [("gemm", at, 30 + longer), ("relu", at + 30 + longer, 20)]
        at += 100 + longer
    planes = {"/host:CPU": {"python": marks}, "/device:GPU:0": {"Stream #1(Compute)": kernels}}
    (slow,) = slow_of(capture(planes))
    assert slow.causes[0].what == "gemm"
    assert slow.causes[0].category is Category.DEVICE_COMPUTE_32


def test_the_slow_step_of_a_real_run(samples):
    """Its input was late once, and the machine was busy."""
    (selection,) = choose(Request([samples / "xplane/fast-cb.xplane.pb"])).selections
    (slow,) = slow_of(read(selection).trace.space)
    assert slow.step == 9
    assert next(iter(slow.grown)) is Category.INPUT
    assert slow.causes[0].what == "IteratorGetNext"
    assert slow.causes[0].single
