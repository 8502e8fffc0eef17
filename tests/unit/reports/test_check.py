"""Budgets: kept, broken, unknown, undecided; and what the shell is told."""

import json
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from run_cli import environment, run

import tfprof
from tfprof.errors import UsageError
from tfprof.model.quantity import Quantity
from tfprof.reports.check import METRICS, limits_of
from tfprof.reports.check.measured import Measured

_ROOT = Path(__file__).parents[3]
_MODEL = _ROOT / "tests/data/saved/v1.tfprof"
_MLP = _ROOT / "tests/data/keras_mlp_fwd.graph.pb"
_LSTM = _ROOT / "tests/data/keras_lstm_fwd.graph.pb"


def _rows(ran):
    return {row["metric"]: row for row in json.loads(ran.out)["data"]["budgets"]}


def test_kept_and_broken():
    words = ("--max-params", "1M", "--max-flops", "1T", "--max-nodes", "2k")
    ran = run("check", _MODEL, *words, "--json")
    assert ran.code == 1
    rows = _rows(ran)
    assert {name: row["ok"] for name, row in rows.items()} == {
        "params": False, "flops": True, "nodes": True,
    }  # fmt: skip
    assert rows["params"]["actual"] == 1_221_154
    assert rows["params"]["limit"] == 1_000_000
    assert rows["params"]["contributors"][0] == {"name": "adam", "value": 814_102}
    assert run("check", _MODEL, "--max-params", "2M").code == 0


def test_every_metric_can_be_limited():
    words = [word for one in METRICS.values() for word in (f"--{one.word}", one.example)]
    ran = run("check", _MODEL, *words, "--json")
    assert set(_rows(ran)) == set(METRICS)


def test_unknown_is_a_breach_that_says_why():
    ran = run("check", _MLP, "--max-step-time", "1s", "--json")
    assert ran.code == 1
    row = _rows(ran)["step_time"]
    assert row["actual"] is None
    assert row["why"].startswith("unknown: ")
    assert run("check", _MLP, "--max-step-time", "1s", "--allow-unknown").code == 0


def test_an_open_size_is_unknown_until_it_is_given():
    ran = run("check", _LSTM, "--max-flops", "1T", "--json")
    assert ran.code == 1
    assert "--batch N" in _rows(ran)["flops"]["why"]
    assert run("check", _LSTM, "--max-flops", "1T", "--batch", "8").code in (0, 1)


def test_at_least_over_the_limit_is_a_breach_and_under_it_is_not_known(monkeypatch):
    known = Quantity.at_least(100, "3 ops of unknown cost")
    monkeypatch.setattr(Measured, "of", lambda _self, _metric: known)
    profile = tfprof.load(_MODEL)
    over = profile.check(max_flops=50).result.data.budgets[0]
    assert (over.ok, over.why) == (False, "over the limit")
    under = profile.check(max_flops=500).result.data.budgets[0]
    assert (under.ok, under.why) == (False, "at least so much: 3 ops of unknown cost")
    assert profile.check(max_flops=500, allow_unknown=True).result.data.ok


def test_against_a_baseline_exactly(tmp_path):
    saved = tfprof.load(_MODEL).save(tmp_path / "base.tfprof")
    words = ("--max-params", "+0", "--max-peak-memory", "+5%", "--max-macs", "+0%")
    assert run("check", _MODEL, *words, "--baseline", saved).code == 0
    ran = run("check", _MODEL, "--max-params", "+5%", "--baseline", _MLP, "--json")
    assert ran.code == 1
    row = _rows(ran)["params"]
    assert row["limit"] == pytest.approx(row["baseline"] * 1.05)


def test_too_few_samples_are_told(tmp_path):
    saved = tfprof.load(_MODEL).save(tmp_path / "base.tfprof")
    words = ("check", _MODEL, "--baseline", saved, "--max-step-time", "+5%")
    ran = run(*words)
    assert ran.code == 0
    assert "too few samples: a run has 1 step, 5 are needed" in " ".join(ran.out.split())
    assert run(*words, "--strict").code == 1


