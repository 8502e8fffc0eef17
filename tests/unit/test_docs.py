"""What the README and the docs show is what the commands print, in a clone of the repository.

Console blocks, `sh` and Python run, page by page, in a folder that looks like a clone after `make
samples`. A block that cannot run says why in a comment before it: `<!-- not run: needs a GPU -->`.
"""

import ast
import contextlib
import io
import re
import shlex
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from unpack_samples import unpack_samples

from tfprof.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "examples/README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# what a block may name: these, and what `make samples` unpacks
CLONE = ("README.md", "docs", "examples", "tests")
NOT_RUN = 15
_PROMPT = "tfprof>"
_MARK = r"<!-- not run: (?P<why>[^\n]+) -->\n\n"
# a block, and, in a text block after it, what Python prints
_BLOCK = re.compile(
    rf"(?P<mark>{_MARK})?^```(?P<kind>\w*)\n(?P<source>.*?)^```(?P<printed>\n\n```text\n.*?^```)?",
    re.DOTALL | re.MULTILINE,
)
_QUOTED = re.compile(r"^echo \$\?$|'[^']*'|\"[^\"]*\"")


class _Typed:
    """Lines for the prompt in place of stdin; the screen shows each one, as a terminal would."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines

    def isatty(self) -> bool:
        return False

    def __iter__(self) -> Iterator[str]:
        for line in self._lines:
            sys.stdout.write(f"{_PROMPT} {line}".rstrip() + "\n")
            yield line


def _printed(act: Callable[[], object]) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        act()
    return out.getvalue()


def _answer(command: str, typed: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """What `tfprof ...` or `cat FILE` prints, with what is typed at the prompt it may open."""
    program, *words = shlex.split(command)
    if program == "cat":
        return "".join(Path(word).read_text() for word in words)
    if command == "echo $?":
        return f"{_ENDED[-1]}\n"
    assert program == "tfprof"
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdin", _Typed(typed))
        return _printed(lambda: _ENDED.append(main(words)))


# the exit codes so far
_ENDED: list[int] = []


def _sessions(block: str) -> list[tuple[str, list[str]]]:
    """Each `$ ` line of a block, and the lines at the prompt after it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith(_PROMPT):
            found[-1][1].append(line.removeprefix(_PROMPT).strip())
    return found


def _run_python(source: str, page: Path, names: dict[str, object]) -> str:
    """What it prints. A value in a comment behind an expression is what the expression gives."""
    comments = dict(enumerate((line.partition("  # ")[2] for line in source.splitlines()), 1))

    def run() -> None:
        for statement in ast.parse(source).body:
            said = comments[statement.end_lineno or 0]
            if isinstance(statement, ast.Expr) and re.match(r"[\d({\[]", said):
                code = compile(ast.Expression(statement.value), str(page), "eval")
                assert str(eval(code, names)) == said, ast.unparse(statement)  # noqa: S307
            else:
                code = compile(ast.Module([statement], []), str(page), "exec")
                exec(code, names)  # noqa: S102  (our own page)

    return _printed(run)


def _run_lines(source: str) -> None:
    """Commands whose answers are not shown: each works, and what sets things up is there."""
    for line in source.splitlines():
        program, *words = shlex.split(line, comments=True)
        if program == "make":
            assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        elif program == "tfprof":
            said: list[int] = []
            answer = _printed(lambda: said.append(main(words)))  # noqa: B023  (called at once)
            assert said == [0], answer
        else:
            assert [program, *words[:1]] == ["pip", "install"]


def _run_page(page: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page with its blocks run anew, in order."""
    names: dict[str, object] = {"__name__": page.stem}

    def block(match: re.Match[str]) -> str:
        kind, source, printed = match["kind"], match["source"], match["printed"] or ""
        if kind == "sh" and not match["mark"]:
            _run_lines(source)
        if match["mark"] or kind not in ("console", "python"):
            return match[0]
        if kind == "console":
            answers = [(c, _answer(c, typed, monkeypatch)) for c, typed in _sessions(source)]
            shown = "\n".join(f"$ {command}\n{answer}" for command, answer in answers)
            return f"```console\n{shown}```{printed}"
        said = _run_python(source, page, names)
        shown = f"\n\n```text\n{said}```" if said else ""
        return f"```python\n{source}```{shown}"

    return _BLOCK.sub(block, page.read_text())


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("unpacked") / "samples"
    unpack_samples(folder)
    return folder


@pytest.fixture
def clone(unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory, as after `make samples`; what a page writes stays in it."""
    for name in CLONE:
        (tmp_path / name).symlink_to(ROOT / name)
    (tmp_path / "samples").symlink_to(unpacked)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return tmp_path


def _named(page: Path) -> str:
    return str(page.relative_to(ROOT))


@pytest.mark.usefixtures("clone")
@pytest.mark.parametrize("page", PAGES, ids=_named)
def test_every_block_shows_what_its_commands_print(
    page: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    anew = _run_page(page, monkeypatch)
    if request.config.getoption("--accept"):
        page.write_text(anew)
    else:
        assert anew == page.read_text(), "run `make test ARGS=--accept` and read the diff"


@pytest.mark.parametrize("page", PAGES, ids=_named)
def test_commands_stand_in_blocks_that_run(page: Path) -> None:
    """Else nobody notices when they stop working."""
    for block in _BLOCK.finditer(page.read_text()):
        if block["mark"] is None and block["kind"] not in ("console", "sh", "python"):
            lines = block["source"].splitlines()
            assert [line for line in lines if line.startswith(("$ ", "tfprof "))] == []
    outside = _BLOCK.sub("", page.read_text())
    assert re.findall(r"^    (?:\$ )?tfprof .*", outside, re.MULTILINE) == []


def test_blocks_that_are_not_run_are_counted() -> None:
    marked = [m["why"] for page in PAGES for m in _BLOCK.finditer(page.read_text()) if m["mark"]]
    assert len(marked) == NOT_RUN, marked


@pytest.mark.parametrize("page", PAGES, ids=_named)
def test_a_shell_hands_every_word_over_as_it_is_written(page: Path) -> None:
    """An unquoted `.*` is the files of the folder that begin with a dot."""
    for block in _BLOCK.finditer(page.read_text()):
        if block["kind"] == "console":
            for command, _ in [] if block["mark"] else _sessions(block["source"]):
                assert not re.search(r"[*?\[\]~;&|<>(){}]", _QUOTED.sub("", command)), command


@pytest.mark.parametrize("page", PAGES, ids=_named)
def test_a_page_about_samples_says_how_to_get_them(page: Path) -> None:
    text = page.read_text()
    assert "samples/" not in text or "`make samples`" in text
