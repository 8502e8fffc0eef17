"""The house rules that a script can see."""

import re
from pathlib import Path

import pytest

from tfprof import errors
from tfprof.sources.files.registry import formats

ROOT = Path(__file__).parents[2]

# the exit codes of the command line; a class below one of these inherits its code
EXIT_CODES = {
    errors.UsageError: 2,
    errors.InputMissing: 3,
    errors.InputUnreadable: 4,
    errors.OutputNotWritable: 5,
    errors.ExtraMissing: 6,
    errors.InternalFault: 70,
    errors.Interrupted: 130,
}


def _errors():
    # tests may define errors of their own
    return [error for error in errors.all_errors() if error.__module__.startswith("tfprof.")]


def _sections():
    """The sections of docs/messages.md by heading."""
    text = (ROOT / "docs/messages.md").read_text(encoding="utf-8")
    _, *parts = re.split(r"^## +", text, flags=re.MULTILINE)
    return {part.partition("\n")[0].strip(): part for part in parts}


def test_slugs_are_unique():
    slugs = [error.slug for error in _errors()]
    assert sorted(slugs) == sorted(set(slugs))
    assert errors.TfprofError.slug not in slugs


def test_messages_has_a_section_for_every_error_and_no_other():
    assert set(_sections()) == {error.slug for error in _errors()}


@pytest.mark.parametrize("error", _errors(), ids=lambda error: error.slug)
def test_section_gives_exit_code_example_and_advice(error):
    section = _sections()[error.slug]
    assert f"Exit code {error.exit_code}." in section
    assert re.search(r"^> \S", section, flags=re.MULTILINE)
    assert "**Try:**" in section


@pytest.mark.parametrize("error", _errors(), ids=lambda error: error.slug)
def test_exit_code_is_the_one_of_its_family(error):
    (family,) = [base for base in EXIT_CODES if issubclass(error, base)]
    assert error.exit_code == EXIT_CODES[family]


def test_exit_code_table_lists_every_code():
    intro = (ROOT / "docs/messages.md").read_text(encoding="utf-8").partition("\n## ")[0]
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", intro, flags=re.MULTILINE)}
    assert listed == {0, 1, *EXIT_CODES.values()}


def test_error_tree_is_drawn_in_full():
    for error in (errors.TfprofError, *_errors()):
        assert re.search(rf"\b{error.__name__}\b", errors.__doc__ or "")


def test_formats_page_has_a_row_for_every_format():
    page = (ROOT / "docs/formats.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| ([^|,]+?)(?:,[^|]*)? \|", page, flags=re.MULTILINE)) - {"format"}
    assert rows == set(formats())


def test_navigation_lists_the_pages_there_are():
    _, _, nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:")
    listed = re.findall(r"[\w/.-]+\.md", nav)
    docs = ROOT / "docs"
    assert sorted(listed) == sorted(p.relative_to(docs).as_posix() for p in docs.rglob("*.md"))
