"""Step times of real runs, next to what tfprof says of them from captures of other models.

    python benchmarks/calibrated_time.py [--quick] [--seconds S] [--keep FOLDER]

Two models calibrate: their training steps are captured by the profiler of TensorFlow. Then the
training steps of ten others are timed, each at two batch sizes, and predicted from their graphs
alone; none of them is in the captures. Measured is the median of all steps of some seconds. Beside
it stands the device at its best, as `--device cpu:FLOPS,BYTES` has it, with the highest rates that
a family of the captures reached.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from _timed_models import CALIBRATING, PREDICTED

import tfprof

SCRIPT = Path(__file__).with_name("_timed_models.py")
QUICK = ("MLP", "embeddings")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="two small models, to try it out")
    parser.add_argument("--seconds", type=float, default=4.0, metavar="S", help="of each model")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="where graphs and times stay")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="tfprof-bench-") as scratch:
        folder = given.keep or Path(scratch)
        names = QUICK if given.quick else tuple(PREDICTED)
        captures = [captured(name, folder / name) for name in CALIBRATING]
        table(names, captures, folder, given.seconds)


def captured(name: str, folder: Path) -> Path:
    if not (folder / "steps.xplane.pb").exists():
        say(f"capturing {name}")
        in_process_of_its_own("capture", name, CALIBRATING[name].batches[0], 0, folder)
    return folder


def table(names: tuple[str, ...], captures: list[Path], folder: Path, seconds: float) -> None:
    print("| model | batch | measured (fastest) | ours | interval | error | inside | at best |")
    print("|---|---|---|---|---|---|---|---|", flush=True)
    errors, inside, best = [], 0, []
    for name in names:
        for batch in PREDICTED[name].batches:
            mine = folder / f"{name}-{batch}"
            steps = timed(name, batch, seconds, mine)
            took = median(steps)
            ours, low, high = predicted(mine, captures)
            errors.append(ours / took - 1)
            best.append(at_best(mine, captures) / took - 1)
            is_inside = low <= took <= high
            inside += is_inside
            cells = (
                name,
                str(batch),
                f"{took / 1e3:.1f} ms ({min(steps) / 1e3:.1f})",
                f"{ours / 1e3:.1f} ms",
                f"{low / 1e3:.1f} to {high / 1e3:.1f} ms",
                f"{errors[-1]:+.0%}",
                "yes" if is_inside else "no",
                f"{best[-1]:+.0%}",
            )
            print(f"| {' | '.join(cells)} |", flush=True)
    off, other = (median(map(abs, some)) for some in (errors, best))
    print(f"\nMedian error {off:.1%}, inside {inside} of {len(errors)}; at best {other:.1%}.")


def timed(name: str, batch: int, seconds: float, folder: Path) -> list[float]:
    path = folder / "steps_us.json"
    if not path.exists():
        say(f"measuring {name}, batch {batch}")
        found = in_process_of_its_own("measure", name, batch, seconds, folder)
        path.write_text(json.dumps(found["steps_us"]))
    steps: list[float] = json.loads(path.read_text())
    return steps


def predicted(folder: Path, captures: list[Path]) -> tuple[float, float, float]:
    time = asked(folder, calibrate=captures)["estimated_time"]
    return (time["time_us"], *time["time_interval_us"])


def at_best(folder: Path, captures: list[Path]) -> float:
    """With the best rates that any family of the captures has."""
    families = asked(folder, calibrate=captures)["estimated_time"]["calibration"]["families"]
    flops = max(one["flops_per_second"] or 0 for one in families)
    moved = max(one["bytes_per_second"] or 0 for one in families)
    device = f"cpu:{flops / 1e9:.3f}G,{moved / 1e9:.3f}G"
    floor: float = asked(folder, device=device)["estimated_time"]["time_us"]
    return floor


def asked(folder: Path, **options: Any) -> dict[str, Any]:
    profile = tfprof.load(folder / "graph.pb", vars=folder / "vars.json")
    data: dict[str, Any] = profile.layers(by="op", **options).to_dict()["data"]
    return data


def in_process_of_its_own(*arguments: object) -> dict[str, Any]:
    command = [sys.executable, str(SCRIPT), *map(str, arguments)]
    done = subprocess.run(command, env=os.environ, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def say(text: str) -> None:
    print(f"  {text}", file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
