"""The first look at a slow run finds how much waits for input, what for, and what to change."""

import pytest
from looking import NARROW, WIDE

# the share, the op, the change
WORDS = ("62.8%", "Map", "num_parallel_calls")


@pytest.mark.parametrize(
    ("size", "screens"), [(WIDE, 1), (NARROW, 2)], ids=["1280x800", "390 pixels"]
)
@pytest.mark.parametrize("word", WORDS)
def test_it_is_found_without_a_search(opened, size, screens, word):
    looked = opened("slow-cb", size=size)
    assert looked.in_view(word, size[1] * screens), looked.text()[:2000]
