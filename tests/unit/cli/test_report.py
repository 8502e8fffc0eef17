"""`tfprof report`: a page in a file, within its size, and what is told about it."""

import json
import socket
import webbrowser
from pathlib import Path

import pytest
from page_data import head_of, section_of
from page_template import small_template
from run_cli import run

import tfprof

EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.fixture(autouse=True)
def _stub():
    with small_template():
        yield


@pytest.fixture
def target(tmp_path):
    return tmp_path / "report.html"


@pytest.fixture
def opened(monkeypatch):
    found = []
    monkeypatch.setattr(webbrowser, "open", found.append)
    monkeypatch.delenv("CI", raising=False)
    return found


def test_a_page_has_what_the_commands_say(target):
    ran = run("report", EXAMPLES / "slow_input", "-o", target)
    assert ran.code == 0
    assert f"Wrote {target} (" in ran.err
    for kind in ("steps", "input"):
        told = json.loads(run(kind, EXAMPLES / "slow_input", "--json").out)["data"]
        assert section_of(target.read_text(), kind)["verdict"] == told["verdict"]


def test_it_is_not_written_over(target):
    target.write_text("mine")
    assert run("report", EXAMPLES / "unet", "-o", target).code == 5
    assert target.read_text() == "mine"
    assert run("report", EXAMPLES / "unet", "-o", target, "--force").code == 0


@pytest.mark.parametrize("name", ["report.pdf", "report"])
def test_another_suffix_is_refused(tmp_path, name):
    assert run("report", EXAMPLES / "unet", "-o", tmp_path / name).code == 2


def test_what_was_written_is_told_as_data(target):
    ran = run("report", EXAMPLES / "unet", "-o", target, "--json")
    told = json.loads(ran.out)["data"]
    assert told["bytes"] == target.stat().st_size
    assert told["written"] == [str(target)]
    head = head_of(target.read_text())
    assert [one["kind"] for one in told["sections"]] == head["sections"]
    assert [one["kind"] for one in told["absent"]] == [one["kind"] for one in head["absent"]]


def test_every_section_is_there_or_says_why_not(target):
    from tfprof.reports.page.answer import kinds

    run("report", EXAMPLES / "unet", "-o", target)
    head = head_of(target.read_text())
    assert {*head["sections"], *(one["kind"] for one in head["absent"])} == set(kinds())
    assert all(one["why"] for one in head["absent"])


@pytest.mark.parametrize("size", ["60KB", "200KB", "1MB"])
def test_the_size_is_kept(target, size):
    ran = run("report", EXAMPLES / "unet", "-o", target, "--max-size", size)
    assert ran.code == 0
    kept = {"60KB": 60_000, "200KB": 200_000, "1MB": 1_000_000}[size]
    assert target.stat().st_size <= kept


@pytest.mark.parametrize("size", ["1KB", "many", "-3"])
def test_sizes_that_nobody_can_mean_are_refused(target, size):
    assert run("report", EXAMPLES / "unet", "-o", target, "--max-size", size).code == 2
    assert not target.exists()


def test_what_is_confidential_is_in_no_section(target, tmp_path):
    place = tmp_path / "home-of-somebody"
    place.mkdir()
    for file in (EXAMPLES / "slow_input").rglob("*.xplane.pb"):
        (place / "secret-host.xplane.pb").write_bytes(file.read_bytes())
    ran = run("report", place, "--against", place, "-o", target, "--confidential")
    assert ran.code == 0
    text = target.read_text()
    head = head_of(text)
    said = json.dumps([head, *(repr(section_of(text, one)) for one in head["sections"])])
    for word in ("home-of-somebody", "secret-host", str(tmp_path), socket.gethostname(), "/tmp"):  # noqa: S108
        assert word not in said, word


def test_without_a_template_the_exit_code_is_6(target, tmp_path):
    with small_template(tmp_path / "none.html"):
        ran = run("report", EXAMPLES / "unet", "-o", target)
    assert ran.code == 6
    assert "pip install" in ran.err


def test_it_opens_when_asked_to(target, opened):
    assert run("report", EXAMPLES / "unet", "-o", target, "--open").code == 0
    assert opened == [target.as_uri()]


def test_no_browser_is_started_where_nobody_looks(target, opened, monkeypatch):
    monkeypatch.setenv("CI", "true")
    assert run("report", EXAMPLES / "unet", "-o", target, "--open").code == 0
    assert opened == []


def test_python_writes_the_same_page(target, tmp_path):
    run("report", EXAMPLES / "unet", "-o", target)
    other = tfprof.load(EXAMPLES / "unet").report(tmp_path / "other.html")
    assert other.read_bytes() == target.read_bytes()


def test_python_compares_with_others(tmp_path):
    profile = tfprof.load(EXAMPLES / "unet")
    profile.report(tmp_path / "one.html", against=EXAMPLES / "unet")
    profile.report(tmp_path / "two.html", against=[profile])
    assert (tmp_path / "one.html").read_bytes() == (tmp_path / "two.html").read_bytes()
