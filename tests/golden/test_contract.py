"""What holds for every summary, whatever the input: one screen, and numbers that add up."""

import json
import re
from pathlib import Path

import pytest
from run_cli import run

from tfprof.api.ask import ask_summary
from tfprof.sources.load import Request
from tfprof.sources.recognise import recognise
from tfprof.views.shapes import Table, Unit

TESTS = Path(__file__).parents[1]
FILES = sorted(
    str(path.relative_to(TESTS / "data")).removesuffix(".gz")
    for path in (TESTS / "data").rglob("*")
    if path.is_file()
)
MADE = ["mlp_saved_model", "tf1_saved_model", "mobilenet_saved_model"]


@pytest.fixture(params=[*FILES, "resnet32", ".", "EXAMPLE", "PROFILE", *MADE])
def path(request, samples, unet, unet_profile, made):
    if request.param in MADE:
        return made(request.param)
    return {"EXAMPLE": unet, "PROFILE": unet_profile}.get(request.param, samples / request.param)


def _is_named_only(path):
    """Whether tfprof knows the format but reads neither it nor what it points to."""
    if path.is_dir() or recognise(path).read is not None:
        return False
    ran = run(path)
    assert ran.code != 4 or ran.out == ""
    return ran.code == 4 and "not-read-yet" in ran.err


def test_a_summary_is_one_screen(path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    if _is_named_only(path):
        return
    ran = run(path)
    assert ran.code == 0
    assert ran.err == ""
    lines = ran.out.splitlines()
    assert 3 < len(lines) <= 25
    assert max(map(len, lines)) <= 80
    assert all(line == line.rstrip() for line in lines)
    assert "\n\n\n" not in ran.out
    assert not ran.out.endswith("\n\n")


def test_the_parameters_of_all_roles_are_the_total(path):
    if _is_named_only(path):
        return
    ran = run(path, "--json")
    data = json.loads(ran.out)["data"]
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


def test_shares_and_what_is_folded_are_the_whole(path):
    if _is_named_only(path):
        return
    checked = 0
    for part in ask_summary(Request([path])).view.parts:
        if not isinstance(part, Table):
            continue
        for place, column in enumerate(part.columns):
            if column.unit is Unit.SHARE:
                shown = sum(100 * row[place] for row in part.rows)
                assert shown + _percent(part.folded) == pytest.approx(100, abs=0.11)
                assert shown <= 100 + 1e-9
                checked += 1
    data = json.loads(run(path, "--json").out)["data"]
    assert checked or not data.get("top")


def test_every_table_says_how_much_it_left_out(path):
    if _is_named_only(path):
        return
    ran = json.loads(run(path, "--json").out)["data"]
    tables = [p for p in ask_summary(Request([path])).view.parts if isinstance(p, Table)]
    for table in tables:
        match = re.search(r"([\d,]+) more", table.folded)
        left_out = int(match[1].replace(",", "")) if match else 0
        if table.title in {"Costliest nodes", "Largest variables"}:
            assert len(table.rows) + left_out >= min(20, len(ran["top"]))


@pytest.mark.parametrize("columns", [40, 60, 100, 120])
def test_other_widths_are_kept_too(path, monkeypatch, columns):
    if _is_named_only(path):
        return
    monkeypatch.setenv("COLUMNS", str(columns))
    assert max(map(len, run(path).out.splitlines())) <= columns


@pytest.mark.parametrize("command", ["summary", "doctor"])
def test_the_same_question_gets_the_same_answer(path, command):
    assert run(command, path, "--json") == run(command, path, "--json")


def test_doctor_names_every_file_there_is(path):
    ran = run("doctor", path, "--json")
    assert ran.code == 0
    found = [entry["path"] for entry in json.loads(ran.out)["data"]["found"]]
    files = [p for p in path.rglob("*") if p.is_file()] if path.is_dir() else [path]
    assert set(found) >= {str(p) for p in files if not p.name.startswith(".")}
