"""What the README and the docs show is what the commands print."""

import contextlib
import gzip
import io
import re
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tfprof.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# pages that say so are about the captures in tests/data; their Python is run, too
ON_SAMPLES = "<!-- run on the samples -->"
_PROMPT = "tfprof>"
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)
# a console block, or Python and, in a text block after it, what it prints
_BLOCK = re.compile(r"```(console|python)\n(.*?)```(\n\n```text\n.*?```)?", re.DOTALL)


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
    assert program == "tfprof"
    with monkeypatch.context() as patched:
        patched.setattr(sys, "stdin", _Typed(typed))
        return _printed(lambda: main(words))


def _sessions(block: str) -> list[tuple[str, list[str]]]:
    """Each `$ ` line of a block, and the lines at the prompt after it."""
    found: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif line.startswith(_PROMPT):
            found[-1][1].append(line.removeprefix(_PROMPT).strip())
    return found


def _captures(samples: Path, folder: Path) -> Path:
    """The samples and the example, with the values of a checkpoint, which the samples leave out."""
    shutil.copytree(samples, folder, dirs_exist_ok=True)
    shutil.copytree(ROOT / "examples" / "unet", folder / "unet")
    shutil.copytree(ROOT / "tests" / "logs", folder / "logs")
    packed = ROOT / "tests" / "checkpoints" / "resnet32.data-00000-of-00001.gz"
    shard = folder / "resnet32" / "model.ckpt.data-00000-of-00001"
    shard.write_bytes(gzip.decompress(packed.read_bytes()))
    return folder


def _run_page(page: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """The page with its blocks run anew, in order."""
    text = page.read_text()
    names: dict[str, object] = {"__name__": page.stem}

    def block(match: re.Match[str]) -> str:
        kind, source, printed = match[1], match[2], match[3] or ""
        if kind == "console":
            answers = [(c, _answer(c, typed, monkeypatch)) for c, typed in _sessions(source)]
            shown = "\n".join(f"$ {command}\n{answer}" for command, answer in answers)
            return f"```console\n{shown}```{printed}"
        if ON_SAMPLES in text:
            code = compile(source, str(page), "exec")
            said = _printed(lambda: exec(code, names))  # noqa: S102  (our own page)
            printed = f"\n\n```text\n{said}```" if said else ""
        return f"```python\n{source}```{printed}"

    return _BLOCK.sub(block, text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_shows_what_its_commands_print(
    page: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    samples: Path,
    tmp_path: Path,
) -> None:
    text = page.read_text()
    monkeypatch.chdir(_captures(samples, tmp_path) if ON_SAMPLES in text else ROOT)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    anew = _run_page(page, monkeypatch)
    if request.config.getoption("--accept"):
        page.write_text(anew)
    else:
        assert anew == text, "run `make test ARGS=--accept` and read the diff"


def test_the_readme_shows_at_least_one_command() -> None:
    assert _CONSOLE.search((ROOT / "README.md").read_text())
