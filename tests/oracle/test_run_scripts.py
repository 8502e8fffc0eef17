"""`tfprof run` on scripts as people write them: the same for them, and an answer about each."""

import json
import re
from pathlib import Path

import pytest
from referees import needs
from run_cli import run
from script_runs import (
    KEY,
    NEVER_TRAIN,
    OTHERS,
    SCRIPTS,
    UNSEEN,
    USUAL,
    Layout,
    Recorded,
    masked,
    plainly,
    recorded,
)  # fmt: skip

needs("tensorflow")

# one of each kind in `make test`; the others in `make test-long`
QUICK = {"image_classification", "custom_loop"}
QUICK_MEMORY = {"package", "supervisor"}
FRAMES = re.compile(r'^ *File "[^"]*", line .*', re.MULTILINE)
FRAMES_OF_OURS = re.compile(r'File "[^"]*/tfprof/')


def _cases(layouts, quick=()):
    return [
        pytest.param(layout, id=layout.name, marks=() if layout.name in quick else pytest.mark.long)
        for layout in layouts
    ]


def _answer(command: str, *words) -> dict:
    said = run(command, *words, "--json")
    assert said.code == 0, said.err
    return json.loads(said.out)["data"]


def _same_for_the_script(layout: Layout, ran: Recorded) -> None:
    plain = plainly(layout.words, SCRIPTS / layout.folder, layout.stdin)
    assert ran.code == plain.code == layout.code, ran.err
    assert masked(ran.out) == masked(plain.out)
    assert FRAMES.findall(ran.err) == FRAMES.findall(plain.err)
    assert not FRAMES_OF_OURS.search(ran.err), ran.err


def _steps_were_found(layout: Layout, ran: Recorded) -> None:
    counts = [ran.rank(number)["steps"]["count"] for number in range(len(ran.ranks))]
    assert [count for count in counts if count] == [layout.steps] * layout.ranks


def _answers(layout: Layout, ran: Recorded) -> None:
    summary = _answer("summary", ran.folder)
    assert summary["time"]["step_us"] > 0
    assert summary["top"], summary
    steps = _answer("steps", ran.folder)
    assert len(steps["steps"]) >= 3, steps
    rows = _answer("layers", ran.folder)["rows"]
    assert rows
    names = {part for row in rows for part in row["layer"].split("/")}
    assert set(layout.layers) <= names
    assert len(_answer("layers", ran.folder, "--by", "op")["rows"]) > 3


@pytest.mark.timeout(400)
@pytest.mark.parametrize("layout", _cases([*USUAL, *OTHERS, *UNSEEN], QUICK))
def test_a_script_runs_as_without_us_and_is_told_what_it_costs(layout: Layout, tmp_path: Path):
    where = SCRIPTS / layout.folder
    ran = recorded(layout.words, tmp_path, *layout.options, cwd=where, stdin=layout.stdin)
    _same_for_the_script(layout, ran)
    assert ran.folder.name.startswith(f"{layout.stem}-")
    _steps_were_found(layout, ran)
    _answers(layout, ran)
    assert ran.folder.name in ran.err


@pytest.mark.long
@pytest.mark.timeout(400)
@pytest.mark.parametrize("layout", _cases([*USUAL, *OTHERS], QUICK_MEMORY))
def test_memory_of_each_can_be_asked_for(layout: Layout, tmp_path: Path):
    ran = recorded(layout.words, tmp_path, "--memory", *layout.options, cwd=SCRIPTS / layout.folder)
    assert ran.code == 0, ran.err
    summary = _answer("summary", ran.folder)
    assert summary["memory_kind"] == "measured"
    assert max(summary["peak_memory"].values()) > 1000


@pytest.mark.timeout(400)
@pytest.mark.parametrize("layout", _cases(NEVER_TRAIN))
def test_a_script_that_never_trains_runs_as_without_us_and_is_told_so(
    layout: Layout, tmp_path: Path
):
    ran = recorded(layout.words, tmp_path)
    _same_for_the_script(layout, ran)
    assert "the script made no training step" in ran.err
    assert "--what " in ran.err


@pytest.mark.long
def test_secrets_of_the_command_line_are_not_kept(tmp_path: Path):
    (layout,) = [one for one in USUAL if one.name == "argparse_main"]
    ran = recorded(layout.words, tmp_path)
    assert KEY in ran.out
    assert KEY not in ran.err
    texts = [path.read_bytes() for path in ran.folder.rglob("*") if path.is_file()]
    assert [text for text in texts if KEY.encode() in text] == []
    assert ran.folder.stat().st_mode & 0o777 == 0o700
