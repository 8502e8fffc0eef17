"""Inputs until the time is up, the same time for each target, in workers that may die."""

from __future__ import annotations

import shutil
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path

from fuzz.asking import Failure, ask_all
from fuzz.cases import Case, case_of, chance_of
from fuzz.forked import SECONDS, Worker, start_clock
from fuzz.targets import Target

# a worker is replaced then: what it keeps in caches is not the fault of an input
_INPUTS_OF_A_WORKER = 1500
# shared memory where there is one: many small files are written
_SHARED = Path("/dev/shm")  # noqa: S108


@dataclass
class Tally:
    """What became of the inputs of one target."""

    inputs: int = 0
    asked: int = 0
    failures: int = 0
    seconds: float = 0.0


@dataclass(frozen=True)
class Found:
    """An input that fails, the first of its kind."""

    case: Case
    failure: Failure
    number: int


@dataclass
class Campaign:
    """One run; inputs are numbered from 0 for each target."""

    seed: str
    targets: list[Target]
    limit: float = SECONDS  # for one question
    tallies: dict[str, Tally] = field(default_factory=dict)
    found: dict[str, Found] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.tallies = {one.name: Tally() for one in self.targets}

    def run(self, until: float) -> None:
        folder = scratch_folder()
        try:
            self._warm(folder)
            while time.monotonic() < until:
                self._one_worker(folder, until)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _warm(self, folder: Path) -> None:
        """Whole files, here: what is imported for them, no worker has to import again."""
        for target in self.targets:
            for number in range(2):
                seed = Case(target.name, target.seed(chance_of(self.seed, "", number)))
                ask_about(seed, folder, "", self.limit)

    def _one_worker(self, folder: Path, until: float) -> None:
        worker = Worker(_work, (self, folder, until))
        target, number = self.targets[0], 0
        try:
            while True:
                said = worker.message(1)
                if isinstance(said, tuple):  # it begins with an input
                    target, number = self._named(said[0]), said[1]
                elif said is not None:
                    self._take(target, number, *said)
        except EOFError:
            how = worker.ended()
            if how:  # it did not live to tell
                self._take(target, number, 0, 0.0, [Failure("", f"{how}: {target.name}", how)])
        except BaseException:
            worker.stop()
            raise

    def _named(self, name: str) -> Target:
        return next(one for one in self.targets if one.name == name)

    def _take(
        self, target: Target, number: int, asked: int, seconds: float, failures: list[Failure]
    ) -> None:
        tally = self.tallies[target.name]
        tally.inputs += 1
        tally.asked += asked
        tally.seconds += seconds
        tally.failures += len(failures)
        for failure in failures:
            if failure.what not in self.found:
                case = case_of(self.seed, target, number)
                self.found[failure.what] = Found(case, failure, number)


def scratch_folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="tfprof-fuzz-", dir=_SHARED if _SHARED.is_dir() else None))


def _work(told: Connection, campaign: Campaign, folder: Path, until: float) -> None:
    """In the worker: the target that had the least time is next."""
    tallies = campaign.tallies
    for _ in range(_INPUTS_OF_A_WORKER):
        if time.monotonic() > until:
            return
        target = min(campaign.targets, key=lambda one: tallies[one.name].seconds)
        tally = tallies[target.name]
        told.send((target.name, tally.inputs))
        began = time.monotonic()
        asked, failures = ask_about(
            case_of(campaign.seed, target, tally.inputs), folder,
            f"{campaign.seed} {tally.inputs}", campaign.limit,
        )  # fmt: skip
        seconds = time.monotonic() - began
        tally.inputs += 1
        tally.seconds += seconds
        told.send([asked, seconds, failures])


def ask_about(
    case: Case, folder: Path, seed: str, limit: float = SECONDS
) -> tuple[int, list[Failure]]:
    """How many questions, and what went wrong. The clock starts anew for each of them."""
    path = case.write(folder / "input")
    asked, failures = 0, []
    start_clock(limit)
    for failure in ask_all(path, chance_of(seed, case.target, 0)):
        start_clock(limit)
        asked += 1
        if failure is not None:
            failures.append(failure)
    start_clock(0)
    return asked, failures
