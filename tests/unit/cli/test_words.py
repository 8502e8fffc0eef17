"""The words of a call: commands, options in every spelling, hints for what is nearly right."""

import pytest
from run_cli import run, spawn

import tfprof
from tfprof.cli.main import build_parser
from tfprof.commands.registry import commands


@pytest.mark.parametrize(
    ("words", "meant"),
    [
        (["sumary"], "tfprof summary"),
        (["doktor", "x"], "tfprof doctor"),
        (["format"], "tfprof formats"),
        (["Summary"], "tfprof summary"),
        (["memroy", "x.pb"], "tfprof memory"),
    ],
)
def test_a_command_that_is_nearly_right_is_suggested(words, meant):
    ran = run(*words)
    assert ran.code == 2
    assert f"Did you mean `{meant}`?" in ran.err


@pytest.mark.parametrize("words", [["quux", "a.pb", "b.pb"], ["quux"]], ids=str)
def test_a_word_like_no_command_is_one_that_is_not_known(words):
    ran = run(*words)
    assert ran.code == 2
    assert f"no command and no file is called '{words[0]}'" in ran.err
    assert "`tfprof" in ran.err


@pytest.mark.parametrize("word", ["./sumary", "runs/1", "sumary.pb", "../advise"])
def test_a_word_with_a_slash_or_a_dot_is_a_path(word):
    ran = run(word)
    assert ran.code == 3
    assert "no such file or folder" in ran.err


def test_a_checkpoint_is_named_by_what_its_files_share(samples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("model.ckpt.index", "model.ckpt.data-00000-of-00001"):
        (tmp_path / name.replace("model.ckpt", "model")).symlink_to(samples / "resnet32" / name)
    assert run("model").code != 2


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("--grpah_path=x", "--graph-path"),
        ("-graph_pth", "--graph-path"),
        ("--jsn", "--json"),
        ("--run_metapath", "--run-meta-path"),
        ("--forse", "--force"),
    ],
)
@pytest.mark.parametrize("command", ["summary", "doctor"])
def test_an_option_that_is_nearly_right_is_suggested(command, word, meant, unet):
    ran = run(command, unet, word)
    assert ran.code == 2
    assert f"Did you mean {meant}?" in ran.err


def test_an_option_like_no_other_gets_the_list():
    ran = run("summary", "x", "--quux")
    assert ran.code == 2
    assert "--quux" in ran.err
    assert "--help" in ran.err


def test_an_option_is_not_guessed_from_its_beginning(unet):
    assert run("summary", "--graph", unet / "graph.pb").code == 2


SPELLINGS = [
    ["-graph_path", "G"],
    ["-graph_path=G"],
    ["--graph_path", "G"],
    ["--graph_path=G"],
    ["--graph-path", "G"],
    ["--graph-path=G"],
    ["-graph-path", "G"],
]
PLACES = {
    "after the command": lambda flags: ["summary", *flags],
    "before the command": lambda flags: [*flags, "summary"],
    "around the command": lambda flags: ["--json", "summary", *flags],
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("spelling", SPELLINGS, ids=" ".join)
def test_every_spelling_in_every_place_means_the_same(unet, spelling, place):
    graph = str(unet / "graph.pb")
    words = PLACES[place]([word.replace("G", graph) for word in spelling])
    expected = run("summary", *(["--json"] if "--json" in words else []), graph)
    assert expected.code == 0
    assert run(*words) == expected


def test_all_the_originals_flags_are_taken(samples):
    folder = samples / "resnet32"
    flags = [
        f"--graph_path={folder / 'graph.pb'}",
        f"--run_meta_path={folder / 'run_meta'},{folder / 'run_meta'}",
        f"--op_log_path={folder / 'tfprof_log'}",
        f"--checkpoint_path={folder / 'model.ckpt'}",
    ]
    ran = run("summary", *flags)
    assert ran.code == 0
    assert "464,154 trainable" in ran.out
    assert "2 steps" in ran.out


def test_the_originals_profile_flag_is_taken(unet_profile):
    ran = run("summary", f"--profile_path={unet_profile}")
    assert ran.code == 0
    assert "31,030,658 trainable" in ran.out


def test_a_variable_table_goes_with_a_graph(samples):
    ran = run(samples / "keras_mlp_train.graph.pb", "--vars", samples / "keras_mlp_train_vars.json")
    assert ran.code == 0
    assert "407,050 trainable" in ran.out


def test_a_file_called_like_a_command_can_be_read(samples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "doctor").write_bytes((samples / "keras_mlp_fwd.graph.pb").read_bytes())
    for words in (["./doctor"], ["summary", "doctor"], ["summary", "--graph_path", "doctor"]):
        ran = run(*words)
        assert ran.code == 0, words
        assert "407,050" in ran.out


def test_paths_after_two_dashes_are_paths(samples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "--json").write_bytes((samples / "keras_mlp_fwd.graph.pb").read_bytes())
    ran = run("summary", "--", "--json")
    assert ran.code == 0
    assert "407,050" in ran.out


def test_paths_and_options_may_alternate(unet):
    graph, trace = unet / "graph.pb", unet / "run_meta"
    expected = run("summary", graph, trace, "--json")
    assert expected.code == 0
    assert run("summary", graph, "--json", trace) == expected
    assert run(graph, "--json", trace) == expected
    late = ["--style", "late", "-account_displayed_op_only", "false"]
    assert run("scope", graph, *late, trace) == run("scope", graph, trace, *late)
    assert run("scope", graph, *late, trace).code == 0


def test_paths_with_blanks_and_letters_of_any_alphabet_are_fine(samples, tmp_path):
    path = tmp_path / "mein modell ä 模型.pb"
    path.write_bytes((samples / "keras_mlp_fwd.graph.pb").read_bytes())
    ran = run(path)
    assert ran.code == 0
    assert "407,050" in ran.out


def test_without_words_there_are_hints():
    ran = run()
    assert ran.code == 0
    assert ran.err == ""
    for hint in ("tfprof examples/unet", "tfprof doctor", "--json", "tfprof --help"):
        assert hint in ran.out


def test_version_is_the_packages():
    ran = spawn("--version")
    assert (ran.code, ran.out, ran.err) == (0, f"tfprof {tfprof.__version__}\n", "")


def test_version_is_that_of_the_project_file():
    import tomllib
    from pathlib import Path

    project = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))
    assert project["project"]["version"] == tfprof.__version__


def test_help_lists_every_command_and_every_command_has_help():
    ran = spawn("--help")
    assert (ran.code, ran.err) == (0, "")
    for name, command in commands().items():
        assert name in ran.out
        assert command.help in " ".join(ran.out.split())
        page = spawn(name, "--help")
        assert (page.code, page.err) == (0, "")
        # there is no JSON of a picture, nor of a script for a shell
        assert ("--json" in page.out) == (name not in ("completion", "draw"))


@pytest.mark.parametrize("words", [["-help"], ["-h"], ["doctor", "-help"]])
def test_help_is_found_in_every_spelling(words):
    ran = spawn(*words)
    assert (ran.code, ran.err) == (0, "")
    assert "usage: tfprof" in ran.out


def test_every_option_has_a_help_text():
    parser, _ = build_parser()
    (subparsers,) = [a for a in parser._actions if a.dest == "command"]
    for sub in subparsers.choices.values():
        assert all(action.help for action in sub._actions)
