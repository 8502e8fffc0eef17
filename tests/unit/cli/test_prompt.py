"""The prompt: commands typed or piped in, options that last, errors that do not end it."""

import pytest
from run_cli import spawn

from tfprof.cli.prompt import Prompt, option_block, run_lines
from tfprof.commands.options.inputs import INPUTS
from tfprof.commands.options.view_options import VIEW_OPTIONS
from tfprof.commands.options.which_graph import WHICH_GRAPH
from tfprof.commands.registry import commands
from tfprof.model.options import early
from tfprof.sources.find.load import Request, choose, read


@pytest.fixture
def prompt(samples):
    folder = samples / "resnet32"
    paths = [folder / "graph.pb", folder / "tfprof_log"]
    written = []
    (selection,) = choose(Request(paths)).selections
    return Prompt(read(selection), early(), written.append), written


def test_files_by_kind_and_no_command_open_the_prompt(samples):
    ran = spawn(f"--graph_path={samples / 'resnet32' / 'graph.pb'}", stdin="scope -max_depth 2\n")
    assert ran.code == 0
    assert ran.out.startswith("_TFProfRoot (--/930.58k params)\n")


def test_piped_lines_are_commands_until_exit(prompt):
    asked, written = prompt
    run_lines(asked, ["scope -max_depth 1\n", "exit\n", "op\n"])
    assert written == ["_TFProfRoot (--/930.58k params)\n"]


def test_set_lasts_and_other_options_do_not(prompt):
    asked, written = prompt
    run_lines(asked, ["set -max_depth 1", "scope -max_depth 2", "scope", ""])
    assert written[0].count("\n") == 2
    assert written[1].count("\n") == 1
    assert "-max_depth                  1\n" in written[2]


def test_an_empty_line_shows_the_options(prompt):
    asked, written = prompt
    asked.answer("")
    assert written == [option_block(early())]
    assert written[0].startswith("-max_depth                  4\n-min_bytes                  0\n")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("scop", "Did you mean scope?"),
        ("scope -order_by parms", "Did you mean params?"),
        ("scope -select micro", "Did you mean micros?"),
        ("scope -start_name_regexes (", "invalid regular expression"),
        ("scope -max_depth many", "invalid int value"),
        ("scope 'unclosed", "No closing quotation"),
        ("scope -step 7", "step 7 was not recorded"),
        ("code -output file", "needs a name"),
    ],
)
def test_a_mistake_is_named_and_the_prompt_goes_on(prompt, capsys, line, says):
    asked, written = prompt
    assert asked.answer(line)
    assert says in capsys.readouterr().err
    assert not written


def test_piped_commands_that_fail_end_with_the_code_of_the_first(samples):
    graph = samples / "keras_mlp_fwd.graph.pb"
    ran = spawn("shell", graph, stdin="op -account_type_regexes .*\nsteps\nscop\nop\n")
    assert ran.code == 3  # there is no trace for steps
    assert ran.out.count("node name |") == 2  # what stands behind them is answered
    assert spawn("shell", graph, stdin="op 'unclosed\nsteps\n").code == 2
    assert spawn("shell", graph, stdin="op\nexit\nscop\n").code == 0


def test_a_pattern_that_matches_nothing_is_said_each_time(prompt, capsys):
    asked, _ = prompt
    run_lines(asked, ["scope -account_type_regexes Variabel"] * 2)
    assert capsys.readouterr().err.count("did you mean VariableV2?") == 2


def test_names_may_be_quoted_and_hold_blanks(prompt):
    asked, written = prompt
    asked.answer('scope -show_name_regexes "no such name" -account_displayed_op_only')
    assert written == ["_TFProfRoot (--/0 params)\n"]


def test_output_goes_to_a_file_when_told(prompt, tmp_path):
    asked, written = prompt
    asked.answer(f"scope -max_depth 1 -output file:outfile={tmp_path / 'a.txt'}")
    assert not written
    assert (tmp_path / "a.txt").read_text() == "_TFProfRoot (--/930.58k params)\n"


def test_a_backslash_belongs_to_the_pattern(prompt):
    asked, written = prompt
    run_lines(asked, [r"scope -show_name_regexes pool_\w+/DW -max_depth 3"])
    assert "  pool_logit/DW (64x10, 640/1.28k params)\n" in written[0]


