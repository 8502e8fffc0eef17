"""`tfprof log`: rows of real runs, what got slower, and the index that makes a look quick."""

import csv
import importlib.util
import json
import os
import re
import shutil
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest
from run_cli import command, environment, run, spawn

import tfprof
from tfprof.errors import UsageError
from tfprof.sources.history.index_file import NAME

DOCS = Path(__file__).parents[3] / "docs"
STORIES = ("parallel_map", "bfloat16", "parallel_map", "parallel_map", "parallel_map", "slow_map")


def _copied(story: Path, to: Path, day: int) -> None:
    """Another run of the same, as its record says."""
    shutil.copytree(story, to)
    for record in to.rglob("run.json"):
        told = json.loads(record.read_text())
        record.write_text(json.dumps({**told, "started": f"2026-11-{day:02}T10:00:00+00:00"}))


@pytest.fixture
def runs(samples, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "runs"
    folder.mkdir()
    for day, story in enumerate(STORIES, 1):
        _copied(samples / "stories" / story, folder / f"run-{day}", day)
    return folder


def _data(*words):
    ran = run("log", *words, "--json")
    assert (ran.code, ran.err) == (0, "")
    return json.loads(ran.out)["data"]


def _rows(*words):
    return {row["path"].rpartition("/")[2]: row for row in _data(*words)["runs"]}


def _index(folder):
    return json.loads((folder / NAME).read_text())


def test_a_row_has_what_the_contract_says(runs):
    data = _data(runs)
    assert [row["path"] for row in data["runs"]] == [f"{runs}/run-{day}" for day in range(6, 0, -1)]
    newest = data["runs"][0]
    assert newest["when"] == "2026-11-06T10:00:00Z"
    assert newest["when_from"] == "record"
    assert (newest["params"], newest["flops"]) == (117184, 3168858624)
    assert newest["step_us"] == pytest.approx(501997, rel=1e-3)
    assert newest["input_bound"] == pytest.approx(0.943, abs=0.01)
    assert newest["peak_bytes"] == 29291520


def test_tables_tell_what_kind_a_number_is_as_json_does(samples, tmp_path):
    target = tmp_path / "runs.csv"
    names = ("traced_step", "three_workers", "stories/slow_map")
    words = ("log", *(samples / name for name in names))
    assert run(*words, "--no-index", "-o", target).code == 0
    with target.open() as lines:
        table = [row for row in csv.DictReader(lines) if row["path"] and row["path"][0] == "/"]
    rows = _data(*words[1:], "--no-index")["runs"]
    kinds = [key for key in table[0] if key.endswith("_kind")]
    assert {"estimated", "at_least", ""} == {row["peak_bytes_kind"] for row in table}
    assert [[row[key] for key in kinds] for row in table] == [
        [row.get(key, "") for key in kinds] for row in rows
    ]


def test_the_page_says_which_keys_a_row_may_lack(runs):
    schema = json.loads((DOCS / "tfprof-1.schema.json").read_text())["$defs"]["RunRow"]
    page = (DOCS / "commands" / "log.md").read_text()
    told = re.search(r"`runs \[\{(.*?)\}\]`", page, re.DOTALL)[1].replace("\n", " ").split(", ")
    optional = {key for key in told if key not in schema["required"]}
    assert set(schema["required"]) <= set(told) <= set(schema["properties"])
    assert optional == {"because", "state"}
    assert "`because` and `state` are only in rows that have them" in " ".join(page.split())
    for row in _data(runs)["runs"]:
        assert {key for key in told if key not in row} <= optional


def test_runs_of_one_name_in_two_folders_look_different(samples, tmp_path):
    """On 80 columns, where there is no room for all of the name."""
    for parent in ("plain", "deep/below/three/folders"):
        shutil.copytree(
            samples / "stories" / "slow_map", tmp_path / parent / "tiny-20261118-115557"
        )
    lines = run("log", tmp_path, "--no-index").out.splitlines()
    shown = [line.split()[2] for line in lines if line.startswith("11-17")]
    assert len({*shown}) == len(shown) == 2


def test_the_numbers_are_those_of_the_other_commands(runs):
    row = _rows(runs)["run-6"]
    told = tfprof.diff(runs / "run-1", runs / "run-6").to_dict()["data"]["sides"][1]
    for key in ("params", "flops", "step_us", "input_bound", "peak_bytes"):
        assert row[key] == told[key]


def test_the_slow_run_is_told_and_why(runs):
    rows = _rows(runs)
    assert [name for name, row in rows.items() if row["significant"]] == ["run-6"]
    slow = rows["run-6"]
    assert (slow["change"] > 10, slow["compared"]) == (True, 4)
    assert next(iter(slow["because"])) == "input"
    said = run("log", runs).out
    assert "Slower  run-6: 32.02 ms → 502.0 ms" in said
    assert "waiting for input +473.1 ms" in said


def test_other_work_is_not_compared(runs):
    data = _data(runs)
    rows = {row["path"][-1]: row for row in data["runs"]}
    assert [rows[day]["work"] for day in "123456"] == [1, 2, 1, 1, 1, 1]
    assert (rows["2"]["change"], rows["2"]["why"]) == (None, "the first of its work")
    assert data["works"][1]["differs"] == "graph: 485 ops of 51 types → 504 ops of 51 types"


def test_which_runs_are_told(runs):
    assert [*_rows(runs, "--last", "2")] == ["run-6", "run-5"]
    assert _rows(runs, "--last", "1")["run-6"]["compared"] == 4
    assert [*_rows(runs, "--since", "2026-11-05T12:00")] == ["run-6"]
    assert [*_rows(runs, "--since", "2026-11-05", "--last", "1")] == ["run-6"]
    assert _data(runs, "--last", "2")["left_out"] == 4


@pytest.mark.parametrize("words", [
    ["--since", "yesterday"], ["--since", ""], ["--since", "999999w"], ["--last", "0"],
    ["--last", "-1"], ["--run-noise", "ten"],
])  # fmt: skip
def test_words_that_make_no_sense(runs, words):
    assert run("log", runs, *words).code == 2


def test_nothing_given():
    ran = run("log")
    assert ran.code == 2
    assert "tfprof log tfprof-runs" in ran.err


def test_a_run_that_cannot_be_read_is_a_row_with_its_reason(runs, tmp_path):
    (runs / "cut.tfprof").write_bytes(b"PK\x03\x04" + b"x" * 40)
    (runs / "bad").mkdir()
    (runs / "bad" / "run.json").write_text('{"schema": "tfprof-run/1", ')
    capture = runs / "tb" / "plugins" / "profile" / "1"
    capture.mkdir(parents=True)
    (capture / "vm.xplane.pb").write_bytes(b"\x00garbage" * 10)
    rows = _rows(runs, tmp_path / "nowhere")
    unread = {name: row["why"] for name, row in rows.items() if row["work"] is None}
    assert unread.keys() == {"cut.tfprof", "bad", "tb", "nowhere"}
    assert all(unread.values())
    assert unread["nowhere"] == "no such file or folder"
    assert rows["run-6"]["significant"] is True
    assert run("log", runs).code == 0


@pytest.fixture
def damaged(samples, tmp_path):
    """A folder with an empty capture, junk, and a file of another kind that can be read."""
    folder = tmp_path / "mixed"
    folder.mkdir()
    (folder / "a.xplane.pb").touch()
    (folder / "b.xplane.pb").write_bytes(b"\x00garbage" * 10)
    (folder / "program").write_bytes(b"\x7fELF" + bytes(100))
    shutil.copy(_events_of(samples), folder / "c.xplane.pb")
    return folder


def _events_of(samples) -> Path:
    return next(
        one for one in samples.rglob("events.out.tfevents.*") if one.stat().st_size < 10_000
    )


def test_damaged_files_are_rows_and_what_lies_beside_them_answers(damaged):
    rows = _rows(damaged, "--no-index")
    assert rows.keys() == {"a.xplane.pb", "b.xplane.pb", "c.xplane.pb"}
    unread = {name: row["why"] for name, row in rows.items() if row["work"] is None}
    assert unread.keys() == {"a.xplane.pb", "b.xplane.pb"}
    assert unread["a.xplane.pb"] == "the file is empty"


def test_a_folder_is_not_called_an_empty_file(damaged):
    (damaged / "c.xplane.pb").unlink()
    ran = run("log", damaged, "--no-index")
    assert ran.code == 4
    assert f"{damaged}: a.xplane.pb: the file is empty" in ran.err


@pytest.mark.parametrize("word", ["", "*", "**", "**/run*"])
@pytest.mark.parametrize("beside", ["", "notes.txt"])
def test_a_folder_that_may_not_be_listed_is_not_called_empty(tmp_path, request, word, beside):
    folder = tmp_path / "team"
    (folder / "locked").mkdir(parents=True, mode=0o700)
    if beside:
        (folder / beside).touch()
    for path in (folder, tmp_path, *tmp_path.parents):
        if path.owner() == "root" and path != Path("/tmp"):  # noqa: S108
            path.chmod(path.stat().st_mode | 0o055)
    (folder / "locked").chmod(0)  # nobody may, but root, who is asked to be somebody else
    request.getfixturevalue("not_root")
    ran = run("log", folder / word, "--no-index")
    assert ran.code == 4
    assert f"{folder}/locked: the folder cannot be listed: Permission denied" in ran.err


@pytest.mark.parametrize(("name", "content", "code"), [
    ("cut.tfprof", b"PK\x03\x04", 4), ("notes.txt", b"hello", 3), (None, b"", 3),
])  # fmt: skip
def test_where_nothing_can_be_read_that_is_the_answer(tmp_path, name, content, code):
    if name:
        (tmp_path / name).write_bytes(content)
    ran = run("log", tmp_path)
    assert (ran.code, ran.out) == (code, "")
    assert str(tmp_path) in ran.err


def test_saved_profiles_captures_and_graphs_are_runs_too(samples, tmp_path):
    tb = tmp_path / "logs" / "exp"
    for at, name in enumerate(["slow-trace", "fast-trace"]):
        folder = tb / "plugins" / "profile" / f"2026_11_15_18_23_3{at}"
        folder.mkdir(parents=True)
        shutil.copy(samples / "xplane" / f"{name}.xplane.pb", folder / "vm.xplane.pb")
    shutil.copy(samples / "saved" / "v1.tfprof", tmp_path / "logs")
    shutil.copytree(samples / "two_cpus", tmp_path / "logs" / "session")
    found = {
        row["path"]: (row["kind"], row["when_from"]) for row in _data(tmp_path / "logs")["runs"]
    }
    profile = f"{tb}/plugins/profile"
    assert found == {
        f"{profile}/2026_11_15_18_23_30": ("capture", "capture"),
        f"{profile}/2026_11_15_18_23_31": ("capture", "capture"),
        f"{tmp_path}/logs/v1.tfprof": ("saved profile", "capture"),
        f"{tmp_path}/logs/session": ("files", "capture"),
    }


def test_a_file_without_any_time_has_that_of_the_file_and_it_is_said(samples, tmp_path):
    graph = tmp_path / "graph.pb"
    shutil.copy(samples / "keras_mlp_fwd.graph.pb", graph)
    os.utime(graph, (1_700_000_000, 1_700_000_000))
    ran = run("log", graph)
    assert "2023-11-14" in ran.out
    assert "The time of 1 run is that of its file." in ran.out
    (row,) = _rows(graph).values()
    assert (row["when_from"], row["step_us"]) == ("file", None)


def test_a_capture_that_does_not_say_when_it_began_has_the_time_in_its_name(samples, tmp_path):
    folder = tmp_path / "plugins" / "profile" / "2025_03_04_05_06_07"
    folder.mkdir(parents=True)
    shutil.copy(samples / "accelerators" / "tf_gpu_new.xplane.pb", folder / "vm.xplane.pb")
    data = _data(tmp_path)
    (row,) = data["runs"]
    assert (row["when"], row["when_from"]) == ("2025-03-04T05:06:07Z", "name")
    assert data["works"][0]["facts"]["devices"] == "1 Tesla V100-SXM2-16GB"


def test_every_null_has_a_reason(samples, tmp_path):
    shutil.copy(samples / "keras_mlp_fwd.graph.pb", tmp_path)
    shutil.copy(samples / "xplane" / "fast-trace.xplane.pb", tmp_path)
    told = json.loads(run("log", tmp_path, "--json").out)
    said = " ".join(told["warnings"])
    names = {"params": "parameters", "flops": "FLOPs", "step_us": "step time"}
    nulls = {key for row in told["data"]["runs"] for key in names if row[key] is None}
    assert nulls == set(names)
    assert all(f"{names[key]} of 1 run not known: " in said for key in nulls)


def _spoilt(folder: Path) -> None:
    """Every file of the runs full of nonsense, as large and as old as before."""
    for path in folder.rglob("*"):
        if path.is_file() and path.name != NAME:
            found = path.stat()
            path.write_bytes(b"?" * found.st_size)
            os.utime(path, ns=(found.st_atime_ns, found.st_mtime_ns))


def test_the_next_look_reads_only_the_index(runs):
    first = _data(runs)
    assert first["index"] == {"known": 0, "read": 6, "written": [f"{runs}/{NAME}"]}
    _spoilt(runs)
    again = _data(runs)
    assert again["index"] == {"known": 6, "read": 0, "written": []}
    assert (again["runs"], again["works"]) == (first["runs"], first["works"])
    assert not list(runs.glob(".tfprof-part-*"))


def test_every_way_to_name_the_runs_finds_the_same_index(runs):
    _data(runs)
    _spoilt(runs)
    for words in ([runs / "**"], [runs / "run-*"], sorted(runs.glob("run-*"))):
        assert _data(*words)["index"]["known"] == 6


def test_a_new_run_is_all_that_is_read(runs, samples):
    _data(runs)
    _spoilt(runs)
    _copied(samples / "stories" / "parallel_map", runs / "run-7", 7)
    data = _data(runs)
    assert (data["index"]["known"], data["index"]["read"]) == (6, 1)
    assert data["runs"][0]["path"].endswith("run-7")
    assert _index(runs)["places"].keys() == {f"run-{day}" for day in range(1, 8)}


def test_a_run_that_changed_is_read_again_and_one_that_is_gone_is_forgotten(runs):
    _data(runs)
    os.utime(runs / "run-2" / "run.json", (1, 1))
    shutil.rmtree(runs / "run-3")
    data = _data(runs)
    assert (data["index"]["known"], data["index"]["read"]) == (4, 1)
    assert "run-3" not in _index(runs)["places"]


def test_part_of_the_runs_leaves_the_index_of_the_others(runs):
    _data(runs / "run-1")
    _data(runs / "run-[23]")
    assert _index(runs)["places"].keys() == {"run-1", "run-2", "run-3"}


def test_without_an_index(runs):
    assert _data(runs, "--no-index")["index"] == {"known": 0, "read": 6, "written": []}
    assert not (runs / NAME).exists()


@pytest.mark.parametrize("damage", [
    lambda data: data[: len(data) // 2], lambda _: b"", lambda _: b"[]",
    lambda data: data.replace(b'"tfprof": "', b'"tfprof": "9'),
])  # fmt: skip
def test_a_damaged_index_is_said_and_made_anew(runs, damage):
    _data(runs)
    (runs / NAME).write_bytes(damage((runs / NAME).read_bytes()))
    told = json.loads(run("log", runs, "--json").out)
    assert f"{runs}/{NAME}: " in told["warnings"][0]
    assert told["warnings"][0].endswith("; the runs are read again")
    assert told["data"]["index"]["read"] == 6
    assert _data(runs)["index"]["known"] == 6


def test_one_damaged_entry_is_read_again(runs):
    before = _data(runs)["runs"]
    index = _index(runs)
    index["places"]["run-1"]["runs"][0]["params"] = "many"
    (runs / NAME).write_text(json.dumps(index))
    told = json.loads(run("log", runs, "--json").out)
    assert "1 entries of the index are damaged" in told["warnings"][0]
    assert (told["data"]["index"]["read"], told["data"]["runs"]) == (1, before)


def test_a_link_in_place_of_the_index_is_never_followed(runs, tmp_path):
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (runs / NAME).symlink_to(precious)
    told = json.loads(run("log", runs, "--json").out)
    assert "it is a link" in told["warnings"][0]
    assert precious.read_text() == "mine"
    assert (runs / NAME).is_symlink()
    assert told["data"]["index"]["written"][0].startswith(str(tmp_path / "cache"))


def test_a_pipe_in_place_of_the_index_is_not_waited_for(runs):
    os.mkfifo(runs / NAME)
    assert spawn("log", runs).code == 0


@pytest.fixture
def not_root():
    before = os.geteuid()
    if before == 0:
        os.seteuid(65534)
    yield
    os.seteuid(before)


def test_where_the_folder_cannot_be_written_the_index_is_in_the_cache(runs, tmp_path, request):
    for path in (tmp_path, *tmp_path.parents):
        if path.owner() == "root" and path != Path("/tmp"):  # noqa: S108
            path.chmod(path.stat().st_mode | 0o055)
    (tmp_path / "cache").mkdir(mode=0o777)
    (tmp_path / "cache").chmod(0o777)
    runs.chmod(0o555)
    request.getfixturevalue("not_root")
    first = _data(runs)["index"]
    assert first["written"][0].startswith(str(tmp_path / "cache" / "tfprof" / "log"))
    assert _data(runs)["index"] == {"known": 6, "read": 0, "written": []}
    assert not (runs / NAME).exists()
    assert (tmp_path / "cache" / "tfprof" / "log").stat().st_mode & 0o077 == 0


def test_where_nothing_can_be_written_it_is_said(runs, monkeypatch):
    (runs / NAME).symlink_to("/dev/null")
    monkeypatch.setenv("XDG_CACHE_HOME", "/proc/nowhere")
    said = run("log", runs)
    assert said.code == 0
    assert "the index could not be written, the next look reads all again" in " ".join(
        said.out.split()
    )


def test_two_at_the_same_time_leave_a_whole_index(runs):
    both = [
        subprocess.Popen(
            command("log", runs, "--json"), stdout=subprocess.PIPE, env=environment(), text=True
        )
        for _ in range(2)
    ]
    told = [json.loads(one.communicate(timeout=100)[0]) for one in both]
    assert told[0]["data"]["runs"] == told[1]["data"]["runs"]
    assert _data(runs)["index"]["known"] == 6
    assert not list(runs.glob(".tfprof-part-*"))


def test_an_index_is_no_run(runs):
    _data(runs)
    before = (runs / NAME).read_bytes()
    ran = run("log", runs / NAME)
    assert (ran.code, "index of a history" in ran.err) == (4, True)
    assert (runs / NAME).read_bytes() == before


def test_what_others_wrote_meanwhile_is_kept(runs):
    """The index that is there when it is written counts, not the one that was read."""
    from tfprof.commands.history.index import RunIndex
    from tfprof.sources.find.run_places import find_places

    places = {one.key: one for one in find_places([runs]).places}
    mine = RunIndex(runs, [])
    _data(runs / "run-1")
    mine.add(places["run-2"], ())
    mine.write(None)
    assert _index(runs)["places"].keys() == {"run-1", "run-2"}


def test_a_look_that_is_ended_early_keeps_what_it_read(runs):
    from tfprof.commands.history.reading import history_of
    from tfprof.reports.log import Query

    heard = []

    def hear(done: int, _: int) -> None:
        heard.append(done)
        if done == 2:
            raise KeyboardInterrupt

    class Watching:
        runs = staticmethod(lambda count, _: heard.append(f"{count} runs") or hear)

    with pytest.raises(KeyboardInterrupt):
        history_of([runs], Query(), Watching())
    assert heard == ["6 runs", 1, 2]
    data = _data(runs)
    assert (data["index"]["known"], data["index"]["read"]) == (2, 4)


def test_a_run_that_goes_on_is_read_each_time(runs):
    for record in (runs / "run-6").rglob("run.json"):
        told = json.loads(record.read_text())
        told |= {"state": "running", "pid": os.getpid(), "host": os.uname().nodename}
        told["started"] = datetime.now(UTC).isoformat()
        record.write_text(json.dumps(told))
    assert _data(runs)["runs"][0]["state"] == "running"
    assert _data(runs)["index"]["read"] == 1


def test_a_file_of_a_run_is_never_written_over(runs):
    before = (runs / "run-1" / "run.json").read_bytes()
    ran = run("log", runs, "-o", runs / "run-1" / "run.json", "--force")
    assert ran.code == 5
    assert (runs / "run-1" / "run.json").read_bytes() == before


def test_a_table_for_other_programs(runs, tmp_path):
    assert run("log", runs, "-o", tmp_path / "runs.csv").code == 0
    head, first, *_ = (tmp_path / "runs.csv").read_text().splitlines()
    row = dict(zip(head.split(","), first.split(","), strict=False))
    assert (row["path"], row["verdict"]) == (f"{runs}/run-6", "slower")
    assert float(row["change"]) > 10
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run("log", runs, "-o", tmp_path / "runs.parquet").code == 0
    table = parquet.read_table(tmp_path / "runs.parquet")
    assert table.num_rows == 6
    assert table["step_us"].to_pylist()[0] == pytest.approx(501997, rel=1e-3)


def test_in_python(runs):
    answer = tfprof.log(runs, last=2)
    assert [row.path for row in answer.result.data.runs] == [f"{runs}/run-6", f"{runs}/run-5"]
    several = tfprof.log([runs / "run-1", runs / "run-3"], index=False)
    assert len(several.result.data.runs) == 2
    assert answer.to_svg().startswith("<svg")
    with pytest.raises(UsageError):
        tfprof.log()
    with pytest.raises(UsageError):
        tfprof.log(runs, run_noise="ten")
    pytest.importorskip("pandas")
    frame = answer.to_pandas()
    assert [*frame["verdict"]] == ["slower", "noise"]


def test_names_that_steer_a_terminal_do_not(samples, tmp_path):
    shutil.copy(samples / "saved" / "v1.tfprof", tmp_path / "a\x1b[31m\n.tfprof")
    (tmp_path / "b\x1b]0;x\x07.tfprof").write_bytes(b"PK\x03\x04")
    for _ in range(2):
        ran = run("log", tmp_path)
        assert ran.code == 0
        assert not {"\x1b", "\x07"} & {*ran.out, *ran.err}


def test_a_bound_on_files_is_told_and_can_be_raised(runs):
    ran = run("log", runs, "--no-index", "--most-files", "8", "--json")
    assert ran.code == 0
    assert any("--most-files" in said for said in json.loads(ran.out)["warnings"])
    assert len(json.loads(ran.out)["data"]["runs"]) < len(STORIES)
    assert len(_data(runs, "--most-files", "1000")["runs"]) == len(STORIES)
    assert run("log", runs, "--most-files", "0").code == 2


def test_a_picture_as_pixels(runs, tmp_path):
    """Of the extra [plot]; without it, what to install is said."""
    target = tmp_path / "runs.png"
    ran = run("draw", "log", runs, "-o", target)
    if importlib.util.find_spec("resvg_py") is None:
        assert (ran.code, "tfprof[plot]" in ran.err) == (6, True)
        return
    assert ran.code == 0
    assert target.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
    assert target.stat().st_size > 5_000


def test_a_table_in_other_formats_has_all_rows_and_columns(runs, tmp_path):
    (runs / "cut.tfprof").write_bytes(b"PK\x03\x04" + b"x" * 40)
    assert run("log", runs, "-o", tmp_path / "runs.csv").code == 0
    # a table after the other, an empty line between them
    table, *_ = (tmp_path / "runs.csv").read_text().partition("\n\n")
    rows = [*csv.DictReader(table.splitlines())]
    assert len(rows) == len(STORIES) + 1
    assert {row["verdict"] for row in rows} == {"slower", "noise", "first", "unread"}
    unread = next(row for row in rows if row["verdict"] == "unread")
    assert (unread["step_us"], unread["why"] != "") == ("", True)
    parquet = pytest.importorskip("pyarrow.parquet")
    assert run("log", runs, "-o", tmp_path / "runs.parquet").code == 0
    table = parquet.read_table(tmp_path / "runs.parquet")
    assert table.column_names == [*rows[0]]
    assert table["path"].to_pylist() == [row["path"] for row in rows]
    assert None in table["step_us"].to_pylist()
