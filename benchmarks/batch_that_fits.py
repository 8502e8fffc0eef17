"""The batch that is said to be safe, next to the largest that runs in so many bytes.

    python benchmarks/batch_that_fits.py [--all | --quick] [--only REGEX] [--runs N]

Said: `tfprof memory --device-memory BYTES`, from the graph alone. True: the largest batch whose
measured steps stay within the bytes, found by halves; what a step takes is the most that some runs
of it held (Grappler off), its variables and its inputs. A batch that is too large stops the
training, one that is too small wastes the device: safe batches have to fit, all of them, and most
should be four fifths of what is true. Without --all, only of a few small models: all of them take
twenty minutes. --quick runs nothing: what is said of all of them, next to the largest that were
found to run before. What a step of `video` takes depends on the last cache: that of the machine
that measured is told.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from _wild_runs import in_process_of_its_own
from wild import machine

import tfprof

MEASURED = Path(__file__).parents[1] / "tests/wild_measured"
# so that between 8 and 64 samples fit
BUDGETS = {
    "unet_skip": 215_000_000,
    "mobile_se": 175_000_000,
    "gpt_tied": 120_000_000,
    "gru_pooled": 6_500_000,
    "vit": 46_000_000,
    "dense_block": 270_000_000,
    "triplet": 75_000_000,
    "bert_masked": 68_000_000,
    "wavenet": 68_000_000,
    "lstm_language": 17_000_000,
    "tf1_conv_adam": 59_000_000,
    "video": 450_000_000,
}
# the largest that ran when all of them were measured
RAN = {
    "unet_skip": 39,
    "mobile_se": 20,
    "gpt_tied": 29,
    "gru_pooled": 46,
    "vit": 23,
    "dense_block": 49,
    "triplet": 36,
    "bert_masked": 43,
    "wavenet": 19,
    "lstm_language": 31,
    "tf1_conv_adam": 34,
    "video": 9,
}
FEW = ("gru_pooled", "lstm_language", "tf1_conv_adam")
MOST = 96
ENOUGH = 0.8


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--all", action="store_true", help="every model, not a few small ones")
    which.add_argument("--quick", action="store_true", help="run nothing: as measured before")
    parser.add_argument("--only", default="", metavar="REGEX", help="models whose name has it")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="steps at each batch")
    given = parser.parse_args()
    print("| model | bytes | safe | it takes | fits | true maximum | share |")
    print("|---|---|---|---|---|---|---|", flush=True)
    known = json.loads((MEASURED / "expected.json").read_text(encoding="utf-8"))
    asked = BUDGETS if given.all or given.quick or given.only else FEW
    verdicts = [
        verdict
        for name in asked
        if re.search(given.only, name)
        for verdict in judged(name, known[name], 0 if given.quick else given.runs)
    ]
    fit, enough = (sum(one[place] for one in verdicts) for place in (0, 1))
    print(f"\n{fit} of {len(verdicts)} safe batches fit; ", end="")
    print(f"{enough} of {len(verdicts)} are at least {ENOUGH:.0%} of the largest")


def judged(name: str, facts: dict, runs: int) -> Iterator[tuple[bool, bool]]:
    """Prints the row of a model; gives whether the safe batch fits, and whether it is enough."""
    print(f"  {name}", file=sys.stderr, flush=True)
    budget = BUDGETS[name]
    safe = said(name, budget, facts)
    if runs:
        found = in_process_of_its_own("fits", name, MEASURED, runs, budget, MOST, safe)
    else:
        found = {"batch": RAN[name], "taken": None}
    if "failed" in found:
        print(f"| {name} | {budget:,} | {safe} | not measured: {found['failed']} | | | |")
        return
    largest, taken = found["batch"], found["taken"]
    fits = safe <= largest if taken is None else taken <= budget
    share = safe / largest if largest else float("inf")
    print(
        f"| {name} | {budget:,} | {safe} | {'?' if taken is None else f'{taken:,}'} "
        f"| {'yes' if fits else 'NO'} | {largest} | {share:.0%} |",
        flush=True,
    )
    yield fits, fits and share >= ENOUGH


def said(name: str, budget: int, facts: dict) -> int:
    """Of the machine that measures, what a step of the model depends on is told."""
    graph = MEASURED / f"{name}.graph.pb.gz"
    profile = tfprof.load(graph, vars=MEASURED / f"{name}_vars.json")
    answer = profile.memory(device_memory=budget, **machine(facts)).to_dict()
    found: int = answer["data"]["safe_batch"]
    return found


if __name__ == "__main__":
    main()
