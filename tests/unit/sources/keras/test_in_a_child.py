"""The child is a new process: it neither hangs beside our threads nor takes us with it."""

import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import h5py
import numpy as np
import pytest

from tfprof.errors import CorruptFile
from tfprof.sources.files.stretch import Stretch
from tfprof.sources.keras import in_a_child as child
from tfprof.sources.keras.in_a_child import in_a_child
from tfprof.sources.keras.weights import read_weights


@pytest.fixture
def module(tmp_path, monkeypatch):
    """A module with some work, where only our own sys.path leads."""

    def made(work: str) -> str:
        text = f"import os, sys, time\ndef work(given):\n    {work}\n"
        (tmp_path / "made_work.py").write_text(text)
        monkeypatch.syspath_prepend(str(tmp_path))
        return "made_work"

    return made


@pytest.fixture
def stdin():
    with tempfile.TemporaryFile() as held:
        yield held


def test_gives_back_what_comes_out(module, stdin):
    stdin.write(b"hello")
    stdin.seek(0)
    name = module("return {'got': given['x'] + 1, 'said': sys.stdin.buffer.read().decode()}")
    assert in_a_child(name, {"x": 1}, stdin, "f.h5") == {"got": 2, "said": "hello"}


def test_a_crash_is_a_damaged_file(module, stdin):
    with pytest.raises(CorruptFile, match="crashed") as caught:
        in_a_child(module("os.abort()"), {}, stdin, "f.h5")
    assert caught.value.where == "f.h5"


def test_an_exception_is_told(module, stdin):
    with pytest.raises(CorruptFile, match="ZeroDivisionError"):
        in_a_child(module("return 1 / 0"), {}, stdin, "f.h5")


def test_one_that_hangs_is_ended(module, monkeypatch, stdin):
    monkeypatch.setattr(child, "_LONGEST_WAIT", 1)
    began = time.monotonic()
    with pytest.raises(CorruptFile, match="does not come to an end"):
        in_a_child(module("time.sleep(60)"), {}, stdin, "f.h5")
    assert time.monotonic() - began < 30


def test_one_that_works_for_ever_is_ended(module, stdin):
    soon = "import resource; resource.setrlimit(resource.RLIMIT_CPU, (1, 2))"
    with pytest.raises(CorruptFile, match="does not come to an end"):
        in_a_child(module(f"{soon}\n    while True: pass"), {}, stdin, "f.h5")


def test_its_time_and_memory_are_limited(module, stdin):
    asked = "(resource.RLIMIT_CPU, resource.RLIMIT_AS)"
    name = module(f"import resource; return {{'is': [resource.getrlimit(x) for x in {asked}]}}")
    assert in_a_child(name, {}, stdin, "f.h5") == {"is": [[15, 16], [2 << 30, 2 << 30]]}


def test_what_others_print_is_no_answer(module, stdin):
    name = module("print('warning', file=sys.stderr); return {'fine': True}")
    assert in_a_child(name, {}, stdin, "f.h5") == {"fine": True}


def test_hdf5_is_read_while_another_thread_is_inside_its_library(tmp_path):
    """A fork would wait for the lock of a thread that it does not have, for ever."""
    path = tmp_path / "model.weights.h5"
    with h5py.File(path, "w") as file:
        file["layers/dense/vars/0"] = np.zeros((3, 4), np.float32)
    held, done = threading.Event(), threading.Event()

    def inside() -> None:
        with h5py._objects.phil:
            held.set()
            done.wait(100)

    with ThreadPoolExecutor(2) as threads:
        threads.submit(inside)
        assert held.wait(10)
        reading = threads.submit(read_weights, Stretch(path), str(path))
        try:
            found = reading.result(timeout=60)
        finally:
            done.set()
    assert found.layers == {"dense": [("0", (3, 4), 1)]}
