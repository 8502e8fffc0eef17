"""The pictures of the documentation are what `tfprof draw` draws; `--accept` draws them anew."""

import shutil

import pytest
from run_cli import run

SIZES = ("--dim", "H=572", "--dim", "W=572")


@pytest.fixture
def models(unet, samples, tmp_path, monkeypatch):
    """Under short names, which the pictures show."""
    shutil.copyfile(unet / "graph.pb", tmp_path / "unet.pb")
    shutil.copyfile(samples / "unet_bn_cond_train.meta", tmp_path / "unet_batch_norm.meta")
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("unet_memory", ["--batch", "1..8", "--against", "unet_batch_norm.meta"]),
        ("unet_budget", ["--device-memory", "16GiB"]),
    ],
)
def test_a_picture_of_the_docs_is_drawn_by_its_command(golden, models, name, words):  # noqa: ARG001
    ran = run("draw", "memory", "unet.pb", *SIZES, *words)
    assert (ran.code, ran.err) == (0, "")
    golden(f"../../docs/images/{name}.svg", ran.out)


def test_the_steps_of_the_docs_are_drawn_by_their_command(golden, samples, tmp_path, monkeypatch):
    shutil.copyfile(samples / "xplane" / "slow-cb.xplane.pb", tmp_path / "slow.xplane.pb")
    monkeypatch.chdir(tmp_path)
    ran = run("draw", "steps", "slow.xplane.pb")
    assert (ran.code, ran.err) == (0, "")
    golden("../../docs/images/slow_steps.svg", ran.out)
