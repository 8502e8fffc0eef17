"""`python -m fuzz --minutes 5`: damaged files of every format, every command, until time is up."""

from __future__ import annotations

import argparse
import os
import time

# before numpy: its threads would take address space, which is what is limited
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from fuzz.by_words import keep_parser
from fuzz.corpus import keep
from fuzz.forked import SECONDS
from fuzz.forked_weights import use_forks
from fuzz.minimise import minimised
from fuzz.running import Campaign
from fuzz.targets import targets


def main() -> int:
    parser = argparse.ArgumentParser(prog="fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--seed", default="", help="the same seed tries the same inputs")
    parser.add_argument("--only", action="append", choices=sorted(targets()), metavar="TARGET")
    parser.add_argument("--seconds", type=float, default=SECONDS, help="the most for a question")
    parser.add_argument("--no-save", action="store_true", help="keep no inputs that fail")
    args = parser.parse_args()
    seed = args.seed or str(int(time.time()))
    chosen = [one for name, one in targets().items() if not args.only or name in args.only]
    # for the whole process: a test that runs a campaign would leave them to the others
    use_forks()
    keep_parser()
    campaign = Campaign(seed, chosen, args.seconds)
    began = time.monotonic()
    try:
        campaign.run(began + args.minutes * 60)
    except KeyboardInterrupt:
        print("interrupted")
    _report(campaign, time.monotonic() - began)
    for found in campaign.found.values():
        print(f"\n{found.failure.what}\n{found.case.target} {found.number}: {found.failure.asked}")
        print(found.failure.told)
        if not args.no_save:
            print(f"kept in {keep(minimised(found, seed), found.failure)}")
    return 1 if campaign.found else 0


def _report(campaign: Campaign, seconds: float) -> None:
    print(f"{'target':20} {'inputs':>8} {'questions':>10} {'failures':>9} {'inputs/s':>9}")
    rows = [
        (name, t.inputs, t.asked, t.failures, t.seconds) for name, t in campaign.tallies.items()
    ]
    whole = [sum(row[at] for row in rows) for at in (1, 2, 3)]
    for name, inputs, asked, failures, spent in (*rows, ("all", *whole, seconds)):
        rate = inputs / spent if spent else 0
        print(f"{name:20} {inputs:8,} {asked:10,} {failures:9,} {rate:9.1f}")
    print(
        f"seed {campaign.seed}, {seconds / 60:.1f} minutes, {len(campaign.found)} kinds of failure"
    )


if __name__ == "__main__":
    raise SystemExit(main())
