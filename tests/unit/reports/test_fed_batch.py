"""A shape that is fed with numbers says the batch, as --batch does: in numbers and in headers."""

import json

import pytest
from run_cli import run

import tfprof

FED, SAID = ["--feed", "x=64,784"], ["--batch", "64"]


@pytest.fixture
def graph(samples):
    return [samples / "keras_mlp_train.graph.pb", "--vars", samples / "keras_mlp_train_vars.json"]


def test_the_header_names_the_batch_that_was_fed(graph):
    assert "one training step, batch 64," in run("memory", *graph, *FED).out


@pytest.mark.parametrize("command", ["memory", "summary", "layers"])
def test_it_is_the_batch_of_all_inputs(command, graph):
    fed, said = (json.loads(run(command, *graph, *how, "--json").out) for how in (FED, SAID))
    assert fed["data"] == said["data"]


def test_the_views_count_with_it(graph):
    words = ["op", *graph, "-select", "float_ops", "-account_type_regexes", ".*"]
    assert run(*words, *FED).out == run(*words, *SAID).out


def test_the_batch_that_fits_does_not_depend_on_it(graph):
    fits = [
        json.loads(run("memory", *graph, *how, "--device-memory", "1GB", "--json").out)
        for how in (FED, [])
    ]
    assert fits[0]["data"]["max_batch"] == fits[1]["data"]["max_batch"]


def test_python_is_told_the_same(samples):
    graph = samples / "keras_mlp_fwd.graph.pb"
    assert tfprof.peak_memory(graph, feeds={"x": (64, 784)}) == tfprof.peak_memory(graph, 64)


@pytest.mark.parametrize("command", ["memory", "summary", "layers"])
def test_two_batches_are_refused(command, graph):
    ran = run(command, *graph, *FED, "--batch", "8")
    assert ran.code == 2
    assert "--feed says batch 64, and --batch 8" in ran.err
    assert run(command, *graph, *FED, *SAID).code == 0


@pytest.mark.parametrize("command", ["memory", "summary", "layers"])
def test_a_keras_file_takes_no_feeds_without_a_word(command):
    from conftest import TESTS

    ran = run(command, TESTS / "models" / "residual.keras", *FED)
    assert (ran.code, "--batch and --dim" in ran.err) == (2, True)


@pytest.mark.parametrize(
    "sizes",
    ["nan", "NaN,784", "inf,784", "Infinity", "-inf", "-3", "B,-1", "1.5,784", "1e3,784",
     "9223372036854775808,784", "9" * 5_000],
)  # fmt: skip
@pytest.mark.parametrize("command", ["layers", "memory", "summary"])
def test_sizes_that_no_tensor_has_are_refused(command, sizes, graph):
    ran = run(command, *graph, "--feed", f"x={sizes}")
    assert (ran.code, ran.out) == (2, "")
    assert "--feed takes NAME=SIZES" in ran.err
    assert len(ran.err) < 400


@pytest.mark.parametrize("sizes", ["0,784", "B,784", "N,784", "100000000,784", "nano,784"])
def test_sizes_that_one_may_have_are_not(sizes, graph):
    assert run("layers", *graph, "--feed", f"x={sizes}").code == 0