def test_words_that_nobody_knows():
    assert run("check", _MODEL, "--max-parms", "5M").code == 2
    assert run("check", _MODEL).code == 2
    for limit in ("5X", "-1", "1e9", "nan", "", "5%", "+", "+5", "9" * 400, "5 ms"):
        assert run("check", _MODEL, "--max-params", limit).code == 2, limit
    assert run("check", _MODEL, "--max-step-time", "120").code == 2  # of what?
    assert run("check", _MODEL, "--max-params", "+5%").code == 2  # of which baseline?
    assert run("check", _MODEL, "--max-params", "5M", "--baseline", "nowhere").code == 3
    with pytest.raises(UsageError, match="no budget is called"):
        limits_of({"max_parms": 3})
    with pytest.raises(UsageError):
        limits_of({"max_params": True})


def test_the_project_says_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    project = tmp_path / "pyproject.toml"
    project.write_text('[tool.tfprof.budget]\nmax-params = "1M"\nmax_flops = 1e13\n')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    ran = run("check", _MODEL, "--json")
    assert ran.code == 1
    assert {name: row["ok"] for name, row in _rows(ran).items()} == {"params": False, "flops": True}
    assert run("check", _MODEL, "--max-params", "2M").code == 0  # what is said here wins
    tfprof.load(_MODEL).save(tmp_path / "base.tfprof")  # seen from the file that names it
    project.write_text('[tool.tfprof.budget]\nbaseline = "base.tfprof"\nmax-params = "+0"\n')
    assert run("check", _MODEL).code == 0
    project.write_text('[tool.tfprof.budget]\nmax-parms = "1M"\n')
    assert run("check", _MODEL).code == 2
    project.write_text("[tool.tfprof]\nbudget = 3\n")
    assert run("check", _MODEL).code == 2
    project.write_text("[tool.tfprof\n")
    assert run("check", _MODEL, "--max-params", "1").code == 4
    project.write_text("[tool.other]\n")
    assert run("check", _MODEL).code == 2


def test_files_for_ci(tmp_path):
    words = ("check", _MODEL, "--max-params", "1M", "--max-flops", "1T", "--max-step-time", "+5%",
             "--baseline", _MODEL)  # fmt: skip
    ran = run(*words, "-o", tmp_path / "x.xml")
    assert ran.code == 1
    assert "BROKEN" in ran.err
    suite = ET.parse(tmp_path / "x.xml").getroot()  # noqa: S314  (ours)
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("3", "1", "1")
    assert [case.get("name") for case in suite.iter("testcase")] == [
        "max_flops", "max_params", "max_step_time",
    ]  # fmt: skip
    assert run(*words, "-o", tmp_path / "x.md").code == 1
    assert "| params" in (tmp_path / "x.md").read_text()
    assert run("summary", _MODEL, "-o", tmp_path / "y.xml").code == 2


def test_odd_titles_in_xml(tmp_path):
    graph = tmp_path / "a\x1b<b>&\"'.pb"
    graph.write_bytes((_MLP).read_bytes())
    assert run("check", graph, "--max-params", "1", "-o", tmp_path / "x.xml").code == 1
    ET.parse(tmp_path / "x.xml")  # noqa: S314  (ours)


def test_in_a_shell_script(tmp_path):
    script = tmp_path / "budgets.sh"
    tool = f"{sys.executable} -m tfprof check {_MLP}"
    script.write_text(f"set -e\n{tool} --max-params 1M\n{tool} --max-params 1k\necho never\n")
    done = subprocess.run(["sh", script], env=environment(), capture_output=True, text=True,
                          check=False)  # fmt: skip
    assert done.returncode == 1
    assert "params  407.1 k   1.000 M  kept" in done.stdout
    assert "never" not in done.stdout


_TESTS_OF_A_PROJECT = f"""
import pytest

def test_kept(tfprof_budget):
    assert tfprof_budget({str(_MLP)!r}, max_params="1M", max_nodes="1k").result.data.ok

def test_broken(tfprof_budget):
    tfprof_budget({str(_MLP)!r}, max_params="1k", max_nodes="1k")

@pytest.mark.tfprof_budget(max_params="1k", max_nodes="1M")
def test_marked(tfprof_budget):
    tfprof_budget({str(_MLP)!r})

@pytest.mark.tfprof_budget(max_params="1k", max_nodes="1k")
def test_the_call_wins(tfprof_budget):
    tfprof_budget({str(_MLP)!r}, params="1M")

def test_the_project_says_it(tfprof_budget):
    tfprof_budget({str(_MLP)!r})

def test_nothing_is_imported():
    import sys
    assert "tensorflow" not in sys.modules
"""


