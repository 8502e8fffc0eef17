"""Inputs that `make fuzz` found, in tests/fuzz/found: each failed once, and must not again."""

import pytest
from fuzz.corpus import case_in, kept
from fuzz.minimise import failures_of


@pytest.mark.parametrize("folder", kept(), ids=lambda path: path.name)
def test_what_was_found_once_does_not_fail_again(folder):
    """Other options are said the second time, and the third goes from words to stdout."""
    case = case_in(folder)
    for seed in ("a", "b", "c"):
        found = failures_of(case, seed)
        assert found == [], "\n".join(one.told for one in found)
