"""What the README and the docs show is what the commands print."""

import contextlib
import gzip
import io
import re
import shlex
import shutil
from pathlib import Path

import pytest

from tfprof.cli.main import main

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
# pages that say so are about the captures in tests/data
ON_SAMPLES = "<!-- run on the samples -->"
_CONSOLE = re.compile(r"```console\n(.*?)```", re.DOTALL)


def _printed(command: str) -> str:
    out = io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        main(shlex.split(command)[1:])
    return out.getvalue()


def _whole_resnet(samples: Path, folder: Path) -> Path:
    """The capture with the values of its checkpoint, which the samples leave out."""
    shutil.copytree(samples / "resnet32", folder / "resnet32")
    packed = ROOT / "tests" / "checkpoints" / "resnet32.data-00000-of-00001.gz"
    shard = folder / "resnet32" / "model.ckpt.data-00000-of-00001"
    shard.write_bytes(gzip.decompress(packed.read_bytes()))
    return folder


def _run_page(text: str) -> str:
    """The page with every console block run anew: each `$ tfprof` line and what it prints."""

    def block(match: re.Match[str]) -> str:
        commands = [line[2:] for line in match[1].splitlines() if line.startswith("$ ")]
        shown = "\n".join(f"$ {command}\n{_printed(command)}" for command in commands)
        return f"```console\n{shown}```"

    return _CONSOLE.sub(block, text)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_console_block_shows_what_its_commands_print(
    page: Path,
    monkeypatch: pytest.MonkeyPatch,
    request: pytest.FixtureRequest,
    samples: Path,
    tmp_path: Path,
) -> None:
    folder = ROOT
    if ON_SAMPLES in page.read_text():
        folder = _whole_resnet(samples, tmp_path)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    text = page.read_text()
    anew = _run_page(text)
    if request.config.getoption("--accept"):
        page.write_text(anew)
    else:
        assert anew == text, "run `make test ARGS=--accept` and read the diff"


def test_the_readme_shows_at_least_one_command() -> None:
    assert _CONSOLE.search((ROOT / "README.md").read_text())
