"""Terminals without UTF-8: every letter of a chart keeps its meaning."""

import json
import re
import subprocess
from pathlib import Path

import pytest
from run_cli import SOURCES, command, environment

from tfprof.cli.encoding import _LETTERS
from tfprof.renderers.drawing.category_colours import LOOKS

# written by us in what is shown; what a user's files are called may have any letter
OURS = re.compile(r"[^\x00-\x7f]")


def _shown(*words, encoding="ascii", **changes):
    done = subprocess.run(
        command(*words),
        capture_output=True,
        env=environment(PYTHONIOENCODING=encoding, COLUMNS=80, **changes),
        check=True,
    )
    return done.stdout.decode(encoding)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_the_bars_of_steps_are_those_of_their_legend(samples, encoding):
    out = _shown("steps", samples / "xplane" / "slow-cb.xplane.pb", encoding=encoding)
    assert ": waiting for input  o ops on the CPU" in out
    bar = next(line for line in out.splitlines() if line.startswith("4  248.9 ms"))
    assert bar.count(":") > 30
    assert bar.count("o") > 20
    assert "?" not in bar


@pytest.mark.parametrize("words", [["memory"], ["timeline"], ["layers"]], ids=str)
def test_nothing_but_the_unknown_is_a_question_mark(unet, words):
    ascii_, whole = _shown(*words, unet), _shown(*words, unet, encoding="utf-8")
    assert ascii_.count("?") == whole.count("?")


def test_lines_keep_their_width_where_letters_stand_for_letters(unet):
    widths = {len(plain) for letter, plain in _LETTERS.items() if letter not in "≥±"}
    assert widths == {1}
    ascii_, whole = (_shown("memory", unet, encoding=one) for one in ("ascii", "utf-8"))
    assert [len(line) for line in ascii_.splitlines()] == [len(line) for line in whole.splitlines()]


def test_no_two_kinds_of_time_look_alike():
    drawn = [_LETTERS.get(look.fill, look.fill) for look in LOOKS.values()]
    assert len(set(drawn)) == len(drawn)


def test_every_letter_that_is_drawn_has_one_to_stand_for_it():
    drawn = (SOURCES / "tfprof" / "renderers", SOURCES / "tfprof" / "reports")
    files = [file for folder in drawn for file in folder.rglob("*.py")]
    used = {letter for file in files for letter in OURS.findall(file.read_text("utf-8"))}
    assert used - _LETTERS.keys() == set()


def test_json_has_every_letter(samples, tmp_path):
    path = tmp_path / "modèle 模型 😀.pb"
    path.write_bytes(Path(samples / "keras_mlp_fwd.graph.pb").read_bytes())
    out = _shown("summary", path, "--json", PYTHONUTF8=0)
    assert json.loads(out)["inputs"][0]["path"] == str(path)
