"""Options as the original's users write them: the builder, the ready-made sets, plain dicts."""

import pytest

from tfprof import compat as original
from tfprof.compat.options import ReportOutput, as_options, is_compat
from tfprof.compat.report import option_block
from tfprof.errors import UsageError
from tfprof.model.options import Options

Builder = original.ProfileOptionBuilder


def test_a_builder_starts_with_everything_at_depth_100():
    options = Builder().build()
    assert options["max_depth"] == 100
    assert options["account_type_regexes"] == [".*"]
    assert options["account_displayed_op_only"] is False
    assert options["select"] == ["micros"]
    assert options["step"] == -1
    assert options["output"] == "stdout"


@pytest.mark.parametrize(
    ("made", "expected"),
    [
        (
            Builder.trainable_variables_parameter(),
            {"account_type_regexes": ["_trainable_variables"], "select": ["params"]},
        ),
        (
            Builder.float_operation(),
            {"min_float_ops": 1, "order_by": "float_ops", "select": ["float_ops"]},
        ),
        (
            Builder.time_and_memory(),
            {"min_micros": 1, "min_bytes": 1, "order_by": "micros", "select": ["micros", "bytes"]},
        ),
        (
            Builder.time_and_memory(min_bytes=0, min_cpu_micros=7),
            {"min_bytes": 0, "min_cpu_micros": 7},
        ),
    ],
)
def test_a_ready_made_set_counts_what_is_shown_at_any_depth(made, expected):
    expected = {"max_depth": 10000, "account_displayed_op_only": True, **expected}
    assert {name: made[name] for name in expected} == expected


def test_every_method_returns_the_builder_and_sets_its_keys():
    built = (
        Builder()
        .with_max_depth(3)
        .with_min_memory(min_bytes=1, min_peak_bytes=2, min_residual_bytes=3, min_output_bytes=4)
        .with_min_execution_time(min_micros=5, min_accelerator_micros=6, min_cpu_micros=7)
        .with_min_parameters(8)
        .with_min_occurrence(9)
        .with_min_float_operations(10)
        .with_accounted_types(["A"])
        .with_node_names(["s"], ["w"], ["h"], ["t"])
        .account_displayed_op_only(True)
        .with_empty_output()
        .order_by("bytes")
        .select(["bytes", "params"])
        .with_step(4)
        .build()
    )
    options, output = as_options(built)
    assert options == Options(
        3, 1, 2, 3, 4, 5, 6, 7, 8, 10, 9, 4, "bytes", ("A",), ("s",), ("t",), ("w",), ("h",),
        (".*",), account_displayed_op_only=True, select=("bytes", "params"),
    )  # fmt: skip
    assert output.kind == "none"


def test_minimums_that_are_not_named_go_back_to_zero():
    built = Builder().with_min_memory(min_bytes=9).with_min_memory(min_peak_bytes=1).build()
    assert (built["min_bytes"], built["min_peak_bytes"]) == (0, 1)


def test_names_that_are_not_given_stay():
    built = Builder().with_node_names(show_name_regexes=["a"]).with_node_names().build()
    assert built["show_name_regexes"] == ["a"]
    assert built["start_name_regexes"] == [".*"]


@pytest.mark.parametrize(
    ("method", "output"),
    [("file", "file"), ("timeline", "timeline"), ("pprof", "pprof")],
)
def test_an_output_names_its_file(method, output):
    built = getattr(Builder(), f"with_{method}_output")("x=1.json").build()
    assert as_options(built)[1] == ReportOutput(output, {"outfile": "x=1.json"})


def test_a_builder_and_what_it_built_share_nothing():
    names = ["A"]
    builder = Builder().with_accounted_types(names)
    built = builder.build()
    names.append("B")
    built["account_type_regexes"].append("C")
    assert builder.build()["account_type_regexes"] == ["A"]
    given = Builder.float_operation()
    Builder(given).with_max_depth(1)
    assert given["max_depth"] == 10000


def test_the_early_sets_are_as_they_were():
    trained = original.TRAINABLE_VARS_PARAMS_STAT_OPTIONS
    assert trained["account_type_regexes"] == ["_trainable_variables"]
    assert trained["device_regexes"] == [".*"]
    assert trained["dump_to_file"] == ""
    assert original.FLOAT_OPS_OPTIONS["min_float_ops"] == 1
    timing = original.PRINT_ALL_TIMING_MEMORY
    assert (timing["min_bytes"], timing["min_micros"], timing["order_by"]) == (1, 1, "name")
    device = original.PRINT_PARAMS_ON_DEVICE
    assert device["account_type_regexes"] == [".*ps.*task:0.*"]
    assert device["account_displayed_op_only"] is False
    assert device["max_depth"] == 1


def test_a_missing_key_is_the_late_python_default():
    options, output = as_options({})
    assert options.max_depth == 10
    assert options.account_type_regexes == options.show_name_regexes == options.select == ()
    assert output == ReportOutput()


def test_a_builder_and_our_own_options_will_do():
    assert as_options(Builder().with_max_depth(2))[0].max_depth == 2
    assert as_options(Options(max_depth=4))[0] == Options(max_depth=4)


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"max_dept": 3}, "max_dept"),
        ({"output": "paper"}, "paper"),
        ({"output": "file"}, "file"),
        ({"output": "stdout:outfile=x"}, "stdout"),
        ({"output": "file:name=x"}, "name=x"),
        ({"select": "params"}, "select"),
        (3, "int"),
    ],
)
def test_an_option_that_cannot_be_says_so(options, word):
    with pytest.raises(UsageError, match=word):
        as_options(options)


def test_dump_to_file_is_the_old_form_of_a_file():
    assert as_options({"dump_to_file": "x"})[1] == ReportOutput("file", {"outfile": "x"})


def test_compat_is_original_or_nothing():
    assert is_compat("original")
    assert not is_compat(None)
    with pytest.raises(UsageError, match="late"):
        is_compat("late")


def test_the_option_block_is_aligned_and_sorts_what_is_selected():
    built = Builder().select(["params", "bytes"]).with_accounted_types(["A", "B"]).build()
    lines = option_block(*as_options(built)).splitlines()
    assert lines[0] == "-max_depth                  100"
    assert "-account_type_regexes       A,B" in lines
    assert "-trim_name_regexes          " in lines
    assert "-account_displayed_op_only  false" in lines
    assert lines[-2:] == [
        "-select                     bytes,params",
        "-output                     stdout:",
    ]


def test_the_early_option_block_has_the_early_options():
    options, output = as_options(original.FLOAT_OPS_OPTIONS, style="early")
    names = [line.split()[0] for line in option_block(options, output).splitlines()]
    assert names[5] == "-device_regexes"
    assert names[-3:] == ["-select", "-viz", "-dump_to_file"]
    assert "-step" not in names
