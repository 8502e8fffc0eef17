"""Saved profiles: what is in them, how they are found, and what becomes of damaged ones."""

import io
import json
import pickle
import random
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest
from run_cli import run
from saved_answers import save

import tfprof
from tfprof.errors import FileChanged, NotReadYet, UsageError, ValuesNotSaved
from tfprof.model.profile import ProfileData

_TESTS = Path(__file__).parents[2]
_UNET = _TESTS.parent / "examples/unet"
_FIRST = _TESTS / "data/saved/v1.tfprof"


@pytest.fixture(scope="module")
def unet(tmp_path_factory):
    target = tmp_path_factory.mktemp("saved") / "unet.tfprof"
    save([_UNET], target)
    return target


def _members(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def _written(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return path


def _with_manifest(path, unet, change):
    members = _members(unet)
    manifest = json.loads(members["tfprof.json"])
    change(manifest)
    return _written(path, {**members, "tfprof.json": json.dumps(manifest)})


def test_members_are_the_files(unet):
    members = _members(unet)
    assert [*members] == ["tfprof.json", "files/0/graph.pb", "files/1/run_meta"]
    assert members["files/0/graph.pb"] == (_UNET / "graph.pb").read_bytes()


def test_the_same_files_make_the_same_bytes(unet, tmp_path):
    save([_UNET], tmp_path / "again.tfprof")
    assert (tmp_path / "again.tfprof").read_bytes() == unet.read_bytes()


def test_known_by_its_bytes(unet, tmp_path):
    other = tmp_path / "anything.bin"
    other.write_bytes(unet.read_bytes())
    ran = run("op", other, "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["inputs"][0]["path"] == f"{other}/graph.pb"


def test_paths_inside_can_be_named(unet):
    ran = run("summary", unet / "graph.pb", "--json")
    assert json.loads(ran.out)["inputs"] == [{"path": f"{unet}/graph.pb", "format": "GraphDef"}]
    assert run("summary", unet / "nothing.pb").code == 3


def test_through_a_pipe(unet):
    import subprocess

    from run_cli import command, environment

    done = subprocess.run(
        command("doctor", "-", "--json"), input=unet.read_bytes(), capture_output=True,
        env=environment(), check=True,
    )  # fmt: skip
    assert [one["used"] for one in json.loads(done.stdout)["data"]["found"]] == [True] * 3


def test_beside_other_files(unet, tmp_path):
    save([_UNET / "graph.pb"], tmp_path / "graph.tfprof")
    ran = run("steps", tmp_path / "graph.tfprof", _UNET / "run_meta", "--json")
    assert ran.code == 0
    assert run("summary", unet, _UNET / "graph.pb").code == 4  # two graphs


def test_in_a_folder_each_is_a_run(unet, tmp_path):
    for name in ("a", "b"):
        (tmp_path / f"{name}.tfprof").write_bytes(unet.read_bytes())
    listed = json.loads(run("summary", tmp_path, "--json").out)["data"]["models"]
    assert [Path(one["name"]).name for one in listed] == ["a.tfprof", "b.tfprof"]
    picked = json.loads(run("summary", tmp_path, "--run", "b.tfprof", "--json").out)
    assert picked["inputs"][0]["path"] == f"{tmp_path}/b.tfprof/graph.pb"


def test_a_copy_does_not_change_what_a_folder_is(unet, tmp_path):
    for name in ("graph.pb", "run_meta"):
        (tmp_path / name).write_bytes((_UNET / name).read_bytes())
    (tmp_path / "then.tfprof").write_bytes(unet.read_bytes())
    told = json.loads(run("doctor", tmp_path, "--json").out)["data"]["found"]
    used = {Path(one["path"]).name: one["used"] for one in told}
    assert used == {"graph.pb": True, "run_meta": True, "then.tfprof": False}


def test_a_damaged_one_in_a_folder_stops_no_other(unet, tmp_path):
    (tmp_path / "good.tfprof").write_bytes(unet.read_bytes())
    (tmp_path / "cut.tfprof").write_bytes(unet.read_bytes()[:-100])
    ran = run("summary", tmp_path, "--json")
    assert ran.code == 0
    assert "cut.tfprof" in ran.out


def test_pickles_as_its_path(unet, tmp_path, monkeypatch):
    own = tmp_path / "own.tfprof"
    own.write_bytes(unet.read_bytes())
    monkeypatch.chdir(tmp_path)
    packed = pickle.dumps(tfprof.load("own.tfprof").data)
    assert len(packed) < 10_000
    monkeypatch.chdir("/")
    assert len(pickle.loads(packed).graph) == len(tfprof.load(unet).data.graph)
    own.write_bytes(unet.read_bytes() + b"\0")
    with pytest.raises(FileChanged):
        _ = pickle.loads(packed).graph


def test_python_saves_and_loads(tmp_path):
    profile = tfprof.load(_UNET)
    target = profile.save(tmp_path / "x.tfprof")
    assert tfprof.load(target).op().to_dict()["data"] == profile.op().to_dict()["data"]
    with pytest.raises(tfprof.errors.OutputExists):
        profile.save(target)
    again = tfprof.load(target).save(tmp_path / "y.tfprof")
    assert _members(again)["files/0/graph.pb"] == (_UNET / "graph.pb").read_bytes()


def test_what_is_in_no_file_is_not_saved(tmp_path):
    profile = tfprof.load(_UNET)
    changed = tfprof.api.profile.Profile(replace(profile.data, graph=None))
    with pytest.raises(UsageError, match="was changed"):
        changed.save(tmp_path / "x.tfprof")
    made = tfprof.api.profile.Profile(ProfileData("made"))
    with pytest.raises(UsageError, match="comes from objects"):
        made.save(tmp_path / "x.tfprof")


def test_never_over_an_input(unet):
    before = unet.read_bytes()
    ran = run("save", unet, "-o", unet, "--force")
    assert ran.code == 5
    assert "never written over" in ran.err
    assert unet.read_bytes() == before


def test_words_of_the_command(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    made = run("save", _UNET, "--json")
    assert json.loads(made.out)["data"]["written"] == ["unet.tfprof"]
    assert run("save", _UNET).code == 5
    assert run("save", _UNET, "--force").code == 0
    assert run("save", _UNET, "-o", "x.zip").code == 2
    assert run("summary", _UNET, "-o", "x.tfprof").code == 2
    assert [one.name for one in tmp_path.iterdir()] == ["unet.tfprof"]


def test_first_version_is_read():
    """Written by the version that first had the format; every later one reads it."""
    ran = run("summary", _FIRST, "--json")
    assert ran.code == 0
    told = json.loads(ran.out)
    assert [one["format"] for one in told["inputs"]] == [
        "GraphDef",
        "RunMetadata",
        "variable table",
        "saved profile",
    ]
    assert told["data"]["params"]["trainable"] == 407_050
    assert run("steps", _FIRST).code == 0


def test_a_newer_one_says_so(unet, tmp_path):
    newer = _with_manifest(tmp_path / "x.tfprof", unet, lambda m: m.update(version=2))
    ran = run("summary", newer)
    assert ran.code == 4
    assert "format 2, and this version reads up to 1" in ran.err
    with pytest.raises(NotReadYet):
        tfprof.load(newer)


_LIES = {
    "no title": lambda m: m.pop("title"),
    "no files": lambda m: m.update(files=[]),
    "files are none": lambda m: m.update(files="graph.pb"),
    "an odd format": lambda m: m["files"][0].update(format="nothing known"),
    "itself": lambda m: m["files"][0].update(format="saved profile"),
    "an odd role": lambda m: m["files"][0].update(role="boss"),
    "outside": lambda m: m["files"][0].update(name="../../etc/passwd"),
    "half a character": lambda m: m["files"][0].update(name="a\ud800.pb"),
    "no character": lambda m: m["files"][0].update(name="a\0.pb"),
    "a long name": lambda m: m["files"][0].update(name="a/" * 5000 + "b"),
    "absolute": lambda m: m["files"][0].update(name="/etc/passwd"),
    "no member": lambda m: m["files"][0].update(member="files/9/x"),
    "another size": lambda m: m["files"][0].update(size=10**15),
    "a negative size": lambda m: m["files"][0].update(size=-1),
    "a stretch": lambda m: m["files"][0].update(kept=[[5, 1]]),
    "the same name": lambda m: m["files"][1].update(name="graph.pb"),
    "another kind": lambda m: m["files"][0].update(format="checkpoint"),
    "version is a truth": lambda m: m.update(version=True),
}


@pytest.mark.parametrize("lie", _LIES)
def test_lies_are_refused(lie, unet, tmp_path):
    ran = run("summary", _with_manifest(tmp_path / "x.tfprof", unet, _LIES[lie]))
    assert ran.code == 4, ran.err


def test_a_bomb_is_refused(unet, tmp_path):
    members = _members(unet)
    bomb = _written(tmp_path / "bomb.tfprof", {**members, "files/2/zeros": bytes(1 << 26)})
    ran = run("summary", bomb)
    assert ran.code == 4
    assert "refused" in ran.err


def test_members_over_each_other_are_refused(unet, tmp_path):
    """The way to a bomb without packing well: every member is the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, data in _members(unet).items():
            archive.writestr(zipfile.ZipInfo(name), data)
        last = archive.infolist()[-1]
        for number in range(9):
            again = zipfile.ZipInfo(f"files/{number + 5}/again")
            again.header_offset, again.CRC = last.header_offset, last.CRC
            again.compress_size, again.file_size = last.compress_size, last.file_size
            archive.filelist.append(again)
    bad = tmp_path / "over.tfprof"
    bad.write_bytes(out.getvalue())
    assert run("summary", bad).code == 4


def test_empty_and_foreign(tmp_path):
    (tmp_path / "empty.tfprof").write_bytes(b"")
    (tmp_path / "text.tfprof").write_text("hello\n")
    _written(tmp_path / "zip.tfprof", {"a.txt": b"hello"})
    _written(tmp_path / "bare.tfprof", {"tfprof.json": b"{}"})
    for path in sorted(tmp_path.iterdir()):
        assert run("summary", path).code == 4, path


def test_damage_anywhere_is_told_or_harmless(unet, tmp_path):
    """Exit 4 with where; or the answer, where nobody reads the bytes that were changed."""
    whole, chance = unet.read_bytes(), random.Random(7)  # noqa: S311
    right = run("op", unet, "--json").out
    bad = tmp_path / unet.name
    codes = []
    for _ in range(40):
        data = bytearray(whole)
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        bad.write_bytes(data)
        ran = run("op", bad, "--json")
        codes.append(ran.code)
        assert ran.code in (0, 4), ran.err
        if ran.code == 0:
            assert ran.out.replace(str(bad), str(unet)) == right
    assert codes.count(4) > 30
    for size in range(0, len(whole), len(whole) // 20):
        bad.write_bytes(whole[:size])
        assert run("op", bad).code == 4


def test_an_input_that_shrinks_leaves_nothing(tmp_path):
    graph = tmp_path / "graph.pb"
    graph.write_bytes((_UNET / "graph.pb").read_bytes())
    profile = tfprof.load(graph)
    graph.write_bytes(b"\n\0")
    with pytest.raises(FileChanged):
        profile.save(tmp_path / "x.tfprof")
    assert [one.name for one in tmp_path.iterdir()] == ["graph.pb"]


@pytest.fixture(scope="module")
def with_weights():
    """A SavedModel of TensorFlow 2: the names of its variables stand among their values."""
    return _TESTS / "models/tagger_saved_model"


def _told(ran, path):
    return json.loads(ran.out.replace(str(path), "@"))["data"]


def test_values_only_where_they_are_asked_for(with_weights, tmp_path):
    before = run("summary", with_weights, "--json")
    target = tmp_path / "model.tfprof"
    save([with_weights], target)
    shards = [data for name, data in _members(target).items() if ".data-" in name]
    whole = next(with_weights.glob("variables/*.data-*")).read_bytes()
    assert len(shards) == 1
    assert len(shards[0]) < len(whole) / 2
    after = run("summary", target, "--json")
    assert _told(after, target) == _told(before, with_weights)
    asked = run("summary", target, "--stats")
    assert asked.code == 3
    assert "saved without the values" in asked.err
    assert "tfprof save --values" in asked.err
    assert "saved without values" in run("doctor", target).out


def test_values_where_they_are(with_weights, tmp_path):
    target = tmp_path / "model.tfprof"
    save([with_weights], target, values=True)
    before, after = (run("summary", path, "--stats", "--json") for path in (with_weights, target))
    assert _told(after, target) == _told(before, with_weights)
    checkpoint = tfprof.load(target).checkpoint
    tensor = next(one for one in checkpoint.tensors.values() if one.is_plain)
    assert checkpoint.values(tensor).shape == tensor.shape


def test_values_that_are_missing_are_an_error_in_python(with_weights, tmp_path):
    save([with_weights], tmp_path / "model.tfprof")
    checkpoint = tfprof.load(tmp_path / "model.tfprof").checkpoint
    tensor = next(one for one in checkpoint.tensors.values() if one.is_plain)
    with pytest.raises(ValuesNotSaved):
        checkpoint.values(tensor)


def test_weights_in_the_same_file_are_told(tmp_path):
    ran = run("save", _TESTS / "models/residual.keras", "-o", tmp_path / "x.tfprof")
    assert "are saved with it" in ran.err