def test_advice_can_be_asked_for(prompt):
    asked, written = prompt
    run_lines(asked, ["advise --all"])
    assert "--ignore" in written[0] or "Nothing to change" in written[0]


def test_the_advice_of_the_original_can_be_asked_for(prompt):
    asked, written = prompt
    run_lines(asked, ["set -compat original", "advise"])
    assert "\nOperationChecker:\n" in written[-1]


def test_a_second_question_does_not_warn_again(samples, capsys):
    written = []
    (selection,) = choose(Request([samples / "keras_mlp_fwd.graph.pb"])).selections
    asked = Prompt(read(selection), early(), written.append)
    run_lines(asked, ["op -select float_ops", "op -select float_ops"])
    assert capsys.readouterr().err.count("have no FLOPs") == 1


@pytest.mark.parametrize("view", ["scope", "op"])
def test_a_trace_without_a_graph_starts_with_its_times_as_the_views_do(samples, view):
    trace = samples / "xplane" / "tiny-pytracer.xplane.pb"
    at_once, asked = spawn(view, trace), spawn("shell", trace, stdin=f"{view}\n")
    assert "MatMul" in at_once.out
    assert asked == at_once


def test_what_is_given_to_the_shell_is_put_over_the_options_of_a_trace(samples):
    trace = samples / "xplane" / "tiny-pytracer.xplane.pb"
    ran = spawn("shell", trace, "-max_depth", 3, stdin="\n")
    assert "-max_depth                  3\n" in ran.out
    assert "-order_by                   micros\n" in ran.out
    assert "-select                     micros\n" in ran.out


def test_a_misspelt_option_of_the_shell_is_said_before_anything_is_read(tmp_path):
    ran = spawn("shell", tmp_path / "nothing", "-order_by", "parms")
    assert (ran.code, "Did you mean params?" in ran.err) == (2, True)


@pytest.mark.parametrize(
    ("line", "shows"),
    [
        ("help scope", ["-max_depth N", "how many levels to show", "-order_by KEY"]),
        ("help set", ["-select LIST", "what to show of each node"]),
        ("help memory", ["--batch N", "the batch size", "--mode train|inference"]),
        ("help advise", ["--ignore RULE", "all findings, not the first five"]),
    ],
)
def test_help_of_a_command_has_a_text_for_every_option(prompt, line, shows):
    asked, written = prompt
    asked.answer(line)
    assert all(text in written[0] for text in shows)
    assert max(map(len, written[0].splitlines())) <= 80


@pytest.mark.parametrize("name", ["layers", "memory", "steps", "timeline", "placement", "op"])
def test_no_option_of_a_command_is_left_out_of_its_help(prompt, name):
    asked, written = prompt
    asked.answer(f"help {name}")
    sections = [one for one in commands()[name].options if one not in (*INPUTS, WHICH_GRAPH)]
    if name == "op":
        sections = [VIEW_OPTIONS]
    for option in (one for section in sections for one in section.options if one.help):
        assert option.name.lstrip("-") in written[0].replace("_", "-")


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("", {"scope", "memory", "exit"}),
        ("sc", {"scope"}),
        ("scope ", {"-max_depth", "-order_by", "--style"}),
        ("scope -ord", {"-order_by"}),
        ("scope -order_by ", {"name", "depth", "params", "micros"}),
        ("scope -order_by=", set()),
        ("scope -select pa", {"params"}),
        ("scope -select params,mic", {"micros"}),
        ("scope -account_type_regexes Vari", {"VariableV2"}),
        ("scope --style ", {"early", "late"}),
        ("scope -account_displayed_op_only ", {"true", "false"}),
        ("scope -max_depth ", set()),
        ("scope -max_depth 3 ", {"-order_by"}),
        ("layers --by ", {"layer", "op", "thread"}),
        ("memory --train ", {"--batch"}),
        ("help sco", {"scope"}),
        ("help scope ", set()),
    ],
)
def test_tab_offers_what_is_due(prompt, line, offers):
    _, found = prompt[0].completion().of(line)
    assert offers <= set(found)
    if not offers:
        assert found == []
    if line.count(" ") and not line.startswith("help"):
        assert not set(found) & {"memory", "steps", "exit"}  # no commands where values are due
