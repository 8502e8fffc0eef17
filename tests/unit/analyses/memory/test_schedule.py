"""Estimates on several devices: as a graph asks, as a run placed it, as it was executed."""

import json

import pytest
from run_cli import run

from tfprof.analyses.memory.program import Program, link
from tfprof.analyses.memory.schedule import simulate
from tfprof.analyses.memory.steps import OpOutput, ProgramStep
from tfprof.analyses.placement.soft_placement import as_ran
from tfprof.sources.find.load import Request, read_one


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
    # the run had ops at once that need not be: measured 109,712
    assert found["/cpu:0"]["peak_bytes"] == (64 + 32) * 256 * 4
    assert measured["/cpu:0"]["peak_bytes"] == pytest.approx(found["/cpu:0"]["peak_bytes"], rel=0.2)


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
        ProgramStep(None, [], [OpOutput(kilobyte)], device=0),
        ProgramStep(None, [(0, 0)], [OpOutput(kilobyte)], reuse=(0,), device=1),
        ProgramStep(None, [(1, 0)], [], device=0),
        ProgramStep(None, [], [OpOutput(kilobyte)], device=0),
    ]
    link(steps, [(2, 3)])
    first, second = simulate(Program(steps, [], ["/cpu:0", "/cpu:1"]), 1, 1).devices
    assert (first.peak, second.peak) == (1000, 0)