def test_in_pytest(tmp_path):
    """A real run of it, in a process of its own."""
    project = '[tool.tfprof.budget]\nmax-nodes = 3\n[tool.pytest.ini_options]\naddopts = "-q"\n'
    (tmp_path / "pyproject.toml").write_text(project)
    (tmp_path / "test_budgets.py").write_text(_TESTS_OF_A_PROJECT)
    words = [sys.executable, "-m", "pytest", "-p", "tfprof.pytest_plugin", "-p", "no:cacheprovider",
             "--strict-markers", "-n", "0", tmp_path]  # fmt: skip
    done = subprocess.run(words, env=environment(PYTHONWARNINGS=""), cwd=tmp_path,
                          capture_output=True, text=True, check=False)  # fmt: skip
    failed = {line.split("::")[1].split()[0] for line in done.stdout.splitlines()
              if line.startswith("FAILED")}  # fmt: skip
    assert done.returncode == 1, done.stdout
    assert failed == {"test_broken", "test_marked", "test_the_project_says_it"}
    assert "BROKEN" in done.stdout


def _captures(samples):
    return (samples / f"xplane/{name}-cb.xplane.pb" for name in ("slow", "fast"))


def test_one_capture_a_side_is_judged_as_a_comparison_does(samples):
    slow, fast = _captures(samples)
    ran = run("check", slow, "--baseline", fast, "--max-step-time", "+5%", "--json")
    row = json.loads(ran.out)["data"]["budgets"][0]
    assert (ran.code, row["ok"]) == (1, False)
    change, low, high = (float(n) for n in re.findall(r"([+-][\d.]+)%", row["why"]))
    step = next(row for row in tfprof.diff(fast, slow).to_dict()["data"]["rows"]
                if row["name"] == "step time")  # fmt: skip
    assert [low, high] == [pytest.approx(100 * end / step["before"], abs=0.06)
                           for end in step["interval"]]  # fmt: skip
    assert change == pytest.approx(100 * step["change"] / step["before"], abs=0.06)
    # the other way round it is kept
    assert run("check", fast, "--baseline", slow, "--max-step-time", "+5%").code == 0


def test_what_chance_may_explain_is_undecided(samples):
    slow, fast = _captures(samples)
    words = ("check", slow, "--baseline", fast, "--max-step-time", "+100%")
    ran = run(*words)
    assert ran.code == 0
    said = " ".join(ran.out.split())
    assert "undecided" in said
    assert re.search(r"about \d+ a side would, if runs differ by 10% \(--run-noise\)", said)
    assert run(*words, "--strict").code == 1
    assert run(*words, "--run-noise", "1%").code == 1


def test_repeats_tell_the_noise(samples):
    slow, fast = _captures(samples)
    ran = run("check", f"{slow},{slow}", "--baseline", f"{fast},{fast}", "--max-step-time", "+100%")
    assert ran.code == 1
    assert "slower" in ran.out
    found = (
        tfprof.load(slow)
        .check(baseline=[fast, fast], repeats=[slow], max_step_time="+100%")
        .result.data
    )
    assert not found.ok


def test_baselines_of_a_project_are_seen_from_its_file(tmp_path, monkeypatch, samples):
    slow, _ = _captures(samples)
    for name in ("1", "2"):
        (tmp_path / f"{name}.pb").write_bytes(slow.read_bytes())
    (tmp_path / "pyproject.toml").write_text(
        '[tool.tfprof.budget]\nbaseline = "1.pb,2.pb"\nmax-step-time = "+5%"\nrun-noise = "3%"\n'
    )
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    ran = run("check", slow, "--json")
    assert ran.code == 0, ran.err
    assert json.loads(ran.out)["data"]["baseline"].count(".pb") == 2
