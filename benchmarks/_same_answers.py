"""Whether two commits give the same answers, byte for byte.

    python benchmarks/_same_answers.py BASE [HEAD] [--samples DIR] [--only SUBSTRING]

HEAD is the working tree unless it is given. All commands are run over all samples, in all formats,
and asked in Python, too: what is printed, written and returned is compared. To be run before and
after something is moved that must not change what anybody sees.

Results of a commit are kept, so that BASE is run once. A commit compared with itself is run anew
as HEAD: that finds what is not the same from run to run.
"""

from __future__ import annotations

import argparse
import difflib
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import _answer_cases
import _answer_samples
from _answer_samples import ROOT

HERE = Path(__file__).parent
WORKING_TREE = "working tree"
LINES_SHOWN = 12
# part of a case's name: why it differs from run to run
UNSTABLE: dict[str, str] = {}

Results = dict[str, dict[str, Any]]


def main() -> int:
    args = _arguments()
    args.cache.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="same-answers-") as name:
        folder = Path(name)
        samples = _answer_samples.gather(folder / "samples", args.samples, large=args.large)
        cases = _answer_cases.all_cases(samples)
        cases = [case for case in cases if args.only in case["name"]]
        print(f"{len(samples)} samples, {len(cases)} cases")
        base = _commit(args.base)
        head = _commit(args.head) if args.head else WORKING_TREE
        before = _results(base, cases, folder, args)
        after = _results(head, cases, folder, args, fresh=head in (base, WORKING_TREE))
    differing = _report(cases, before, after)
    print(f"{len(cases)} cases: {differing} differ")
    return 1 if differing else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("base", metavar="BASE", help="a commit")
    parser.add_argument("head", metavar="HEAD", nargs="?", help="another; else the working tree")
    parser.add_argument("--samples", type=Path, help="more samples (default: ../shared/samples)")
    parser.add_argument("--only", default="", metavar="TEXT", help="cases with this in their name")
    parser.add_argument("--large", action="store_true", help="samples of more than 60 MB, too")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="processes (default: 2)")
    cache = Path.home() / ".cache/tfprof-same-answers"
    parser.add_argument("--cache", type=Path, default=cache, help=f"results (default: {cache})")
    args = parser.parse_args()
    if args.samples is None:
        shared = ROOT.parent / "shared/samples"
        args.samples = shared if shared.is_dir() else None
    return args


def _commit(name: str) -> str:
    words = ["git", "-C", str(ROOT), "rev-parse", "--verify", f"{name}^{{commit}}"]
    return subprocess.run(words, check=True, capture_output=True, text=True).stdout.strip()


def _results(
    commit: str,
    cases: list[_answer_cases.Case],
    folder: Path,
    args: argparse.Namespace,
    *,
    fresh: bool = False,
) -> Results:
    """By case; those that are known are not run again."""
    kept = Path(tempfile.mkdtemp(dir=folder)) if fresh else args.cache / _key(commit, folder)
    kept.mkdir(exist_ok=True)
    known = _read(kept)
    missing = [case for case in cases if case["name"] not in known]
    print(f"{commit[:12]}: {len(cases) - len(missing)} cases are known, {len(missing)} to run")
    if missing:
        started = time.monotonic()
        sources = Path(tempfile.mkdtemp(dir=folder))
        _put_sources(commit, sources)
        _run(missing, sources, folder / "samples", kept, args.jobs)
        found = _read(kept)
        spent = sum(found[case["name"]]["seconds"] for case in missing)
        took = time.monotonic() - started
        print(f"   took {took:.0f} s, {spent:.0f} s of processor time")
        return found
    return known


def _key(commit: str, folder: Path) -> str:
    """What results depend on: the commit, the samples, how cases are run and with what Python."""
    scripts = [(HERE / name).read_text() for name in ("_answer_cases.py", "_answer_runs.py")]
    given = [_answer_samples.digest(folder / "samples"), sys.version, sys.prefix, *scripts]
    return f"{commit[:12]}-{hashlib.sha256(''.join(given).encode()).hexdigest()[:12]}"


def _put_sources(commit: str, target: Path) -> None:
    if commit == WORKING_TREE:  # a copy, so that it may be edited meanwhile
        shutil.copytree(ROOT / "src", target / "src")
        return
    words = ["git", "-C", str(ROOT), "archive", commit, "src"]
    packed = subprocess.run(words, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(target, filter="data")


def _run(
    cases: list[_answer_cases.Case], sources: Path, samples: Path, results: Path, jobs: int
) -> None:
    environment = {
        "PATH": os.environ["PATH"], "PYTHONPATH": str(sources / "src"), "COLUMNS": "80",
        "NO_COLOR": "1", "TZ": "UTC", "LC_ALL": "C.UTF-8", "OPENBLAS_NUM_THREADS": "1",
    }  # fmt: skip
    processes = []
    for worker in range(jobs):
        share = results / f"cases-{worker}.json"
        share.write_text(json.dumps(cases[worker::jobs]))
        script = str(HERE / "_answer_runs.py")
        words = [script, samples, share, results / f"results-{worker}.jsonl"]
        processes.append(subprocess.Popen([sys.executable, *map(str, words)], env=environment))
    try:
        failed = [process.wait() for process in processes]
    finally:
        for process in processes:
            process.kill()
    if any(failed):
        sys.exit("the cases could not be run")


def _read(folder: Path) -> Results:
    found = {}
    for path in sorted(folder.glob("results-*.jsonl")):
        with path.open() as file:
            for line in file:
                if line.endswith("\n"):  # else somebody was interrupted
                    result = json.loads(line)
                    found[result["case"]] = result
    return found


def _report(cases: list[_answer_cases.Case], before: Results, after: Results) -> int:
    """Prints what differs; how many cases do."""
    timeouts = [case["name"] for case in cases if before[case["name"]]["code"] == "timeout"]
    if timeouts:
        print(f"{len(timeouts)} cases take too long before, only that is compared:")
        print("\n".join(f"   {name}" for name in timeouts))
    differing = 0
    for case in cases:
        name = case["name"]
        lines = list(_differences(before[name], after[name]))
        reason = next((why for part, why in UNSTABLE.items() if part in name), None)
        if lines and reason is None:
            differing += 1
            print("\n".join([f"\n== {name}", *lines]))
    return differing


def _differences(before: dict[str, Any], after: dict[str, Any]) -> Iterator[str]:
    if before["code"] != after["code"]:
        yield f"exit code {before['code']}, now {after['code']}"
    for part in {**before["parts"], **after["parts"]}:
        old, new = (result["parts"].get(part, "") for result in (before, after))
        if old == new:
            continue
        yield f"-- {part}"
        diff = difflib.unified_diff(old.split("\n"), new.split("\n"), "before", "now", lineterm="")
        lines = [line[:200] for line in diff]
        yield from lines[:LINES_SHOWN]
        if len(lines) > LINES_SHOWN:
            yield f"   ... {len(lines) - LINES_SHOWN} more lines"


if __name__ == "__main__":
    sys.exit(main())
