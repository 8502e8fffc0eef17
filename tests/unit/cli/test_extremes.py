"""Files that ask for far more work than their size: every command ends, in time and in memory."""

import json
from pathlib import Path

import pytest
from hostile_files import EXTREMES
from limited import COMMANDS, run_limited
from run_cli import run

# they ask for more work than their size; data would be listed with the samples
HOSTILE = Path(__file__).parents[2] / "hostile_work"

# seconds a command: with all commands these are in tests/long
SLOW = {
    "functions that call two each",
    "functions in a ring",
    "loops in loops",
    "a trace packed 1,000 times",
}
SLOW_FILES = {"mutual2.pb", "selffn.pb"}


@pytest.mark.parametrize("name", sorted(EXTREMES.keys() - SLOW))
def test_a_small_extreme(name, tmp_path):
    extreme = EXTREMES[name]
    ends_well(extreme.make(tmp_path, extreme.small), *COMMANDS)


@pytest.mark.parametrize("name", sorted(SLOW))
def test_a_slow_extreme(name, tmp_path):
    extreme = EXTREMES[name]
    ends_well(extreme.make(tmp_path, extreme.small), "summary", "doctor", "draw memory")


@pytest.mark.parametrize(
    "path", [path for path in sorted(HOSTILE.iterdir()) if path.name not in SLOW_FILES], ids=str
)
def test_a_file_made_to_break_it(path):
    ends_well(path, *COMMANDS)


@pytest.mark.parametrize("name", sorted(SLOW_FILES))
def test_a_file_of_functions_without_end(name):
    ends_well(HOSTILE / name, "summary", "doctor", "draw memory")


def ends_well(path, *commands):
    ran = {command: run_limited(*command.split(), path) for command in commands}
    assert {command: taken for command, taken in ran.items() if not taken.is_fine} == {}


def test_scopes_without_a_row_are_said(tmp_path):
    path = EXTREMES["a name of many scopes"].make(tmp_path, 5000)
    ran = run("scope", path, "-account_type_regexes", ".*", "-select", "occurrence")
    assert "of 1 name only the first 4096 scopes are shown" in ran.err
    assert "_TFProfRoot (?/?|1/4.10k)" in ran.out, "4,096 scopes, what is fed and the node"


def test_an_equation_that_is_not_followed_is_not_counted(tmp_path):
    path = EXTREMES["an equation of many labels"].make(tmp_path, 1000)
    told = json.loads(run("layers", path, "--json").out)
    total = told["data"]["total"]
    assert [one["op"] for one in total["uncounted_ops"]] == ["Einsum"]
    assert total["flops_kind"] == "at_least"


def test_a_table_of_variables_has_an_end(tmp_path):
    path = tmp_path / "model_vars.json"
    path.write_text('{"x": [[8, 16], "float32"]' + " " * (33 << 20) + "}")
    ran = run("summary", path)
    assert (ran.code, "no table of variables has 33 MB" in ran.err) == (4, True)
