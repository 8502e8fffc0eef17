"""Measures what steps of many models hold, for `wild.py` and `optimised.py` to compare with.

    python benchmarks/measure_memory.py [--models wild|blind|unseen|fresh] [--all FOLDER]
        [--only REGEX] [--runs N] [--often]

`wild` are the models that the estimate was mended with, `blind` those that it had not seen then,
`unseen` those that came after the intervals had been calibrated with both, `fresh` those that came
after they had been calibrated anew.
Into FOLDER go `NAME.graph.pb.gz` and `NAME_vars.json`, the step as it was traced, and
`expected.json`: the transient peaks of some runs at batch 1, 8 and 32, `noopt` with Grappler off
and `default` as users run it. `peaks` is the highest running sum of what a full trace says was
allocated and freed, the rule of mem_util; `held` is without the variables that a step replaces.
Models that are in `expected.json` already are left as they are.

With --often, what is in FOLDER is run more often, eight steps in each of three sessions: `again` of
`expected.json` tells how far apart runs of one step are.

Without --all, a few models are measured once more, next to what the repository has of them: to see
whether this machine and this TensorFlow do the same.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import tempfile
from pathlib import Path

import _blind_models
import _fresh_models
import _unseen_models
import _wild_models
from _wild_runs import Result, in_process_of_its_own

TESTS = Path(__file__).parents[1] / "tests"
KNOWN = {
    "wild": TESTS / "wild_measured",
    "blind": TESTS / "wild_blind",
    "unseen": TESTS / "wild_unseen",
    "fresh": TESTS / "wild_fresh",
}
MODELS = {
    "wild": _wild_models.MODELS,
    "blind": _blind_models.MODELS,
    "unseen": _unseen_models.MODELS,
    "fresh": _fresh_models.MODELS,
}
BATCHES = (1, 8, 32)
SESSIONS = 3
FEW = {
    "wild": ("conv_vae", "clipped_mlp", "two_towers"),
    "blind": ("super_resolution", "fast_text", "tf1_word2vec"),
    "unseen": ("codebook", "crossed", "tf1_text_cnn"),
    "fresh": ("gated_columns", "made_weights", "tf1_denoised"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--models", default="wild", choices=tuple(MODELS), help="which of them")
    parser.add_argument("--all", type=Path, metavar="FOLDER", help="every model, into this folder")
    parser.add_argument("--only", default="", metavar="REGEX", help="models whose name has it")
    parser.add_argument("--runs", type=int, default=4, metavar="N", help="steps of each")
    parser.add_argument("--often", action="store_true", help="run what is there more often")
    given = parser.parse_args()
    if given.all is None:
        names = [name for name in FEW[given.models] if re.search(given.only, name)]
        again(KNOWN[given.models], names, given.runs)
    else:
        names = [name for name in MODELS[given.models] if re.search(given.only, name)]
        given.all.mkdir(parents=True, exist_ok=True)
        if given.often:
            more_often(given.all, names)
        else:
            everything(given.all, names, given.runs)


def everything(folder: Path, names: list[str], runs: int) -> None:
    path = folder / "expected.json"
    expected = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    for name in names:
        if name in expected:
            continue
        found = measured(name, folder, runs, BATCHES)
        if found is None:
            continue
        graph = folder / f"{name}.graph.pb"
        packed = gzip.compress(graph.read_bytes(), mtime=0)
        graph.with_name(f"{graph.name}.gz").write_bytes(packed)
        graph.unlink()
        expected[name] = found
        # after each: what was measured stays if the rest is not
        path.write_text(written(expected), encoding="utf-8")


def again(folder: Path, names: list[str], runs: int) -> None:
    known = json.loads((folder / "expected.json").read_text(encoding="utf-8"))
    batch = BATCHES[1]
    print("| model | batch | Grappler | held | before |")
    print("|---|---|---|---|---|")
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as scratch:
        for name in names:
            found = measured(name, Path(scratch), runs, (batch,))
            for form in ("noopt", "default") if found else ():
                now, before = (
                    band(facts["points"][str(batch)][form]["held"])
                    for facts in (found, known[name])
                )
                word = "off" if form == "noopt" else "on"
                print(f"| {name} | {batch} | {word} | {now} | {before} |", flush=True)


def more_often(folder: Path, names: list[str]) -> None:
    path = folder / "expected.json"
    expected = json.loads(path.read_text(encoding="utf-8"))
    for name in (one for one in names if one in expected):
        found = in_process_of_its_own("again", name, folder, SESSIONS, *BATCHES)
        if "failed" in found:
            print(f"  not run: {found['failed']}", file=sys.stderr, flush=True)
            continue
        for batch, point in expected[name]["points"].items():
            point["again"] = found[batch]
        path.write_text(written(expected), encoding="utf-8")


def measured(name: str, folder: Path, runs: int, batches: tuple[int, ...]) -> Result | None:
    print(f"  {name}", file=sys.stderr, flush=True)
    found = in_process_of_its_own("measure", name, folder, runs, *batches)
    if "failed" in found:
        print(f"  not measured: {found['failed']}", file=sys.stderr, flush=True)
        return None
    return found


def band(sizes: list[int]) -> str:
    low, high = min(sizes), max(sizes)
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def written(expected: Result) -> str:
    """A line a model: what changed is seen, and the file is short."""
    lines = [f"{json.dumps(name)}: {json.dumps(facts)}" for name, facts in expected.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    main()
