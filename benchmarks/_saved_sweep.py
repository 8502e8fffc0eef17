"""Whether saved profiles answer as the files they come from: every command over all samples.

    python benchmarks/_saved_sweep.py [--samples DIR] [--only TEXT] [--slow SECONDS]

Each sample is saved, then every question is asked of the files and of the `.tfprof`, as JSON, in a
process of its own. What differs is printed; paths do not count. Answers that took more processor
time than SECONDS are listed, too: imports are not in it, they were made before.
"""

from __future__ import annotations

import argparse
import difflib
import json
import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import _answer_runs
import _answer_samples
from _answer_cases import PATIENCE, SHORT_PATIENCE

LINES_SHOWN = 12
# budgets that nothing keeps
BROKEN = ("--max-params", "1", "--max-flops", "1", "--max-peak-memory", "1", "--max-step-time",
          "1us", "--max-input-share", "0%")  # fmt: skip
# a question, and what is asked after the paths
QUESTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    *((name, ()) for name in (
        "summary", "advise", "layers", "memory", "steps", "input", "timeline", "placement",
        "scope", "graph", "op", "code", "doctor",
    )),
    ("layers", ("--by", "op")),
    ("memory", ("--batch", "1,8")),
    ("check", BROKEN),
)  # fmt: skip
# what only the time of is looked at: they write files, or take two
WRITTEN: tuple[tuple[str, ...], ...] = (
    ("save", "{paths}", "-o", "x.tfprof", "--force"),
    ("save", "{paths}", "-o", "x.tfprof", "--confidential", "--force"),
    ("diff", "{paths}", "{saved}"),
    ("layers", "{paths}", "-o", "x.csv"),
    ("layers", "{paths}", "-o", "x.md"),
    ("layers", "{paths}", "-o", "x.parquet"),
    ("layers", "{paths}", "-o", "x.speedscope.json"),
    ("timeline", "{paths}", "-o", "x.trace.json"),
)

Words = list[str]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--samples", type=Path, help="more samples than those of the tests")
    parser.add_argument(
        "--only", default="", metavar="TEXT", help="samples with this in their name"
    )
    parser.add_argument("--written", action="store_true", help="time what writes files, too")
    parser.add_argument("--slow", type=float, default=1.6, metavar="SECONDS")
    given = parser.parse_args()
    _answer_runs._import_all()
    _answer_runs.MOST_KEPT = sys.maxsize
    with tempfile.TemporaryDirectory(prefix="saved-sweep-") as name:
        folder = Path(name)
        samples = _answer_samples.gather(folder, given.samples, large=False)
        chosen = [one for one in samples if _is_asked(one, given.only)]
        found = [_swept(one, folder, given) for one in chosen]
    asked, differing = (sum(column) for column in zip(*found, strict=True))
    print(f"{len(chosen)} samples, {asked} answers of saved profiles: {differing} differ")
    return 1 if differing else 0


def _is_asked(sample: _answer_samples.Sample, only: str) -> bool:
    """The text of a graph says what its binary form does, which is there as well."""
    return only in " ".join(sample.paths) and not sample.paths[0].endswith(".graph.pbtxt")


def _swept(
    sample: _answer_samples.Sample, folder: Path, given: argparse.Namespace
) -> tuple[int, int]:
    """How many questions were asked of the saved profile, and how many were answered otherwise."""
    paths, saved = list(sample.paths), "samples/saved.tfprof"
    (folder / "saved.tfprof").unlink(missing_ok=True)
    patience = SHORT_PATIENCE * 10 if sample.hostile else PATIENCE
    made = _run(["save", *paths, "-o", saved], folder, patience)
    if made["code"] != "0":
        return 0, 0
    masks = _masks(sample, folder)
    differing = 0
    for name, options in QUESTIONS:
        both = [
            _run([name, *where, *options, "--json"], folder, patience) for where in (paths, [saved])
        ]
        before, after = (_told(one, masks) for one in both)
        _slow([name, *paths, *options], both[0], given.slow)
        _slow([name, *paths, *options, "(saved)"], both[1], given.slow)
        if before != after:
            differing += 1
            _print_difference(" ".join([name, *paths, *options]), before, after)
    for words in WRITTEN if given.written else ():
        asked = [part for word in words for part in _filled(word, paths, saved)]
        _slow(asked, _run(asked, folder, patience), given.slow)
    return len(QUESTIONS), differing


def _filled(word: str, paths: list[str], saved: str) -> list[str]:
    return paths if word == "{paths}" else [word.format(saved=saved)]


def _run(words: Words, folder: Path, seconds: int) -> dict[str, Any]:
    case = {
        "name": " ".join(words), "words": words, "stdin": "", "calls": [], "draws": False,
        "seconds": seconds, "environment": {"COLUMNS": "80", "NO_COLOR": "1"},
    }  # fmt: skip
    return _answer_runs._run(case, folder)


def _slow(words: Words, ran: dict[str, Any], limit: float) -> None:
    if ran["seconds"] > limit or ran["code"] == "timeout":
        print(f"slow: {ran['seconds']:.2f} s, exit {ran['code']}: {' '.join(words)}", flush=True)


def _masks(sample: _answer_samples.Sample, folder: Path) -> list[str]:
    """What may be named in an answer, longest first."""
    given = [folder / path.removeprefix("samples/") for path in sample.paths]
    inside = [one for path in given for one in (path, *path.rglob("*"), path.parent)]
    names = {f"samples/{one.relative_to(folder)}" for one in inside if one != folder}
    # inside of the file, a path begins where those of all files differ
    parts = [one.relative_to(folder).parts for one in inside]
    names |= {
        "/".join(("samples/saved.tfprof", *one[at:])) for one in parts for at in range(len(one))
    }
    names |= {name.removesuffix(".index") for name in names} | {"samples/saved.tfprof", "samples"}
    return sorted(names, key=len, reverse=True)


def _told(ran: dict[str, Any], masks: list[str]) -> str:
    """The data and the warnings, or the error, without paths."""
    out = ran["parts"].get("stdout", "")
    try:
        answer = json.loads(out)
    except ValueError:
        text = out + ran["parts"].get("stderr", "")
    else:
        data = answer["data"]
        if isinstance(data, dict) and "found" in data:
            data["found"] = [one for one in data["found"] if one["format"] != "saved profile"]
        text = json.dumps([data, answer["warnings"]], indent=0)
    for place in masks:
        text = text.replace(place, "@")
    return f"{ran['code']}\n{re.sub('@(/@)*', '@', text)}"


def _print_difference(title: str, before: str, after: str) -> None:
    diff = difflib.unified_diff(
        before.split("\n"), after.split("\n"), "files", "saved", lineterm=""
    )
    lines = [line[:200] for line in diff]
    more = [f"   ... {len(lines) - LINES_SHOWN} more lines"] if len(lines) > LINES_SHOWN else []
    print("\n".join([f"\n== {title}", *lines[:LINES_SHOWN], *more]), flush=True)


if __name__ == "__main__":
    sys.exit(main())
