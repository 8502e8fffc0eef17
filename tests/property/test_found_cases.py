"""Inputs that `make fuzz` found, in tests/fuzz/found: each failed once, and must not again."""

import pytest
from fuzz.asking import ask_again
from fuzz.corpus import case_in, kept, question_in
from fuzz.minimise import failures_of


@pytest.mark.parametrize("folder", kept(), ids=lambda path: path.name)
def test_what_was_found_once_does_not_fail_again(folder, tmp_path):
    """In a fork with limits, by all commands; then the question that failed, with its options."""
    case = case_in(folder)
    found = [one for seed in ("a", "b") for one in failures_of(case, seed)]
    assert found == [], "\n".join(one.told for one in found)
    path = case.write(tmp_path / "input")
    again = [one for one in ask_again(path, *question_in(folder)) if one is not None]
    assert again == [], "\n".join(one.told for one in again)
