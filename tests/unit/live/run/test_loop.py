"""Which calls are steps, told to something that only writes down what it hears."""

import pytest

from tfprof.live.run.loop import Loop


class Heard:
    """In place of the recorder: a line for each step, as (kind, name, what was inside)."""

    def __init__(self):
        self.steps = []
        self.cancelled = 0
        self.inside = None

    def begin(self, kind, name):
        assert self.inside is None, "a step inside a step"
        self.inside = (kind, name, [])
        return self.inside

    def end(self, token, *, failed=False):
        assert token is self.inside
        self.steps.append([*token[2], *(["failed"] if failed else [])])
        self.inside = None

    def cancel(self, token):
        assert token is self.inside
        self.cancelled += 1
        self.inside = None

    def pause(self):
        pass


class Program:
    """What a script does, as the hooks tell it."""

    def __init__(self):
        self.heard = Heard()
        self.loop = Loop(self.heard)

    def asks(self, place="train"):
        self.loop.batch_asked(place)
        self._note(f"next {place}")

    def has_no_more(self, place="train"):
        self.loop.batch_asked(place)
        self.loop.batch_missing()

    def calls(self, name, kind="function", known=True):
        """A function is known after its first call."""
        if known:
            self.loop.update_begins(name, kind, name)
            self._note(name)
        else:
            self._note(name)
            self.loop.update_begins(name, kind, name)
        self.loop.update_ends(name)

    def works(self, what="python"):
        self._note(what)

    def ends(self):
        self.loop.leave()
        return self.heard.steps

    def _note(self, what):
        if self.heard.inside is not None:
            self.heard.inside[2].append(what)


@pytest.fixture
def program():
    return Program()


def test_a_function_alone(program):
    program.calls("step", known=False)
    for _ in range(3):
        program.works()
        program.calls("step")
    assert program.ends() == [["python"], ["step"], ["step"], ["step"]]


def test_the_batch_belongs_to_the_step(program):
    for epoch in range(2):
        for batch in range(3):
            program.asks()
            program.calls("step", known=bool(epoch or batch))
            program.works("between")
        program.has_no_more()
    assert program.ends() == [["between"], *[["next train", "step"]] * 5]


def test_validation_is_no_step(program):
    for epoch in range(3):
        for batch in range(3):
            program.asks()
            program.calls("step", known=bool(epoch or batch))
        program.has_no_more()
        for _ in range(2):
            program.asks("validation")
            program.works("test_step")
        program.has_no_more("validation")
    steps = program.ends()
    assert len(steps) == 9
    assert steps[1:] == [["next train", "step"]] * 8


def test_a_batch_that_is_broken_off_does_no_harm(program):
    for _ in range(3):
        program.asks("peek")  # validation on one batch, left by a break
        for _ in range(2):
            program.asks()
            program.calls("step")
    assert len(program.ends()) == 6


def test_several_functions_are_one_step(program):
    for batch in range(4):
        program.asks()
        program.calls("discriminator", known=batch > 0)
        program.works("noise")
        program.calls("generator", known=batch > 0)
        program.works("between")
    steps = program.ends()
    assert len(steps) == 4
    assert steps[2:] == [["next train", "discriminator", "noise", "generator"]] * 2


def test_several_functions_without_data(program):
    for batch in range(4):
        program.calls("discriminator", known=batch > 0)
        program.calls("generator", known=batch > 0)
    steps = program.ends()
    assert len(steps) == 4
    assert steps[2:] == [["discriminator", "generator"]] * 2


def test_a_function_that_is_called_again_begins_a_step(program):
    for _ in range(2):
        program.asks()
        for _ in range(3):
            program.calls("critic")
        program.calls("generator")
    assert len(program.ends()) == 6


def test_a_function_that_comes_now_and_then_joins_a_step(program):
    for batch in range(6):
        program.asks()
        program.calls("step")
        if batch % 2:
            program.calls("update_target")
    assert len(program.ends()) == 6


def test_two_datasets_feed_one_step(program):
    for _ in range(4):
        program.asks("real")
        program.asks("fake")
        program.calls("step")
    steps = program.ends()
    assert len(steps) == 4
    assert steps[-1] == ["next real", "next fake", "step"]


def test_eager_steps_with_data(program):
    for _ in range(2):
        for _ in range(3):
            program.asks()
            program.works("forward")
            program.calls("Adam", "eager")
            program.works("print")
        program.has_no_more()
    steps = program.ends()
    assert len(steps) == 6
    assert steps[2:] == [["next train", "forward", "Adam"]] * 4


def test_eager_steps_without_data_follow_each_other(program):
    for _ in range(5):
        program.works("forward")
        program.calls("Adam", "eager")
    steps = program.ends()
    assert len(steps) == 5
    assert steps[2:] == [["forward", "Adam"]] * 3
    assert program.heard.cancelled == 1  # what was begun after the last one


def test_a_failed_call_ends_its_step(program):
    program.asks()
    program.loop.update_begins("step", "function", "step")
    program.loop.update_ends("step", True)
    assert program.ends() == [["failed"]]


def test_data_that_lead_to_nothing_are_no_step(program):
    program.asks()
    program.calls("step")
    for _ in range(5):
        program.asks()
    assert len(program.ends()) == 1
    assert program.heard.inside is None


def test_gradients_that_are_summed_up_over_batches_belong_to_the_step(program):
    for step in range(4):
        for _ in range(3):
            program.asks()
            program.works("micro")
        program.calls("apply", known=step > 0)
    steps = program.ends()
    assert len(steps) == 4
    assert steps[1:] == [[*["next train", "micro"] * 3, "apply"]] * 3
    assert program.heard.cancelled == 0


def test_the_last_step_of_an_epoch_may_take_fewer_batches(program):
    for epoch in range(3):
        for batches in (3, 3, 1):
            for _ in range(batches):
                program.asks()
            program.calls("apply", known=epoch > 0)
        program.has_no_more()
    steps = program.ends()
    assert len(steps) == 9
    assert steps[-3:] == [[*["next train"] * 3, "apply"]] * 2 + [["next train", "apply"]]


def test_more_batches_a_step_are_learned(program):
    for batches in (1, 1, 2, 2):
        for _ in range(batches):
            program.asks()
        program.calls("apply")
    steps = program.ends()
    assert len(steps) == 4
    assert steps[-1] == ["next train", "next train", "apply"]
