"""What a run held, as lines over the batch."""

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.analyses.inference.sites import Site
from tfprof.analyses.memory.lines import lines_of
from tfprof.analyses.memory.program import Program, link
from tfprof.analyses.memory.schedule import simulate
from tfprof.analyses.memory.steps import OpOutput, ProgramStep
from tfprof.ops.rule import Call

OP = OpCost(Site(Call("op", "NoOp", []), None, 0), "forward", None)


def lines_of_run(*steps, devices=("/cpu:0",), controls=(), batch=8):
    link(list(steps), controls)
    made = Program(list(steps), [], devices, [(0, 0)] * len(devices))
    return lines_of(simulate(made, 1, batch).run)


def test_each_op_adds_what_it_makes_to_what_is_still_read():
    (found,) = lines_of_run(
        ProgramStep(OP, [], [OpOutput((4, 100))]),
        ProgramStep(OP, [(0, 0)], [OpOutput((2, 0))]),
        # the first is gone, and scratch is there while the op runs
        ProgramStep(OP, [(1, 0)], scratch=(1, 5)),
        ProgramStep(OP, [(1, 0)], [OpOutput((0, 7))]),
    )
    assert found == {(4, 100), (6, 100), (3, 5), (2, 7)}


def test_each_device_has_its_own():
    first, second = lines_of_run(
        ProgramStep(OP, [], [OpOutput((4, 0))], device=0),
        ProgramStep(OP, [(0, 0)], [OpOutput((0, 9))], device=1),
        devices=("/cpu:0", "/gpu:0"),
    )
    assert first == {(4, 0)}
    assert second == {(0, 9)}


def test_a_variable_that_is_changed_while_it_is_read_is_there_twice():
    weights = (0, 1000)
    (found,) = lines_of_run(
        ProgramStep(OP, [], [OpOutput((0, 0))], value_of="w"),
        ProgramStep(OP, [], [OpOutput((1, 0))], changes=("w", weights)),
        ProgramStep(OP, [(0, 0), (1, 0)], [OpOutput((0, 3))]),
        controls=[(0, 1)],
    )
    assert found == {(1, 1000), (1, 1003)}


def test_what_is_written_over_is_counted_once():
    (found,) = lines_of_run(
        ProgramStep(OP, [], [OpOutput((4, 0))]),
        ProgramStep(OP, [(0, 0)], [OpOutput((4, 0))], reuse=(0,)),
        ProgramStep(OP, [(1, 0)], [OpOutput((1, 0))]),
    )
    assert found == {(4, 0), (5, 0)}
