"""Estimates on several devices: as a graph asks, as a run placed it, as it was executed."""

import json

import pytest
from run_cli import run

from tfprof.analyses.cost.op_costs import OpCost
from tfprof.analyses.inference.sites import Site
from tfprof.analyses.memory.program import Program, link
from tfprof.analyses.memory.schedule import simulate
from tfprof.analyses.memory.steps import OpOutput, ProgramStep
from tfprof.analyses.placement.soft_placement import as_ran
from tfprof.ops.rule import Call
from tfprof.sources.find.load import Request, read_one

KILOBYTE = (0, 1000)
OP = OpCost(Site(Call("op", "NoOp", []), None, 0), "forward", None)


def program_of(*steps, controls=()):
    link(list(steps), controls)
    return Program(list(steps), [])


def memory_of(*words):
    ran = run("memory", *words, "--json")
    assert ran.code == 0, ran.err
    return json.loads(ran.out)


def test_what_is_received_has_the_size_of_what_was_sent(samples):
    measured = memory_of(samples / "two_cpus")["data"]["devices"]
    asked = memory_of(samples / "two_cpus", "--as", "executed")
    assert not any("unknown size" in one for one in asked["warnings"])
    found = asked["data"]["devices"]
    assert found.keys() == measured.keys() == {"/cpu:0", "/cpu:1"}
    # the CPUs of one process hand tensors over: nothing is copied to the second one
    assert found["/cpu:1"]["peak_bytes"] == measured["/cpu:1"]["peak_bytes"] == 32 * 10 * 4
    assert found["/cpu:0"]["peak_bytes"] == pytest.approx(
        measured["/cpu:0"]["peak_bytes"], rel=0.05
    )


def test_what_a_run_placed_elsewhere_counts_there(samples):
    asked = memory_of(samples / "two_cpus", "--as", "written")
    assert asked["data"]["devices"].keys() == {"/cpu:0", "/cpu:1"}
    assert "4 nodes asked for /gpu:0 and ran on /cpu:0: counted there" in asked["warnings"]
    alone = memory_of(samples / "two_cpus" / "graph.pb")
    assert alone["data"]["devices"].keys() == {"/cpu:0", "/cpu:1", "/gpu:0"}


def test_nodes_that_never_ran_go_with_those_that_asked_for_the_same(samples):
    data = read_one(Request([samples / "two_cpus"]))
    placed, notes = as_ran(data)
    before, after = data.graph.devices, placed.graph.devices
    rows = before.where("/device:GPU:0")
    assert len(rows) == 5
    assert len(notes) == 1
    assert after.distinct(rows) == {"/device:CPU:0"}
    others = [row for row in range(len(before)) if row not in set(rows.tolist())]
    assert [after[row] for row in others] == [before[row] for row in others]


def test_a_graph_that_ran_where_it_asked_is_left_as_it_is(samples):
    data = read_one(Request([samples / "parameter_servers"]))
    placed, notes = as_ran(data)
    assert placed is data
    assert notes == []


def test_a_buffer_that_an_op_elsewhere_takes_over_is_freed_where_it_is():
    kilobyte = (0, 1000)
    steps = [
        ProgramStep(OP, [], [OpOutput(kilobyte)], device=0),
        ProgramStep(OP, [(0, 0)], [OpOutput(kilobyte)], reuse=(0,), device=1),
        ProgramStep(OP, [(1, 0)], [], device=0),
        ProgramStep(OP, [], [OpOutput(kilobyte)], device=0),
    ]
    link(steps, [(2, 3)])
    first, second = simulate(Program(steps, [], ["/cpu:0", "/cpu:1"]), 1, 1).devices
    assert (first.peak, second.peak) == (1000, 0)


def test_a_buffer_of_as_many_elements_is_taken_over_whatever_its_shape():
    """A Reshape between is an alias: element counts and types are compared."""
    make = ProgramStep(OP, [], [OpOutput(KILOBYTE, dtype=1)])
    reshape = ProgramStep(OP, [(0, 0)], [OpOutput((0, 0), alias=0)])
    use = ProgramStep(OP, [(1, 0)], [OpOutput(KILOBYTE, dtype=1)], reuse=(0,))
    assert simulate(program_of(make, reshape, use), 1).peak == 1000
    other = [
        ProgramStep(OP, [], [OpOutput(KILOBYTE, dtype=1)]),
        ProgramStep(OP, [(0, 0)], [OpOutput(KILOBYTE, dtype=3)], reuse=(0,)),
    ]
    assert simulate(program_of(*other), 1).peak == 2000


def test_an_element_lives_as_long_as_a_list_that_has_it():
    """Two pushed tensors, one of them popped: the other goes with the list."""
    steps = [
        ProgramStep(OP, [], [OpOutput(KILOBYTE)]),
        ProgramStep(OP, [None, (0, 0)], [OpOutput((0, 0), holds=(0, 1))]),
        ProgramStep(OP, [(1, 0)], [OpOutput(KILOBYTE)]),
        ProgramStep(OP, [(1, 0), (2, 0)], [OpOutput((0, 0), holds=(0, 1))]),
        ProgramStep(OP, [(3, 0)], []),
        ProgramStep(OP, [], [OpOutput((0, 1500))]),
    ]
    made = program_of(*steps, controls=[(4, 5)])
    assert simulate(made, 1).peak == 2000


def test_the_newest_of_a_queue_runs_first_and_cheap_ops_at_once():
    """As in TensorFlow's executor: of what is ready the last is kept, cheap ops come before it."""
    steps = [
        ProgramStep(OP, is_cheap=True),
        *[ProgramStep(OP, [(0, 0)], duration=1.0) for _ in range(3)],
        ProgramStep(OP, [(0, 0)], is_cheap=True),
    ]
    steps[0].outputs = [OpOutput(KILOBYTE)]
    assert simulate(program_of(*steps), 1).order == [0, 4, 3, 2, 1]
