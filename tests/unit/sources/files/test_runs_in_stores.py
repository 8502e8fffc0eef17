"""A history of runs in stores: the index lies there, or in the cache where nothing is written."""

import csv
import itertools
import json
import os
import shutil
from pathlib import Path

import fsspec
import pytest
from run_cli import run
from web_server import serving

import tfprof
from tfprof import printable
from tfprof.sources.files import opener
from tfprof.sources.files.below import files_listed, listed_file
from tfprof.sources.files.opener import opener_for, spelt
from tfprof.sources.history.index_file import NAME


@pytest.fixture(autouse=True)
def _fresh_stores(tmp_path, monkeypatch):
    """All of this process share one memory: what others left there is not ours."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    _empty()
    yield
    _empty()


def _empty() -> None:
    _forget()
    files = fsspec.filesystem("memory")
    files.store.clear()
    files.pseudo_dirs[:] = [""]


def _forget() -> None:
    """As in another process."""
    for scheme in ("memory", "http"):
        if scheme in opener._OPENERS:
            opener.unplug(scheme)


@pytest.fixture
def runs(samples, tmp_path):
    folder = tmp_path / "runs"
    for name in ("slow_map", "parallel_map"):
        shutil.copytree(samples / "stories" / name, folder / name)
    shutil.copy(samples / "saved" / "v1.tfprof", folder / "old.tfprof")
    return folder


def _in_memory(folder):
    files = fsspec.filesystem("memory")
    for path in folder.rglob("*"):
        if path.is_file():
            files.pipe_file(f"/b/runs/{path.relative_to(folder).as_posix()}", path.read_bytes())
    return "memory://b/runs"


def _data(place, **how):
    _forget()
    return tfprof.log(place, **how).to_dict()["data"]


def _without_paths(data):
    return [{**row, "path": row["path"].rpartition("/")[2]} for row in data["runs"]]


def test_runs_in_a_store_are_those_of_a_disk(runs):
    here = _data(runs, index=False)
    for there in (f"{_in_memory(runs)}", "memory://b/runs/**", "memory://b/**/runs"):
        found = _data(there, index=False)
        assert _without_paths(found) == _without_paths(here)
    assert {row["path"] for row in found["runs"]} == {
        f"memory://b/runs/{name}" for name in ("slow_map", "parallel_map", "old.tfprof")
    }


def _names(place):
    """As people see them: in the first of the tables."""
    _forget()
    lines = tfprof.log(place, index=False).to_csv().splitlines()
    return [row["run"] for row in csv.DictReader(itertools.takewhile(str.strip, lines))]


def test_runs_are_called_as_on_a_disk(runs):
    (runs / "deep").mkdir()
    shutil.copytree(runs / "slow_map", runs / "deep" / "slow_map")
    here = _names(runs)
    assert sorted(here) == ["deep/slow_map", "old.tfprof", "parallel_map", "slow_map"]
    there = _in_memory(runs)
    for place in (there, f"{there}/", f"{there}/**"):
        assert _names(place) == here
    with serving(runs.parent) as server:
        for place in (
            f"{server.address}/runs",
            f"{server.address}/runs/",
            f"{server.address}/runs/**",
        ):
            assert sorted(_names(place)) == sorted(here)


def test_a_folder_of_this_machine_may_be_named_by_its_address(runs):
    done = run("log", f"file://{runs}", "--no-index")
    assert done.out.splitlines()[0] == str(runs)
    assert printable.place(spelt(Path(f"file://{runs}"))) == str(runs)
    assert printable.place(Path("file:///a/b")) == "file:///a/b"
    assert printable.place("file://host/a") == "file://host/a"


def test_the_index_lies_in_the_store(runs):
    there = _in_memory(runs)
    assert _data(there)["index"]["written"] == [f"{there}/{NAME}"]
    again = _data(there)["index"]
    assert again == {"known": 3, "read": 0, "written": []}
    files = fsspec.filesystem("memory")
    files.pipe_file("/b/runs/old.tfprof", (runs / "old.tfprof").read_bytes())  # written again
    assert _data(there)["index"]["read"] == 1


def test_a_damaged_index_in_a_store_is_made_anew(runs):
    there = _in_memory(runs)
    _data(there)
    fsspec.filesystem("memory").pipe_file(f"/b/runs/{NAME}", b"{")
    _forget()
    answer = tfprof.log(there)
    assert answer.warnings[0].startswith(f"{there}/{NAME}: the index is damaged")
    assert _data(there)["index"]["known"] == 3


def test_the_index_of_a_web_server_is_in_the_cache_and_nothing_is_read_again(runs, tmp_path):
    with serving(runs) as server:
        first = _data(server.address)
        assert first["index"]["written"][0].startswith(str(tmp_path / "cache"))
        sent = server.sent
        again = _data(server.address)
        assert (again["index"]["known"], again["runs"]) == (3, first["runs"])
        assert server.sent - sent < 20_000  # pages of links; the runs have 300 KB
    assert not (runs / NAME).exists()


def test_what_opens_doors_is_shown_nowhere(runs, tmp_path):
    """Signature in the address: not in the table, the errors, the index or its name."""
    (runs / "cut.tfprof").write_bytes(b"PK\x03\x04")
    with serving(runs, wanted_query="sig=s3cr3t") as server:
        address = f"{server.address}?sig=s3cr3t"
        for words in ([address], [address, "--json"], [address, f"{server.address}/no?sig=s3cr3t"]):
            _forget()
            ran = run("log", *words)
            assert ran.code == 0
            assert "s3cr3t" not in ran.out + ran.err
        _forget()
        assert run("log", server.address).code == 3
    kept = [path for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert kept
    assert all("s3cr3t" not in path.read_text() + path.name for path in kept)


def test_a_store_lists_what_is_below_in_one_go(runs):
    there = spelt(opener.Path(_in_memory(runs)))
    listing = files_listed(there)
    files, warnings = listing.files, listing.warnings
    names = sorted(path.relative_to(runs).as_posix() for path in runs.rglob("*") if path.is_file())
    assert sorted(one.path.relative_to(there).as_posix() for one in files) == names
    assert warnings == []
    assert all(one.stamp and one.size for one in files)
    assert listed_file(files[0].path) == files[0]


def test_copies_of_packed_files_are_let_go(runs):
    """Each is an open file: of a thousand runs there would be thousands."""
    for path in (runs / "slow_map").rglob("*.pb"):
        import gzip

        path.with_name(path.name + ".gz").write_bytes(gzip.compress(path.read_bytes()))
        path.unlink()
    before = len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    there = _in_memory(runs)
    for place in (runs, there):
        _data(place, index=False)
        assert len(os.listdir("/proc/self/fd")) <= before + 4  # noqa: PTH208
        at = spelt(opener.Path(place))
        # those of a disk are kept for all folders
        kept = getattr(opener_for(at), "_kept", {})
        assert not [path for path in kept if path.is_relative_to(at)]


def test_a_run_of_a_store_that_is_not_there_is_a_row(runs):
    there = _in_memory(runs)
    told = json.loads(run("log", there, "memory://b/none", "--json").out)["data"]["runs"]
    assert [row["why"] for row in told if row["work"] is None] == ["no such file or folder"]
