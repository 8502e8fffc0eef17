"""Large captures are not taken into memory; small ones stand for them here."""

import gzip
import os
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from conftest import TESTS

from tfprof.api.profile import load
from tfprof.errors import FileChanged
from tfprof.sources.files import kept, opener
from tfprof.sources.files.reader import read_or_map
from tfprof.wire import mapped
from tfprof.wire.mapped import Mapped
from tfprof.wire.words import Words

CAPTURE = TESTS / "data" / "tiny.xplane.pb"
RIEGELI = TESTS / "riegeli"
PAGE = 4096


@pytest.fixture
def all_are_large(monkeypatch):
    for module in (kept, opener):
        monkeypatch.setattr(module, "MAPPED_FROM", 1)
    # so that all is let go of again and again
    monkeypatch.setattr(mapped, "_HELD", PAGE)


def _answers(path):
    profile = load(path)
    answers = (profile.steps(), profile.layers(by="op"), profile.summary(), profile.layers())
    return [answer.to_dict() for answer in answers]


def _gzipped(path, folder):
    packed = folder / f"{path.name}.gz"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    return packed


def _cut(path, folder):
    cut = folder / path.name
    cut.write_bytes(path.read_bytes()[:-20])
    return cut


MADE = {
    "plain": lambda _: CAPTURE,
    "packed": lambda folder: _gzipped(CAPTURE, folder),
    "cut": lambda folder: _cut(CAPTURE, folder),
    "records": lambda _: RIEGELI / "plain.xplane.riegeli",
    "packed records": lambda _: RIEGELI / "snappy.xplane.riegeli",
    "records cut": lambda folder: _cut(RIEGELI / "plain.xplane.riegeli", folder),
}


@pytest.mark.parametrize("made", MADE)
def test_a_large_file_answers_as_a_small_one(made, tmp_path, request):
    path = MADE[made](tmp_path)
    in_memory = _answers(path)
    request.getfixturevalue("all_are_large")
    (plane, *_) = load(path).data.trace.space.planes
    assert isinstance(plane.data, Mapped)
    assert _answers(path) == in_memory


@pytest.mark.usefixtures("all_are_large")
def test_a_profile_of_a_large_file_pickles(tmp_path):
    path = Path(shutil.copy(CAPTURE, tmp_path))
    profile = load(path)
    assert pickle.loads(pickle.dumps(profile)).steps().to_dict() == profile.steps().to_dict()
    planes = pickle.loads(pickle.dumps(profile.data.trace.space.planes))
    assert planes[0].data == path.read_bytes()
    assert planes[0].stat_of_names("tf_op").rows.tolist() == []


@pytest.mark.usefixtures("all_are_large")
def test_what_was_passed_over_is_let_go_of(tmp_path):
    path = tmp_path / "large"
    path.write_bytes(os.urandom(1 << 24))
    data = read_or_map(path)
    words = Words(data)
    before = _resident()
    for begin in range(0, len(data) - 8, 1 << 16):
        words.at(np.arange(begin, begin + (1 << 16) - 8, 64))
    assert _resident() - before < len(data) // 2


def _resident():
    """Bytes of files that are in memory for this process."""
    (line,) = (
        text
        for text in Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
        if text.startswith("RssFile")
    )
    return int(line.split()[1]) << 10


SHRINKS = """
import os, sys
from tfprof.errors import FileChanged
from tfprof.api.profile import load
from tfprof.sources.files import kept, opener
kept.MAPPED_FROM = opener.MAPPED_FROM = 1
profile = load(sys.argv[1])
os.truncate(sys.argv[1], 5)
try:
    profile.steps()
    profile.memory()
except FileChanged as fault:
    print(fault)
"""


def test_a_file_that_shrinks_is_an_error_and_no_crash(tmp_path):
    """In a process of its own: the system ends one that reads what is not there."""
    path = Path(shutil.copy(CAPTURE, tmp_path))
    ran = subprocess.run(
        [sys.executable, "-c", SHRINKS, path], capture_output=True, text=True, check=False
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    size = CAPTURE.stat().st_size
    assert f"became shorter while it was read: it has 5 bytes and had {size:,}" in ran.stdout


@pytest.mark.usefixtures("all_are_large")
def test_a_file_that_shrank_is_not_pickled_in_part(tmp_path):
    path = Path(shutil.copy(CAPTURE, tmp_path))
    data = read_or_map(path)
    os.truncate(path, 100)
    with pytest.raises(FileChanged, match="became shorter"):
        pickle.dumps(data)
