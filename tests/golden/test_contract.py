"""What holds for every summary, whatever the input: one screen, and numbers that add up."""

import json
import re
from functools import cached_property
from pathlib import Path

import pytest
from run_cli import run

from tfprof.api.answer import Answer
from tfprof.renderers.text.fit import fitted
from tfprof.renderers.text.fold import folded, shown_rows
from tfprof.reports.summary import Query, ask_paths
from tfprof.sources.find.load import Request
from tfprof.sources.find.recognise import recognise
from tfprof.views.shapes import Table, Unit

TESTS = Path(__file__).parents[1]
FILES = sorted(
    str(path.relative_to(TESTS / "data")).removesuffix(".gz")
    for path in (TESTS / "data").rglob("*")
    if path.is_file()
)
MADE = ["mlp_saved_model", "tf1_saved_model", "mobilenet_saved_model"]


class Asked:
    """What tfprof says about a path: each question is asked once, for all tests that look at it.

    `answer` is asked for in Python, `text` and `json` on the command line: three runs of their own.
    """

    def __init__(self, path):
        self.path = path

    @cached_property
    def answer(self):
        return Answer(ask_paths(Request([self.path]), Query()))

    @cached_property
    def text(self):
        with pytest.MonkeyPatch.context() as patched:
            patched.setenv("COLUMNS", "80")
            return run(self.path)

    @cached_property
    def json(self):
        return run(self.path, "--json")

    @cached_property
    def doctor(self):
        return run("doctor", self.path, "--json")

    @property
    def data(self):
        return json.loads(self.json.out)["data"]

    @property
    def tables(self):
        return [part for part in fitted(self.answer.view).parts if isinstance(part, Table)]

    @cached_property
    def is_named_only(self):
        """Whether tfprof knows the format but reads neither it nor what it points to."""
        if self.path.is_dir() or recognise(self.path).read is not None:
            return False
        assert self.text.code != 4 or self.text.out == ""
        return self.text.code == 4 and "not-read-yet" in self.text.err


# one path after the other, so that what is known of the last one can be let go
@pytest.fixture(scope="module", params=[*FILES, "resnet32", ".", "EXAMPLE", "PROFILE", *MADE])
def asked(request, samples, unet):
    # only what is asked for, since TensorFlow makes it
    if request.param in MADE:
        return Asked(request.getfixturevalue("made")(request.param))
    if request.param == "PROFILE":
        return Asked(request.getfixturevalue("unet_profile"))
    return Asked(unet if request.param == "EXAMPLE" else samples / request.param)


def test_a_summary_is_one_screen(asked):
    if asked.is_named_only:
        return
    ran = asked.text
    assert ran.code == 0
    assert ran.err == ""
    lines = ran.out.splitlines()
    assert 3 < len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)
    assert "\n\n\n" not in ran.out
    assert not ran.out.endswith("\n\n")


def test_the_parameters_of_all_roles_are_the_total(asked):
    if asked.is_named_only:
        return
    data = asked.data
    for params in [m["params"] for m in data.get("models", [data])]:
        roles = [params[key] for key in ("trainable", "non_trainable", "optimizer", "other")]
        if None not in roles:
            assert sum(roles) == params["total"]
        elif params["total"] is not None:
            assert sum(part or 0 for part in roles) <= params["total"]


def _percent(text):
    match = re.search(r"\((<?)([\d.]+)%\)", text)
    if match is None:
        return 0.0
    return 0.0 if match[1] else float(match[2])


def test_shares_and_what_is_folded_are_the_whole(asked):
    if asked.is_named_only:
        return
    checked = 0
    for part in asked.tables:
        for place, column in enumerate(part.columns):
            if column.unit is Unit.SHARE:
                # copies of a device are no part of the time of its kernels
                shown = sum(100 * (row[place] or 0) for row in shown_rows(part))
                assert shown + _percent(folded(part)) == pytest.approx(100, abs=0.11)
                assert shown <= 100 + 1e-9
                checked += 1
    assert checked or not asked.data.get("top")


def test_every_table_says_how_much_it_left_out(asked):
    if asked.is_named_only:
        return
    for table in asked.tables:
        match = re.search(r"([\d,]+) more", folded(table))
        left_out = int(match[1].replace(",", "")) if match else 0
        if table.title in {"Costliest nodes", "Largest variables"}:
            assert len(shown_rows(table)) + left_out == len(table.rows)


@pytest.mark.parametrize("columns", [40, 60, 100, 120])
def test_other_widths_are_kept_too(asked, columns):
    if asked.is_named_only:
        return
    # so, another width is what the shell prints
    assert asked.answer.to_text(80) == asked.text.out
    assert max(map(len, asked.answer.to_text(columns).splitlines())) <= columns


def test_the_same_question_gets_the_same_answer(asked):
    if asked.is_named_only:
        assert run(asked.path) == asked.text
    else:
        assert asked.json.code == 0
        assert asked.json.out == asked.answer.to_json()


def test_doctor_says_the_same_when_asked_again(asked):
    assert run("doctor", asked.path, "--json") == asked.doctor


def test_doctor_names_every_file_there_is(asked):
    ran, path = asked.doctor, asked.path
    assert ran.code == 0
    found = [entry["path"] for entry in json.loads(ran.out)["data"]["found"]]
    files = [p for p in path.rglob("*") if p.is_file()] if path.is_dir() else [path]
    assert set(found) >= {str(p) for p in files if not p.name.startswith(".")}
