import shlex
import sys
from pathlib import Path

import pytest
from run_cli import spawn

import tfprof.commands
from tfprof.commands import registry
from tfprof.commands.command import HelpGroup
from tfprof.commands.registry import command_called, commands
from tfprof.renderers.page.html import TEMPLATE

ROOT = Path(__file__).parents[3]
# an op log is no part of the bundled captures, nor a process that can be asked or a script to run
NEEDS_MORE = ("code", "capture", "run")
_WRITTEN = (".svg", ".tfprof", ".html")


def test_commands_of_a_group_stand_together_in_the_order_of_groups():
    order = [list(HelpGroup).index(command.group) for command in commands().values()]
    assert order == sorted(order)


def test_a_command_is_in_the_file_of_its_name(tmp_path, monkeypatch):
    """So one is found without loading the others, and no two have one name."""
    (tmp_path / "twice.py").write_text("from tfprof.commands.rules import COMMAND\n")
    monkeypatch.setattr(tfprof.commands, "__path__", [*tfprof.commands.__path__, str(tmp_path)])
    monkeypatch.setattr(registry, "_files", registry._files.__wrapped__)
    with pytest.raises(ValueError, match="the command 'rules' is in the file of 'twice'"):
        commands.__wrapped__()
    sys.modules.pop("tfprof.commands.twice")


def test_what_commands_share_is_no_command():
    assert command_called("steps") is commands()["steps"]
    assert command_called("writing") is None
    assert command_called("no-such") is None


@pytest.mark.parametrize("command", commands().values(), ids=lambda command: command.name)
def test_every_command_says_what_it_answers_and_needs(command):
    assert command.help
    assert command.needs
    assert len(command.help) <= 66
    assert command.example.startswith("tfprof ")


@pytest.mark.parametrize("name", [name for name in commands() if name not in NEEDS_MORE])
def test_the_example_of_a_command_can_be_run_as_it_stands(name, tmp_path):
    if name == "report" and not TEMPLATE.exists():
        pytest.skip("the page is not built")
    _, *words = shlex.split(commands()[name].example)
    words = [str(tmp_path / word) if Path(word).suffix in _WRITTEN else word for word in words]
    places = [str(ROOT / word) if word.startswith("examples") else word for word in words]
    ran = spawn(*places, stdin="exit\n" if name == "shell" else None)
    assert (ran.code, "Traceback" in ran.err) == (0, False)


def test_every_command_that_is_asked_has_a_report():
    for command in commands().values():
        if command.answer is not None:
            assert callable(command.module().view)


def test_every_drawing_has_a_picture():
    drawn = [command for command in commands().values() if command.drawing is not None]
    assert {command.name for command in drawn} == {
        "diff",
        "layers",
        "log",
        "memory",
        "report",
        "scope",
        "steps",
    }
