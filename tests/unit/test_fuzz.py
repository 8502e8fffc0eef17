"""The harness itself: it knows every format, and what it looks for it finds."""

import json
import os
import random
import signal
import time
from dataclasses import asdict

import pytest
from fuzz import by_words, forked_weights, giving, minimise, output_rules, running
from fuzz.asking import Failure, TooSlow, ask_again, ask_all
from fuzz.cases import Case, case_of, codec_of
from fuzz.corpus import case_in, keep, kept, question_in
from fuzz.minimise import failures_of, minimised
from fuzz.running import Campaign, Found
from fuzz.targets import INDEX, REPLY, targets

from tfprof.commands.registry import commands
from tfprof.sources.files.probe import Probe
from tfprof.sources.files.registry import formats
from tfprof.sources.files.stretch import Stretch
from tfprof.sources.find.recognise import best_format
from tfprof.sources.keras import weights

TARGETS = sorted(targets())


def test_every_format_is_tried():
    tried = {name for one in targets().values() for name in one.formats}
    assert tried == set(formats())


@pytest.mark.parametrize("name", TARGETS)
def test_a_seed_is_a_file_of_its_format_and_is_so_still_when_put_together_again(name, tmp_path):
    """Damage to what was broken before tries nothing."""
    if name.startswith("HDF5"):
        pytest.importorskip("h5py")
    seeds = targets()[name].seed(random.Random(3))  # noqa: S311
    for file, data in seeds.items():
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        before = best_format(Probe.of_file(path))
        codec = codec_of(name, file)
        path.write_bytes(codec.build(codec.parse(data)))
        assert best_format(Probe.of_file(path)) is before
        assert before is not None or file.endswith((".gz", REPLY, INDEX))


def test_the_same_number_is_the_same_input():
    one, again = (case_of("s", targets()["run"], 7) for _ in range(2))
    assert one == again
    assert one != case_of("s", targets()["run"], 8)


def test_every_command_that_reads_files_is_asked(tmp_path):
    case = Case("graph", {"graph.pb": targets()["graph"].seed(random.Random(1))["graph.pb"]})  # noqa: S311
    asked = []
    path = case.write(tmp_path / "input")
    for number in range(200):
        chance = random.Random(number)  # noqa: S311
        if chance.random() < 0.03:  # the whole way, from words
            names = [failure for failure in ask_all(path, random.Random(number))]  # noqa: C416, S311
            assert names == [None] * len(names)
            asked.append(len(names))
            break
    others = ("formats", "rules", "explain", "capture")
    reading = [one for one in commands().values() if one.report not in others]
    assert asked
    assert asked[0] >= len(reading)


def _broken(kind):
    """A command that fails in one of the ways that are looked for.

    Of a signal that Python writes no report about.
    """

    def ask(_data, _query):
        if kind == "exception":
            raise KeyError("x")
        if kind == "crash":
            os.kill(os.getpid(), signal.SIGKILL)
        if kind == "memory":
            return bytearray(3_000_000_000)
        while True:
            pass

    return ask


@pytest.mark.parametrize(
    ("kind", "told"),
    [
        ("exception", "KeyError in layers"),
        ("crash", "killed by SIGKILL: graph"),
        ("memory", "MemoryError in layers"),
        ("time", "TooSlow in layers"),
    ],
)
def test_what_goes_wrong_is_found(kind, told, monkeypatch):
    from tfprof.reports import layers

    monkeypatch.setattr(layers, "ask", _broken(kind))
    monkeypatch.setattr(running, "SECONDS", 1)
    case = Case("graph", targets()["graph"].seed(random.Random(1)))  # noqa: S311
    found = {one.what for one in failures_of(case, "s", limit=1)}
    assert told in found
    # other commands that ask this one fail in the same way
    assert {one.partition(" in ")[0] for one in found} == {told.partition(" in ")[0]}


def test_a_case_is_made_smaller_as_long_as_it_fails(monkeypatch):
    """Here a graph fails that has a MatMul."""
    from tfprof.reports import layers

    real = layers.ask

    def ask(data, query):
        if "MatMul" in data.graph.ops.counts():
            raise KeyError("x")
        return real(data, query)

    monkeypatch.setattr(layers, "ask", ask)
    monkeypatch.setattr(minimise, "_SECONDS", 60)
    case = Case("graph", targets()["graph"].seed(random.Random(1)))  # noqa: S311
    failure, *_ = failures_of(case, "s 0")
    small = minimised(Found(case, failure, 0), "s")
    assert failure.what in {one.what for one in failures_of(small, "s 0")}
    assert len(small.files["graph.pb"]) < len(case.files["graph.pb"]) / 4


