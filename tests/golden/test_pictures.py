"""The pictures of the documentation are what `tfprof draw` draws; `--accept` draws them anew."""

import pytest
from run_cli import run

SIZES = ("--dim", "H=572", "--dim", "W=572")


@pytest.fixture
def clone(unet, samples, tmp_path, monkeypatch):
    """As after `make samples`: the pictures show the paths."""
    (tmp_path / "examples").symlink_to(unet.parent)
    (tmp_path / "samples").symlink_to(samples)
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("unet_memory", ["--batch", "1..8", "--against", "samples/unet_bn_cond_train.meta"]),
        ("unet_budget", ["--device-memory", "16GiB"]),
    ],
)
def test_a_picture_of_the_docs_is_drawn_by_its_command(golden, clone, name, words):  # noqa: ARG001
    ran = run("draw", "memory", "examples/unet/graph.pb", *SIZES, *words)
    assert (ran.code, ran.err) == (0, "")
    golden(f"../../docs/images/{name}.svg", ran.out)


def test_the_steps_of_the_docs_are_drawn_by_their_command(golden, clone):  # noqa: ARG001
    ran = run("draw", "steps", "examples/slow_input")
    assert (ran.code, ran.err) == (0, "")
    golden("../../docs/images/slow_steps.svg", ran.out)


def test_the_hosts_of_the_docs_are_drawn_by_their_command(golden, clone):  # noqa: ARG001
    ran = run("draw", "steps", "samples/many_hosts", "--hosts")
    assert (ran.code, ran.err) == (0, "")
    golden("../../docs/images/many_hosts.svg", ran.out)
