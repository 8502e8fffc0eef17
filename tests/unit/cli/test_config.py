"""Settings: what a project and the environment say, and who wins."""

import json
import sys

import pytest
from run_cli import run

from tfprof.cli.config import project_file
from tfprof.commands.options.option import Takes
from tfprof.commands.registry import commands


@pytest.fixture
def project(tmp_path, monkeypatch):
    def written(text):
        (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
        below = tmp_path / "a" / "b"
        below.mkdir(parents=True, exist_ok=True)
        monkeypatch.chdir(below)

    return written


def asked(*words):
    ran = run("config", *words, "--json")
    assert ran.code == 0, ran.err
    return {row["key"]: row for row in json.loads(ran.out)["data"]["values"]}


def by_of(unet, *words):
    ran = run("layers", unet, "--json", *words)
    assert ran.code == 0, ran.err
    return next(iter(json.loads(ran.out)["data"]["rows"][0]))


def test_the_nearest_project_sets_options(project, unet):
    assert by_of(unet) == "layer"
    project('[tool.tfprof]\nby = "op"\n')
    assert by_of(unet) == "op"
    assert by_of(unet, "--by", "scope") == "scope"


def test_the_table_of_a_command_wins_over_that_of_all(project, unet):
    project('[tool.tfprof]\nby = "op"\n[tool.tfprof.layers]\nby = "node"\n')
    assert by_of(unet) == "node"


@pytest.mark.parametrize(
    "text",
    [
        '[ tool . tfprof ]\nby = "op"\n',
        """["tool".'tfprof']\nby = "op"\n""",
        '[tool]\ntfprof.by = "op"\n',
        "['tool' ]\ntfprof = { by = 'op' }\n",
        'tool.tfprof.by = "op"\n[project]\nname = "model"\n',
        'tool = { tfprof = { by = "op" } }\n',
        'tool."tfprof"."layers".by = "op"\n',
    ],
)
def test_however_toml_spells_it(project, text, unet):
    project(text)
    assert by_of(unet) == "op"


def test_a_project_that_only_depends_on_us_is_not_parsed(project, monkeypatch):
    project('[project]\ndependencies = ["tfprof"]\n[tool.ruff]\nsrc = ["tfprof"]\n')
    monkeypatch.setitem(sys.modules, "tomllib", None)
    assert project_file().table == {}


def test_the_environment_wins_over_the_project(project, unet, monkeypatch):
    project('[tool.tfprof]\nby = "op"\n')
    monkeypatch.setenv("TFPROF_BY", "scope")
    assert by_of(unet) == "scope"
    assert asked("layers")["layers.by"]["source"] == "TFPROF_BY"


def test_config_says_where_each_value_comes_from(project, monkeypatch):
    project('[tool.tfprof.memory]\nbatch = 8\ntrain = true\nlast-cache = "32MiB"\n')
    monkeypatch.setenv("TFPROF_MARGIN", "0.1")
    found = asked("memory")
    assert found["memory.batch"]["value"] == "8"
    assert "[tool.tfprof.memory] of " in found["memory.batch"]["source"]
    assert found["memory.mode"]["value"] == "train"
    assert found["memory.last_cache"]["value"] == "32MiB"
    assert found["memory.margin"]["source"] == "TFPROF_MARGIN"
    assert found["memory.optimizer"]["source"] == "default"
    # without a command, only what is set
    assert set(asked()) == {
        "memory.batch", "memory.mode", "memory.last_cache", "memory.margin",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ('[tool.tfprof]\nbye = "op"\n', 2, "Did you mean by?"),
        ('[tool.tfprof]\nby = "nothing"\n', 2, "One of layer"),
        ("[tool.tfprof.steps]\ngapz = true\n", 2, "Did you mean gaps?"),
        ('[tool.tfprof.layers]\nmax_depth = "3"\n', 2, "[tool.tfprof.layers] of"),
        ('[tool]\ntfprof = {by = "nothing"}\n', 2, "One of layer"),
        ("[tool.tfprof.layers]\nwide = 3\n", 2, "does not take 3"),
        ("[tool.tfprof]\nby = \n", 4, "no TOML"),
        ("this is no TOML, and not ours\n", 0, ""),
        ('dependencies = ["tfprof"\n', 0, ""),
    ],
)
def test_settings_that_make_no_sense(project, unet, text, code, said):
    project(text)
    ran = run("layers", unet)
    assert (ran.code, bool(ran.out)) == (code, code == 0)
    assert said in ran.err


@pytest.mark.parametrize(("name", "value"), [("TFPROF_WIDE", "maybe"), ("TFPROF_BY", "nothing")])
def test_variables_that_make_no_sense(unet, monkeypatch, name, value):
    monkeypatch.setenv(name, value)
    ran = run("layers", unet)
    assert (ran.code, ran.out) == (2, "")
    assert name in ran.err


def test_a_command_that_is_not_known():
    ran = run("config", "layer")
    assert (ran.code, ran.out) == (2, "")
    assert "Did you mean layers?" in ran.err


@pytest.mark.parametrize("command", sorted(commands()))
def test_every_option_is_a_setting(command):
    """A key and a variable for each, but for words that set another one."""
    sections = commands()[command].options
    options = [one for section in sections for one in section.options if not one.sets]
    flags = [one for one in options if one.takes not in (Takes.PATHS, Takes.WORD) and one.help]
    told = json.loads(run("config", command, "--json").out)["data"]["values"]
    keys = {row["key"].rpartition(".")[2].replace("_", "-") for row in told}
    assert keys >= {one.name.lstrip("-").replace("_", "-") for one in flags}
    assert all(row["variable"].startswith("TFPROF_") for row in told)


def test_budgets_of_the_project_are_settings_of_check(project, tmp_path):
    project('[tool.tfprof.budget]\nmax-params = "3M"\nflops = "1G"\nstrict = true\n')
    set_here = [row for row in asked("check").values() if row["source"] != "default"]
    found = {row["key"]: (row["value"], row["source"]) for row in set_here}
    where = f"[tool.tfprof.budget] of {tmp_path / 'pyproject.toml'}"
    assert found == {
        "check.max_params": ("3M", where),
        "check.max_flops": ("1G", where),
        "check.strict": ("True", where),
    }
    assert "check.max_flops" in run("config").out


def test_what_is_said_for_check_wins_over_budgets(project, monkeypatch):
    project('[tool.tfprof.budget]\nmax-params = "3M"\n')
    monkeypatch.setenv("TFPROF_MAX_PARAMS", "5M")
    (told,) = json.loads(run("config", "--json").out)["data"]["values"]
    assert (told["key"], told["value"], told["source"]) == (
        "check.max_params", "5M", "TFPROF_MAX_PARAMS",
    )  # fmt: skip
