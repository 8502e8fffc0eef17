"""docs/coming-from-tfprof.md leaves nothing out; test_docs.py runs its examples."""

import re
from dataclasses import fields
from pathlib import Path

import pytest
import tensorflow as tf
from capture_parameter_servers import seq2seq

from tfprof import compat as original
from tfprof.commands.options.inputs import BY_KIND
from tfprof.model.options import ORDERS, SELECTS, Options

PAGE = (Path(__file__).parents[2] / "docs/coming-from-tfprof.md").read_text("utf-8")
WORDS = set(re.findall(r"[\w-]+", PAGE))


def _methods(kind):
    return {name for name in vars(kind) if not name.startswith("_")}


def test_every_option_is_listed():
    names = {option.name for option in fields(Options)} - {"style", "compat"}
    assert {f"-{name}" for name in names | {"output", "dump_to_file", "viz"}} <= WORDS


def test_every_flag_that_names_a_file_is_listed():
    assert {f"--{option.dest}" for option in BY_KIND.options} <= WORDS


def test_every_metric_is_listed():
    assert {*ORDERS, *SELECTS} <= WORDS


def test_every_name_of_the_originals_python_is_listed():
    kinds = (original.Profiler, original.ProfileContext, original.ProfileOptionBuilder)
    calls = set().union(*map(_methods, kinds))
    assert calls | set(original.__all__) <= WORDS


def test_every_example_has_its_section():
    numbers = [int(n) for n in re.findall(r"^### (\d+)\. ", PAGE, re.MULTILINE)]
    assert numbers == list(range(1, 14))
    assert PAGE.count("### In Python") == 3


# what the README prints and no run can change
@pytest.mark.parametrize(
    "line",
    [
        "_TFProfRoot (--/464.15k params)",
        "_TFProfRoot (--/930.58k params)",
        "_TFProfRoot (--/17.63b flops)",
        "_TFProfRoot (--/650 params)",
        "_TFProfRoot (0/18.43k params)",
        "  init/init_conv/DW (3x3x3x16, 432/864 params)",
        "  init/init_conv/DW (3x3x3x16, 432/432 params)",
        "  pool_logit/DW (64x10, 640/1.28k params)",
        "    pool_logit/DW/Momentum (64x10, 640/640 params)",
        "  pool_logit/DW (64x10, 640/640 params)",
        "  unit_2_1/sub1/conv1/DW (3x3x32x32, 9.22k/9.22k params)",
        "  init/init_conv/Conv2D (113.25m/113.25m flops)",
        "  unit_1_0/sub1/conv1/Conv2D (603.98m/603.98m flops)",
        "  pool_logit/xw_plus_b (1.28k/165.12k flops)",
        "    pool_logit/xw_plus_b/MatMul (163.84k/163.84k flops)",
        "  unit_1_0/shared_activation/init_bn/gamma ()",
    ],
)
def test_what_the_model_fixes_is_what_the_readme_prints(line):
    assert f"\n{line}\n" in PAGE


def test_the_capture_with_parameter_servers_is_of_the_model_in_its_script(samples):
    captured = tf.compat.v1.GraphDef()
    captured.ParseFromString((samples / "parameter_servers" / "graph.pb").read_bytes())
    assert _variables(captured) == _variables(seq2seq().as_graph_def())


def _variables(graph):
    return {
        node.name: (node.device, [dim.size for dim in node.attr["shape"].shape.dim])
        for node in graph.node
        if node.op == "VariableV2"
    }


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "docs/coming-from-tfprof.md"])
def test_what_equals_the_engine_to_the_byte_is_said_with_where_it_begins(name):
    """The lines above `Profile:` explain a view in our own words."""
    text = (Path(__file__).parents[2] / name).read_text("utf-8")
    for claim in re.finditer(r"--compat\s+original`.*?to\s+the\s+byte(.{60})", text, re.DOTALL):
        assert "`Profile:` on" in " ".join(claim[1].split())


def test_what_differs_from_tensorflows_own_tests_is_listed():
    differs = PAGE.partition("## What differs, and why")[2]
    assert "a timeline has the name it is given" in differs
    assert "pprof of another view" in differs
    assert "`ProfileContext` makes its folder" in differs