def test_a_campaign_counts_and_goes_on_after_a_crash(monkeypatch):
    from tfprof.reports import layers

    def ask(*_):
        os.kill(os.getpid(), signal.SIGKILL)

    campaign = Campaign("s", [targets()["made graph"]])
    monkeypatch.setattr(Campaign, "_warm", lambda *_: None)
    monkeypatch.setattr(layers, "ask", ask)
    campaign.run(time.monotonic() + 3)
    tally = campaign.tallies["made graph"]
    assert tally.inputs >= tally.failures > 1
    assert list(campaign.found) == ["killed by SIGKILL: made graph"]


def test_a_found_case_is_kept_once_and_read_again(tmp_path, monkeypatch):
    from fuzz import corpus

    monkeypatch.setattr(corpus, "FOUND", tmp_path)
    case = Case("run", {"graph.pb": b"1", "a/run_meta": b"2"})
    failure = Failure("memory", "KeyError in a.py:b", "", {"swap": "true"})
    folder = keep(case, failure)
    assert keep(Case("run", {"x": b"3"}), failure) == folder
    assert kept() == [folder]
    assert case_in(folder).files == case.files
    assert question_in(folder) == ("memory", {"swap": "true"})


def test_the_question_that_failed_is_asked_again_with_its_options(tmp_path, monkeypatch):
    from tfprof.reports import memory

    heard = []
    real = memory.ask
    monkeypatch.setattr(
        memory, "ask", lambda data, query, *more: heard.append(query) or real(data, query, *more)
    )
    path = Case("graph", targets()["graph"].seed(random.Random(1))).write(tmp_path / "input")  # noqa: S311
    assert [one for one in ask_again(path, "memory", {"batch": "3"}) if one] == []
    assert heard
    assert "3" in repr(heard[0])


def test_words_that_failed_are_said_again(tmp_path):
    path = Case("graph", targets()["graph"].seed(random.Random(1))).write(tmp_path / "input")  # noqa: S311
    for way in sorted(set(giving.WAYS)):
        call = by_words.Call(("layers", "--json"), way)
        assert list(ask_again(path, call.asked, json.loads(json.dumps(asdict(call))))) == [None]


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("a\x1b[2J", "txt"),
        ("\u202ea", "md"),
        ("[NaN]", "json"),
        ("a,=1+1\n", "csv"),
        ("<svg>", "svg"),
    ],
)
def test_output_that_may_not_be_is_found(text, form):
    with pytest.raises((output_rules.BadOutput, SyntaxError)):
        output_rules.check(text, form)
    output_rules.check("-1,'=1+1,a b\n", "csv")


def test_an_input_that_is_written_over_is_found(tmp_path, monkeypatch):
    path = tmp_path / "graph.pb"
    path.write_bytes(b"x")
    monkeypatch.setattr(by_words.cli, "main", lambda _: path.write_bytes(b"y") and 0)
    with pytest.raises(output_rules.BadOutput, match="written over"):
        by_words.run(by_words.Call(("op",)), path)


def test_weights_read_in_a_fork_are_the_same(monkeypatch, tmp_path):
    pytest.importorskip("h5py")
    path = Case("HDF5", targets()["HDF5"].seed(random.Random(1))).write(tmp_path / "input")  # noqa: S311
    usual = weights.read_weights(Stretch(path), "x")
    monkeypatch.setattr(weights, "in_a_child", weights.in_a_child)
    forked_weights.use_forks()
    assert weights.read_weights(Stretch(path), "x") == usual


def test_time_is_up_is_no_answer():
    """Nothing that catches exceptions may catch it."""
    assert not issubclass(TooSlow, Exception)


def test_a_reply_of_a_server_goes_the_way_of_a_capture(tmp_path):
    (seed, *_) = [targets()["reply"].seed(random.Random(number)) for number in range(9)]  # noqa: S311
    path = Case("reply", seed).write(tmp_path / "input")
    assert [*ask_again(path, "reply", {})] == [None]
