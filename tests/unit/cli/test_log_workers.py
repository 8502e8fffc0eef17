"""Many runs are read by several processes: the same answer, also where one of them dies."""

import json
import os
import shutil
import signal
from functools import partial
from pathlib import Path

import pytest

from tfprof.api.answer import Answer
from tfprof.commands.history.reading import history_of
from tfprof.reports.log import Query
from tfprof.sources.files import opener
from tfprof.workers.local import LocalWorkers

# a pool starts processes, which load Python anew
pytestmark = pytest.mark.timeout(300)
MANY = 17


@pytest.fixture(scope="module")
def runs(samples, tmp_path_factory):
    """So many that they are not read by this process; some of them not readable."""
    folder = tmp_path_factory.mktemp("history") / "runs"
    stories = ("parallel_map", "bfloat16", "float16")
    for number in range(MANY - 2):
        shutil.copytree(samples / "stories" / stories[number % 3], folder / f"run-{number:02}")
    (folder / "cut.tfprof").write_bytes(b"PK\x03\x04" + b"x" * 40)
    (folder / "bad").mkdir()
    (folder / "bad" / "run.json").write_text('{"schema": "tfprof-run/1", ')
    return folder


def _told(paths, workers=None, **watching):
    found = history_of(paths, Query(), watching.get("progress"), workers, use_index=False)
    return json.dumps(Answer(found).to_dict())


def test_processes_say_the_same_to_the_last_digit(runs, monkeypatch):
    monkeypatch.chdir(runs.parent)
    alone = _told([Path("runs")])
    assert '"path": "runs/run-00"' in alone
    assert _told([Path("runs")], LocalWorkers(2)) == alone
    assert _told([runs], LocalWorkers(2)).replace(str(runs), "runs") == alone


class _Watching:
    """Hears of runs, as the bar of a terminal does."""

    def __init__(self):
        self.heard = []

    def runs(self, count, size):
        self.heard.append((count, size))
        return lambda done, read: self.heard.append((done, read))


def test_who_watches_hears_of_runs_and_of_what_is_to_be_read(runs):
    watching = _Watching()
    _told([runs], LocalWorkers(2), progress=watching)
    (count, size), *heard = watching.heard
    assert [done for done, _ in heard] == [*range(1, MANY + 1)]
    assert (count, size) == heard[-1]
    assert [read for _, read in heard] == sorted(read for _, read in heard)


def _killed_by(name, call, sent):
    if sent.place.path.name == name:
        os.kill(os.getpid(), signal.SIGKILL)
    return call(sent)


class _OneKills(LocalWorkers):
    """Processes that do not survive one of the runs."""

    def each(self, call, items, sizes, heard=None):
        return super().each(partial(_killed_by, "run-04", call), items, sizes, heard)


def test_a_run_that_kills_whoever_reads_it_is_told_and_the_others_answer(runs, tmp_path):
    folder = tmp_path / "runs"
    shutil.copytree(runs, folder)
    found = history_of([folder], Query(), None, _OneKills(2)).data
    rows = {Path(row.path).name: row for row in found.runs}
    assert len(rows) == MANY
    assert (rows["run-04"].unread, rows["run-04"].kind) == (True, "run folder")
    assert "was killed" in rows["run-04"].why
    assert rows["run-04"].when_from == "file"
    assert sum(row.unread for row in rows.values()) == 3
    # nothing says that its files are damaged: the next look tries again
    again = history_of([folder], Query(), None, None).data
    assert (again.index.known, again.index.read) == (MANY - 1, 1)
    assert sum(row.unread for row in again.runs) == 2


def test_a_look_that_is_ended_early_ends_its_processes_and_keeps_what_it_read(runs, tmp_path):
    folder = tmp_path / "runs"
    shutil.copytree(runs, folder)

    class Interrupted(_Watching):
        def runs(self, *_):
            def hear(done, _):
                if done == 6:
                    raise KeyboardInterrupt

            return hear

    with pytest.raises(KeyboardInterrupt):
        history_of([folder], Query(), Interrupted(), LocalWorkers(2))
    again = history_of([folder], Query()).data
    assert again.index.known == 5
    assert again.index.read == MANY - 5


def test_what_only_this_process_can_open_is_read_by_it(runs):
    fsspec = pytest.importorskip("fsspec")
    files = fsspec.filesystem("memory")
    try:
        for path in runs.rglob("*"):
            if path.is_file():
                files.pipe_file(f"/b/runs/{path.relative_to(runs).as_posix()}", path.read_bytes())
        there = json.loads(_told([Path("memory://b/runs")], LocalWorkers(2)))["data"]["runs"]
    finally:
        files.store.clear()
        opener.unplug("memory")
    here = json.loads(_told([runs]))["data"]["runs"]
    steps = {Path(row["path"]).name: row["step_us"] for row in here}
    assert {Path(row["path"]).name: row["step_us"] for row in there} == steps
