"""`tfprof explain`: the texts of docs/messages.md, wherever tfprof is installed."""

import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from run_cli import SOURCES, run

from tfprof import errors
from tfprof.reports.explain.answer import PAGE, every_message

ROOT = Path(__file__).parents[3]


def _slugs():
    return [one.slug for one in errors.all_errors() if one.__module__ == "tfprof.errors"]


def test_every_error_is_explained_with_its_exit_code():
    known = every_message()
    codes = {e.slug: e.exit_code for e in errors.all_errors() if e.__module__ == "tfprof.errors"}
    assert {slug: one.exit_code for slug, one in known.items()} == codes
    for one in known.values():
        assert one.meaning
        assert one.example
        assert one.advice
        assert "](" not in one.meaning + one.advice


def test_one_is_shown_in_full():
    ran = run("explain", "wrong-kind")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("wrong-kind\n")
    for word in ("Means", "For example", "Try", "Exit code"):
        assert re.search(rf"^{word} ", ran.out, re.MULTILINE)
    assert "train.py: this is a Python file" in ran.out


def test_without_a_name_all_are_listed():
    out = run("explain").out
    assert [slug for slug in _slugs() if not re.search(rf"^{slug} ", out, re.MULTILINE)] == []


def test_an_exit_code_gives_its_messages():
    found = json.loads(run("explain", "5", "--json").out)["data"]["messages"]
    assert [one["slug"] for one in found] == ["output-not-writable", "output-exists"]
    assert {one["exit_code"] for one in found} == {5}


def test_a_name_that_is_off_gets_the_nearest():
    ran = run("explain", "wrongkind")
    assert ran.code == 2
    assert "Did you mean wrong-kind?" in ran.err


def test_an_error_names_the_command_that_explains_it(tmp_path):
    command = run(tmp_path / "gone.pb").err.splitlines()[-1]
    slug = re.search(r"tfprof explain (\S+)\)", command)[1]
    assert run("explain", slug).code == 0


def test_the_page_rides_in_the_wheel():
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    wheel = settings["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert wheel["force-include"] == {f"docs/{PAGE}": f"tfprof/{PAGE}"}


@pytest.mark.parametrize("words", [["explain", "usage"]])
def test_an_installed_tfprof_reads_the_page_beside_it(words, tmp_path):
    """As the wheel lays it out: no clone around it."""
    shutil.copytree(SOURCES / "tfprof", tmp_path / "tfprof", ignore=lambda *_: {"__pycache__"})
    shutil.copyfile(ROOT / "docs" / PAGE, tmp_path / "tfprof" / PAGE)
    done = subprocess.run(
        [sys.executable, "-m", "tfprof", *words],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env={"PYTHONPATH": str(tmp_path)},
        check=True,
    )
    assert done.stdout == run(*words).out
