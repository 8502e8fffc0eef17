"""Where runs lie, by the names of files: folders, patterns, and what tells that one changed."""

import os
from pathlib import Path

import pytest

from tfprof.sources.find.globs import Pattern, lies_in_match
from tfprof.sources.find.run_places import find_places

FILES = (
    "a/run.json", "a/rank-0/run.json", "a/rank-0/plugins/profile/1/vm.xplane.pb",
    "b/rank-0/run.json", "b/rank-0/graph.pb",
    "exp/deep/c/run.json",
    "tb/train/plugins/profile/1/vm.xplane.pb", "tb/train/plugins/profile/2/vm.xplane.pb",
    "tb/train/events.out.tfevents.1",
    "one.tfprof", "saved/two.tfprof", "saved/three.tfprof", ".hidden/run.json", "notes.txt",
)  # fmt: skip


@pytest.fixture
def runs(tmp_path):
    for name in FILES:
        path = tmp_path / "runs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(name)
    return tmp_path / "runs"


def _keys(*words):
    return sorted(one.key for one in find_places([Path(word) for word in words]).places)


def test_a_folder_is_taken_apart_into_places(runs):
    places = ["a", "b", "exp/deep/c", "one.tfprof", "saved/three.tfprof", "saved/two.tfprof", "tb"]
    assert _keys(runs) == sorted([*places, "."])
    assert _keys(f"{runs}/**") == sorted([*places, "."])


@pytest.mark.parametrize(("pattern", "found"), [
    ("*", ["a", "b", "exp/deep/c", "notes.txt", "one.tfprof", "saved/three.tfprof",
           "saved/two.tfprof", "tb"]),
    ("[ab]", ["a", "b"]),
    ("?", ["a", "b"]),
    ("**/*.tfprof", ["one.tfprof", "saved/three.tfprof", "saved/two.tfprof"]),
    ("saved/t*", ["three.tfprof", "two.tfprof"]),
    ("**/deep", ["exp/deep/c"]),
    ("e*/**", ["exp/deep/c"]),
    ("**/c", ["exp/deep/c"]),
])  # fmt: skip
def test_patterns(runs, pattern, found):
    assert _keys(runs / pattern) == found


def test_a_name_with_a_bracket_is_no_pattern_if_it_is_there(runs):
    (runs / "x[1].tfprof").write_text("")
    assert _keys(runs / "x[1].tfprof") == ["x[1].tfprof"]


def test_the_index_of_a_run_lies_beside_it(runs):
    homes = [
        {one.home for one in find_places([word]).places}
        for word in (runs, runs / "a", runs / "*", runs / "**", runs / "one.tfprof")
    ]
    assert homes == [{runs}] * 5


def test_each_place_is_there_once(runs):
    assert _keys(runs / "a", runs / "[a]", runs) == _keys(runs)


def test_what_is_not_there_is_told_and_the_rest_is_found(runs):
    found = find_places([runs / "a", runs / "nowhere", runs / "x*"])
    assert [one.path.name for one in found.places] == ["a"]
    assert [str(one.fault) for one in found.missing] == [
        f"{runs}/nowhere: no such file or folder",
        f"{runs}/x*: nothing is called so",
    ]


def _stamps(runs):
    return {one.key: one.stamp for one in find_places([runs]).places}


@pytest.mark.parametrize("change", [
    lambda path: path.write_text("longer than before"),
    lambda path: os.utime(path, ns=(1, 1)),
    lambda path: path.unlink(),
    lambda path: path.rename(path.with_name("graph2.pb")),
    lambda path: path.with_name("more").write_text(""),
])  # fmt: skip
def test_a_place_has_another_stamp_when_one_of_its_files_is_another(runs, change):
    before = _stamps(runs)
    change(runs / "b/rank-0/graph.pb")
    after = _stamps(runs)
    assert [key for key in before if before[key] != after[key]] == ["b"]


def test_a_pipe_is_never_the_same(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (place,) = find_places([tmp_path / "pipe"]).places
    assert place.stamp == ""


def test_links_that_lead_in_circles_end(runs):
    (runs / "a" / "up").symlink_to(runs)
    (runs / "gone").symlink_to("nowhere")
    assert "a" in _keys(runs)


def test_a_long_pattern_is_quick():
    pattern = Pattern(Path(), ("**", "a*b", "**", "a*b", "**", "x"))
    assert not lies_in_match(pattern, ("aab",) * 2000)


def _many(folder, count, name="x.pb"):
    for number in range(count):
        (folder / f"run-{number:03}").mkdir(parents=True)
        (folder / f"run-{number:03}" / name).write_bytes(b"\x0a\x02\x0a\x00")


def test_only_so_many_files_are_looked_at_and_it_is_said(tmp_path):
    _many(tmp_path, 12)
    found = find_places([tmp_path], most_files=10)
    assert [one.path.name for one in found.places] == [f"run-{number:03}" for number in range(10)]
    assert "holds over 10 files" in found.warnings[0]
    assert "--most-files" in found.warnings[0]
    # what was not looked at may still be there: an index keeps it
    assert found.whole == ()
    every = find_places([tmp_path], most_files=12)
    assert (len(every.places), every.warnings, every.whole) == (12, (), (tmp_path,))


def test_what_can_never_be_a_run_is_passed_over(tmp_path):
    _many(tmp_path, 3, "sample.PNG")
    _many(tmp_path / "kept", 1)
    assert [one.path.name for one in find_places([tmp_path]).places] == ["run-000"]
    named = find_places([tmp_path / "run-001" / "sample.PNG"])
    assert [one.path.name for one in named.places] == ["sample.PNG"]


def test_where_no_run_is_among_the_first_files_more_can_be_asked_for(tmp_path):
    _many(tmp_path, 3, "sample.png")
    (missing,) = find_places([tmp_path], most_files=2).missing
    assert "among the first 2 files" in missing.fault.what
    assert "--most-files" in missing.fault.hint
