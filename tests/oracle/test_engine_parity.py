"""`--compat original` against the C++ engine that TensorFlow still ships: the same bytes."""

import random

import pytest
from engine import engine_text, our_text
from random_profiles import case

_EVERYTHING = {
    "max_depth": 10_000,
    "step": -1,
    "order_by": "micros",
    "account_type_regexes": [".*"],
    "start_name_regexes": [".*"],
    "trim_name_regexes": [],
    "show_name_regexes": [".*"],
    "hide_name_regexes": [],
    "account_displayed_op_only": False,
    "select": ["params", "float_ops", "bytes", "micros", "occurrence", "input_shapes", "op_types"],
}


def _compare(seed):
    made = case(random.Random(seed))  # noqa: S311
    question = (
        made.command,
        made.graph.SerializeToString(),
        [(step, run.SerializeToString()) for step, run in made.runs],
        made.log.SerializeToString(),
        made.options,
    )
    assert our_text(*question) == engine_text(*question), f"seed {seed}: {made.options}"


@pytest.mark.parametrize("block", range(10))
def test_a_random_profile_reads_as_in_the_engine(block):
    for seed in range(30 * block, 30 * (block + 1)):
        _compare(seed)


@pytest.mark.long
def test_five_thousand_random_profiles_read_as_in_the_engine():
    for seed in range(1000, 6000):
        _compare(seed)


@pytest.mark.parametrize("command", ["scope", "graph", "op"])
@pytest.mark.parametrize("order_by", ["name", "micros", "params"])
@pytest.mark.parametrize("model", ["unet", "resnet32", "mlp"])
def test_a_real_run_reads_as_in_the_engine(command, order_by, model, samples, unet):
    graph, run, log = {
        "unet": (unet / "graph.pb", unet / "run_meta", None),
        "resnet32": tuple(samples / "resnet32" / n for n in ("graph.pb", "run_meta", "tfprof_log")),
        "mlp": (
            samples / "keras_mlp_train.graph.pb",
            samples / "keras_mlp_train_b8_default.runmeta.pb",
            None,
        ),
    }[model]
    question = (
        command,
        graph.read_bytes(),
        [(0, run.read_bytes())],
        log.read_bytes() if log else b"",
        _EVERYTHING | {"order_by": order_by},
    )
    assert our_text(*question) == engine_text(*question)


def test_the_code_view_of_a_real_op_log_reads_as_in_the_engine(samples):
    folder = samples / "resnet32"
    question = (
        "code",
        (folder / "graph.pb").read_bytes(),
        [(0, (folder / "run_meta").read_bytes())],
        (folder / "tfprof_log").read_bytes(),
        _EVERYTHING | {"select": ["micros", "params", "float_ops", "device"]},
    )
    assert our_text(*question) == engine_text(*question)
