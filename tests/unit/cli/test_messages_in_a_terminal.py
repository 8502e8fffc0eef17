"""Errors as people see them: in a terminal, where a word must not be broken at the edge."""

import pytest
from terminal import Terminal

HINT = "TF_CPU_ALLOCATOR_USE_BFC=1"


def _shown(*words, columns):
    with Terminal(words, columns=columns) as terminal:
        assert terminal.exit_code() == 3
        return terminal.screen.splitlines()


@pytest.mark.parametrize("columns", [60, 80])
def test_no_word_is_broken(samples, columns):
    lines = _shown("memory", samples / "tiny.xplane.pb", columns=columns)
    hint = lines[next(at for at, line in enumerate(lines) if HINT in line) : -1]
    assert len(hint) > 1  # or this tests nothing
    assert all(line.startswith("  ") for line in hint)
    said = " ".join(line.strip() for line in hint)
    assert said == f"On a CPU set {HINT} before TensorFlow starts, then capture again."
    assert lines[-1] == "  (more: tfprof explain input-missing)"


def test_a_path_longer_than_a_line_stays_whole(tmp_path):
    missing = tmp_path / "/".join(["folder"] * 20)
    lines = _shown("steps", missing, columns=60)
    assert f"tfprof: {missing}: no such file or folder" in "".join(lines)
