"""Files of stores are read as those of a disk: in memory, and on a web server of our own."""

import json
from pathlib import Path

import fsspec
import pytest
from run_cli import run
from web_server import serving

import tfprof
from tfprof.errors import PathNotFound, StoreNotReached
from tfprof.sources.files import opener
from tfprof.sources.files.opener import is_remote, opener_for


@pytest.fixture(autouse=True)
def _fresh_stores():
    """What a store has told is remembered as long as a process lives: a command is one."""
    yield
    for scheme in ("memory", "http"):
        if scheme in opener._OPENERS:
            opener.unplug(scheme)
    fsspec.filesystem("memory").store.clear()


def _in_memory(folder: Path, place: str) -> str:
    files = fsspec.filesystem("memory")
    for path in folder.rglob("*"):
        if path.is_file():
            files.pipe_file(f"/{place}/{path.relative_to(folder).as_posix()}", path.read_bytes())
    return f"memory://{place}"


def _numbers(path: str | Path) -> dict[str, object]:
    data = tfprof.load(path).summary().to_dict()["data"]
    data.get("checkpoint", {}).pop("path", None)
    return data


def test_a_folder_in_a_store_answers_like_one_on_a_disk(samples):
    here = samples / "resnet32"
    there = _in_memory(here, "runs/resnet32")
    assert _numbers(there) == _numbers(here)


def test_a_checkpoint_is_named_by_the_beginning_of_its_files(samples):
    there = _in_memory(samples / "resnet32", "run")
    index = next(path for path in (samples / "resnet32").iterdir() if path.suffix == ".index")
    prefix = index.name.removesuffix(".index")
    assert tfprof.load(f"{there}/{prefix}").data.checkpoint is not None


def test_paths_have_both_slashes_where_they_are_shown(samples):
    there = _in_memory(samples / "resnet32", "run")
    answer = tfprof.load(there).summary()
    assert str(answer).startswith("memory://run")
    assert all(one["path"].startswith("memory://run/") for one in answer.to_dict()["inputs"])
    with pytest.raises(PathNotFound, match=r"memory://run/grpah\.pb"):
        tfprof.load(f"{there}/grpah.pb")


@pytest.mark.parametrize("parts", [True, False])
def test_a_web_server_is_read_with_and_without_parts(samples, parts):
    with serving(samples / "resnet32", parts=parts) as server:
        assert _numbers(f"{server.address}/graph.pb") == _numbers(samples / "resnet32" / "graph.pb")


def test_a_page_of_links_is_a_folder(samples):
    with serving(samples) as server:
        assert _numbers(f"{server.address}/resnet32") == _numbers(samples / "resnet32")


def test_packed_files_are_unpacked(samples, tmp_path):
    import gzip

    packed = gzip.compress((samples / "resnet32" / "graph.pb").read_bytes())
    (tmp_path / "graph.pb.gz").write_bytes(packed)
    with serving(tmp_path) as server:
        here = _numbers(samples / "resnet32" / "graph.pb")
        assert _numbers(f"{server.address}/graph.pb.gz") == here
    assert _numbers(f"{_in_memory(tmp_path, 'packed')}/graph.pb.gz") == here


def test_nobody_answers():
    with pytest.raises(StoreNotReached, match=r"http://127\.0\.0\.1:9/graph\.pb") as told:
        tfprof.load("http://127.0.0.1:9/graph.pb")
    assert told.value.exit_code == 3


def test_a_signature_is_shown_nowhere(samples, tmp_path):
    query = "X-Amz-Signature=5ecret&X-Amz-Credential=who"
    with serving(samples / "resnet32", wanted_query=query) as server:
        good = f"{server.address}/graph.pb?{query}"
        for words in ([good], [good, "--json"], ["doctor", good], [f"{good}0"], ["steps", good]):
            done = run(*words)
            assert "5ecret" not in done.out + done.err
        target = tmp_path / "kept.tfprof"
        assert run("save", good, "-o", target).code == 0
        assert b"5ecret" not in target.read_bytes()
        assert "5ecret" not in run("doctor", target).out


def test_user_and_password_are_shown_nowhere():
    done = run("http://me:pa55@127.0.0.1:9/graph.pb")
    assert done.code == 3
    assert "pa55" not in done.err
    assert "http://127.0.0.1:9/graph.pb" in done.err


def test_answers_are_written_there(samples):
    there = _in_memory(samples / "resnet32", "run")
    profile = tfprof.load(there)
    from tfprof.commands.writing import write_file
    from tfprof.errors import OutputExists

    target = Path("memory://out/summary.json")
    write_file(target, profile.summary().to_json(), force=False)
    data = json.loads(fsspec.filesystem("memory").cat_file("/out/summary.json"))
    assert data["command"] == "summary"
    with pytest.raises(OutputExists):
        write_file(target, b"again", force=False)
    write_file(target, b"again", force=True)
    assert fsspec.filesystem("memory").cat_file("/out/summary.json") == b"again"


def test_a_folder_may_be_called_like_a_store(samples, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    place = tmp_path / "s3:" / "run"
    place.mkdir(parents=True)
    (place / "graph.pb").write_bytes((samples / "resnet32" / "graph.pb").read_bytes())
    assert not is_remote(Path("s3:/run/graph.pb"))
    assert tfprof.load("s3:/run/graph.pb").data.graph is not None


def test_what_is_no_store_is_a_path():
    assert not is_remote(Path("unknown:/graph.pb"))
    assert opener_for(Path("a:b.pb")) is opener_for(Path("graph.pb"))


def test_of_a_large_checkpoint_little_is_read(samples, tmp_path):
    """2 GB of values, which nobody asks for; the file has none of them on this disk."""
    index = next(one for one in (samples / "resnet32").iterdir() if one.suffix == ".index")
    (tmp_path / "model.ckpt.index").write_bytes(index.read_bytes())
    with (tmp_path / "model.ckpt.data-00000-of-00001").open("wb") as file:
        file.truncate(2_000_000_000)
    with serving(tmp_path) as server:
        numbers = _numbers(f"{server.address}/model.ckpt")
        assert len(numbers["checkpoint"]["tensors"]) > 100
        assert server.sent < 0.02 * 2_000_000_000


def test_a_path_in_a_file_leads_nowhere_else(samples, tmp_path):
    """A state file may name any checkpoint; only one beside it is opened."""
    inside = tmp_path / "served"
    inside.mkdir()
    secret = tmp_path / "model.ckpt.index"
    secret.write_bytes((samples / "resnet32" / "model.ckpt.index").read_bytes())
    with serving(inside) as server:
        for named in (str(tmp_path / "model.ckpt"), "s3://bucket/model.ckpt", "../model.ckpt"):
            (inside / "checkpoint").write_text(f'model_checkpoint_path: "{named}"\n')
            done = run("summary", f"{server.address}/checkpoint")
            assert done.code == 3
            assert "no such file" in done.err
            opener.unplug("http")
            fsspec.filesystem("http").clear_instance_cache()
