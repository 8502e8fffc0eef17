"""Files that ask for far more work than their size, at the size that once took minutes."""

import pytest
from hostile_files import EXTREMES
from limited import COMMANDS, run_limited

pytestmark = pytest.mark.long


@pytest.mark.parametrize("name", sorted(EXTREMES))
def test_a_full_extreme(name, tmp_path):
    extreme = EXTREMES[name]
    path = extreme.make(tmp_path, extreme.full)
    ran = {command: run_limited(*command.split(), path) for command in COMMANDS}
    assert {command: taken for command, taken in ran.items() if not taken.is_fine} == {}
