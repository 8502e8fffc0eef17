"""A step that calls its function several times: what one call costs is not told as the step's."""

from made_runs import made_run, rank_record
from run_cli import run


def test_a_step_of_several_calls_says_so(tmp_path):
    (function,) = rank_record()["functions"]
    steps = rank_record()["steps"] | {"count": 25}
    function |= {"name": "micro", "calls": 96}
    made_run(tmp_path, functions=[function], steps=steps)
    for command in ("summary", "layers", "memory"):
        said = " ".join(run(command, tmp_path).out.split())
        assert "one of 4 calls of micro in a training step" in said, command


def test_a_call_a_step_is_the_step(tmp_path):
    made_run(tmp_path)
    assert "(one training step)" in " ".join(run(tmp_path).out.split())
