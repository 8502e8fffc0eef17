"""`--timing`: where the time of a command went, beside the answer and never in it."""

import json
import re
import time

import pytest
from run_cli import spawn

from tfprof.stopwatch import ANALYSE, LOAD, START, Stopwatch

_ROW = re.compile(r"  (\w+) +(\d+\.\d{3}) +(\d+\.\d{3})  (.+)")


def _parts(text):
    head, *rows = text.splitlines()
    assert head.split() == ["timing", "seconds", "processor"]
    found = {row[1]: (float(row[2]), float(row[3]), row[4]) for row in map(_ROW.fullmatch, rows)}
    assert [*found] == ["start", "import", "load", "analyse", "draw", "whole"]
    return found


@pytest.mark.parametrize("words", [[], ["steps"], ["scope", "-max_depth", "2"]], ids=str)
def test_the_parts_add_up_and_the_answer_is_the_same(unet, words):
    first, *rest = words or ["summary"]
    plain, timed = spawn(first, unet, *rest), spawn(first, unet, *rest, "--timing")
    assert timed.code == plain.code
    assert timed.out == plain.out
    if plain.code:
        assert timed.err == plain.err  # nothing was answered: there is nothing to tell
        return
    parts = _parts(timed.err.removeprefix(plain.err))
    *rows, whole = parts.values()
    for column in (0, 1):
        assert sum(row[column] for row in rows) == pytest.approx(whole[column], abs=0.004)
    assert parts["load"][1] > 0
    modules = re.search(r"([\d,]+) in all", parts["import"][2])
    assert int(modules[1].replace(",", "")) > 100


def test_json_stays_json(unet):
    ran = spawn("summary", unet, "--json", "--timing")
    assert json.loads(ran.out)["command"] == "summary"
    _parts(ran.err)


def test_a_picture_is_drawn_after_it_is_answered(unet, tmp_path):
    ran = spawn("draw", "flame", unet, "-o", tmp_path / "flame.svg", "--timing")
    assert ran.code == 0
    _, _, *timing = ran.err.partition("\n")
    assert _parts("".join(timing))["draw"][0] > 0


def test_what_is_inside_is_counted_once():
    watch = Stopwatch()
    with watch.part(ANALYSE):
        with watch.part(LOAD):
            time.sleep(0.05)
        time.sleep(0.02)
    rows = {row.split()[0]: float(row.split()[1]) for row in watch.lines()[1:]}
    assert rows[LOAD] >= 0.05
    assert 0.02 <= rows[ANALYSE] < rows["whole"] - 0.04
    assert rows[START] < rows["whole"] - 0.06


def test_a_part_that_fails_ends():
    watch = Stopwatch()
    with pytest.raises(ValueError, match="broken"), watch.part(LOAD):
        raise ValueError("broken")
    time.sleep(0.02)
    rows = {row.split()[0]: float(row.split()[1]) for row in watch.lines()[1:]}
    assert rows[START] >= 0.02
