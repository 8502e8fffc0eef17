"""Files made to break it, options nobody can mean, places that take nothing: no fault of ours."""

import csv
import gzip
import io
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest
from fuzz.output_rules import check_page
from page_template import small_template
from run_cli import command, environment, run

import tfprof
from tfprof.wire.schema import message_class

HOSTILE = Path(__file__).parents[2] / "hostile"
ASKED = ("summary", "scope", "op", "layers", "memory", "steps", "timeline", "doctor")
FINE = (0, 2, 3, 4)
FAR = 2**63 - 1


@pytest.fixture(scope="module")
def hostile():
    return HOSTILE


@pytest.fixture
def graph(samples):
    return samples / "keras_mlp_train.graph.pb"


def unwrapped(text):
    """Notes are broken where the path of the test is long."""
    return " ".join(text.split())


def shell(line, **options):
    return subprocess.run(
        ["bash", "-c", line], env=environment(), capture_output=True, check=False, **options
    )


def called(*words):
    return " ".join(f"'{word}'" for word in command(*words))


NAMES = [
    "bigint.h5", "bigint.pbtxt", "bigint.trace.json", "bigint2.trace.json", "bigint_vars.json",
    "state-self", "state-long", "slice_rank.ckpt", "no_nodes.meta", "t_far.xplane.pb", "evil.pb",
    "evil.xplane.pb",
]  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("asked", ASKED)
def test_no_file_is_our_fault(hostile, name, asked):
    path = hostile / name
    ran = run(asked, path / "checkpoint" if path.is_dir() else path)
    assert ran.code in FINE, ran.err


@pytest.mark.parametrize("name", NAMES)
def test_no_page_is_our_fault(hostile, name, tmp_path):
    path, target = hostile / name, tmp_path / "report.html"
    with small_template():
        ran = run("report", path / "checkpoint" if path.is_dir() else path, "-o", target)
    assert ran.code in FINE
    assert target.exists() == (ran.code == 0)
    if target.exists():
        check_page(target.read_bytes())


def test_a_number_of_thousands_of_digits_is_said(hostile):
    for name in ("bigint.trace.json", "bigint_vars.json"):
        ran = run("summary", hostile / name)
        assert ran.code == 4
        assert "digits" in ran.err


def test_a_state_that_names_itself_is_said(hostile):
    ran = run("summary", hostile / "state-self" / "checkpoint")
    assert (ran.code, "circle" in ran.err) == (4, True)


def test_a_slice_unlike_its_tensor_is_damage(hostile):
    ran = run("doctor", hostile / "slice_rank.ckpt")
    assert ran.code == 0
    assert "does not fit it" in unwrapped(ran.out)


def test_times_that_no_clock_has_are_cut_and_said(hostile, tmp_path):
    assert "not to be trusted" in unwrapped(run("steps", hostile / "t_far.xplane.pb").out)
    run_meta = message_class("RunMetadata")()
    device = run_meta.step_stats.dev_stats.add(device="/device:CPU:0")
    for number in range(4):
        node = device.node_stats.add(node_name=f"n{number}", all_start_micros=FAR - number)
        node.op_end_rel_micros = node.all_end_rel_micros = FAR
        record = node.memory.add(allocator_name="cpu").allocation_records.add()
        record.alloc_micros, record.alloc_bytes = FAR, 8
    (tmp_path / "run_meta").write_bytes(run_meta.SerializeToString())
    for asked in ASKED:
        assert run(asked, tmp_path / "run_meta").code in FINE
    assert "not to be trusted" in unwrapped(run("timeline", tmp_path / "run_meta").out)


@pytest.mark.parametrize("words", [
    ("timeline", "--from", "nan"), ("timeline", "--to", "inf"), ("timeline", "--to", "1e300"),
    ("timeline", "--min-duration", "nan"), ("timeline", "--thread", "("),
    ("memory", "--recompute-scopes", "("), ("memory", "--more-flops", "nan"),
    ("memory", "--swap", "inf"), ("memory", "--batch", "1..99999999999999999999"),
    ("memory", "--batch", "9" * 5000), ("memory", "--dim", "B=" + "9" * 5000),
    ("memory", "--device-memory", "9" * 300 + "GB"), ("scope", "-show_name_regexes", "("),
])  # fmt: skip
def test_values_that_nobody_can_mean_are_2(words, samples, graph):
    path = samples / "tiny.xplane.pb" if words[0] == "timeline" else graph
    assert run(*words, path).code == 2


@pytest.mark.parametrize("words", [("--to", "99999999999999999999"), ("--from=-9e29",),
                                   ("--from=-9e29", "--to=9e29")])  # fmt: skip
def test_times_that_no_capture_has_are_before_or_behind_it(words, samples, tmp_path):
    path, target = samples / "tiny.xplane.pb", tmp_path / "a.trace.json"
    assert run("timeline", *words, path).code == 0
    assert run("timeline", *words, path, "-o", target).code == 0


def test_a_name_that_no_system_has_is_not_written(graph):
    for name in ("\ud800.txt", "a\0.txt"):
        assert run(graph, "-o", name).code == 5


def test_a_broken_pattern_matches_nothing_for_the_original(graph):
    ran = run("scope", "--compat", "original", "-show_name_regexes", "(", graph)
    assert ran.code == 0
    assert "dense" not in ran.out


def test_python_is_told_the_same(graph):
    with pytest.raises(tfprof.TfprofError, match="regular expression"):
        tfprof.load(graph).memory(recompute="(")


def test_what_a_folder_cannot_read_is_skipped_and_said(graph, tmp_path):
    (tmp_path / "g.pb").write_bytes(graph.read_bytes())
    os.mkfifo(tmp_path / "pipe.pb")
    (tmp_path / "device.pb").symlink_to("/dev/zero")
    (tmp_path / "x.xplane.pb").symlink_to("gone")
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(tmp_path / "socket.pb"))
        ran = run("doctor", tmp_path)
    assert ran.code == 0
    assert unwrapped(ran.out).count("a pipe or a device") >= 3
    assert "a link that leads nowhere" in unwrapped(ran.out)


def test_closed_and_full_places_are_5_or_silent(graph):
    assert shell(f"{called(graph)} >&-").returncode == 5
    assert shell(f"{called(graph)} >&- 2>&-").returncode == 5
    assert shell(f"{called('--help')} >/dev/full").returncode == 5
    assert shell(f"{called('scope', '--help')} >&-").returncode == 5
    full = run(graph, "--json", "-o", "/dev/full")
    assert (full.code, "No space left" in full.err) == (5, True)
    quiet = shell(f"{called(graph)} 2>&-")
    assert (quiet.returncode, quiet.stdout[:1] != b"") == (0, True)
    assert shell(f"{called('nothing.pb')} 2>/dev/full").returncode == 3


def test_ctrl_c_while_it_starts_says_nothing_about_python():
    # a shell lets what it starts in the background ignore the key
    slow = "import signal, sys, time\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
    slow += "class Slow:\n def find_spec(self, name, *_):\n"
    slow += "  if name == 'tfprof.cli.main': print('now', flush=True); time.sleep(30)\n"
    slow += "sys.meta_path.insert(0, Slow())\nfrom tfprof.__main__ import run\nsys.exit(run())"
    with subprocess.Popen([sys.executable, "-c", slow], env=environment(), text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE) as started:  # fmt: skip
        started.stdout.readline()
        started.send_signal(signal.SIGINT)
        _, err = started.communicate(timeout=20)
    assert (started.returncode, err) == (130, "")


CONTROLS = "\x00\x07\x1b\x7f\x9b\r\u202e\u2066\u2028"


@pytest.mark.parametrize("asked", [*ASKED, "graph", "placement"])
@pytest.mark.parametrize("shape", ["txt", "md", "csv"])
@pytest.mark.parametrize("name", ["evil.pb", "evil.xplane.pb"])
def test_no_name_steers_a_terminal(hostile, asked, shape, name):
    words = ("-max_depth", "9", "-account_type_regexes", ".*") if asked in ("scope", "op") else ()
    ran = run(asked, hostile / name, "--format", shape, *words)
    assert not set(ran.out + ran.err) & set(CONTROLS)


def test_names_are_spelt_out(hostile):
    ran = run("summary", hostile / "evil.pb")
    assert r"\x1b[31mRED\x1b[0m" in ran.out
    assert r"line1\nline2" in run("summary", hostile / "evil.pb", "--format", "csv").out


def test_json_keeps_names_in_its_own_spelling(hostile):
    text = run("layers", hostile / "evil.pb", "--json").out
    assert not set(text) & set(CONTROLS)
    names = {row["layer"] for row in json.loads(text)["data"]["rows"]}
    assert {"\x1b[31mRED\x1b[0m", "=1+1"} <= names


def test_cells_that_look_like_formulas_are_text(hostile):
    answer = tfprof.load(hostile / "evil.pb").layers()
    rows = list(csv.DictReader(io.StringIO(answer.to_csv())))
    names = {row["layer"] for row in rows}
    assert {"'=1+1", "'+1", "'-1+2", "'@SUM(1)"} <= names
    assert all(row["params"].isdecimal() for row in rows)
    pytest.importorskip("pandas")
    assert "=1+1" in set(answer.to_pandas()["layer"])


def test_markdown_has_no_markup_of_names(hostile):
    text = run("summary", hostile / "evil.pb", "--format", "md").out
    assert "<script>" not in text.replace("\\<", "")
    assert "](javascript" not in text.replace("\\[", "").replace("[x]", "") or "\\[x]" in text
    tree = run("scope", hostile / "evil.pb", "-account_type_regexes", ".*", "--format", "md").out
    assert tree.startswith("````\n")  # a node is called ```


def test_errors_and_file_names_are_spelt_out(graph, tmp_path):
    assert r"a\x1b[31m.pb" in run(tmp_path / "a\x1b[31m.pb").err
    odd = tmp_path / "b\x1b[31m\n.pb"
    odd.write_bytes(graph.read_bytes())
    assert "\x1b" not in run(odd).out
    assert "\x1b" not in repr(tfprof.load(odd)) + repr(tfprof.load(odd).summary())
    with pytest.raises(tfprof.TfprofError) as fault:
        tfprof.load(tmp_path / "c\x1b.pb")
    assert "\x1b" not in str(fault.value)


def test_half_a_character_can_be_written(hostile, tmp_path):
    for suffix in ("txt", "csv", "md", "json"):
        target = tmp_path / f"a.{suffix}"
        assert run("summary", hostile / "surrogate.keras", "-o", target).code == 0
        target.read_text(encoding="utf-8")


def test_a_link_is_followed_and_the_mode_kept(graph, tmp_path):
    target, link = tmp_path / "target.txt", tmp_path / "link.txt"
    target.write_text("old")
    target.chmod(0o640)
    link.symlink_to("target.txt")
    assert run(graph, "-o", link, "--force").code == 0
    assert link.is_symlink()
    assert "Parameters" in target.read_text()
    assert target.stat().st_mode & 0o777 == 0o640


def test_an_input_is_never_written_over(graph, tmp_path):
    mine = tmp_path / "graph.txt"
    mine.write_bytes(graph.read_bytes())
    link = tmp_path / "link.txt"
    link.symlink_to(mine)
    for target in (mine, link):
        ran = run(mine, "-o", target, "--force")
        assert (ran.code, "input" in ran.err) == (5, True)
    assert run("scope", mine, "-dump_to_file", mine).code == 5
    assert mine.read_bytes() == graph.read_bytes()


def test_what_a_killed_process_left_is_removed(tmp_path):
    words = "from pathlib import Path\nimport time\nfrom tfprof.commands.writing import *\n"
    words += "def slow():\n yield b'x'\n print('now', flush=True)\n time.sleep(60)\n"
    words += f"write_chunks(Path({str(tmp_path)!r}) / 'a.txt', slow(), force=False)"
    with subprocess.Popen([sys.executable, "-c", words], env=environment(), text=True,
                          stdout=subprocess.PIPE) as writing:  # fmt: skip
        writing.stdout.readline()
        assert run("formats", "-o", tmp_path / "b.txt").code == 0
        assert len(list(tmp_path.iterdir())) == 2  # somebody is writing it still
        writing.kill()
    assert run("formats", "-o", tmp_path / "c.txt").code == 0
    assert sorted(one.name for one in tmp_path.iterdir()) == ["b.txt", "c.txt"]


def test_pipes_and_packed_files_are_read(graph, tmp_path):
    plain = run("op", graph, "--format", "csv").out
    ops = called("op", "-", "--format", "csv")
    assert shell(f"cat '{graph}' | {ops}").stdout.decode() == plain
    assert shell(f"{ops} < '{graph}'").stdout.decode() == plain
    packed = tmp_path / "g.pb.gz"
    packed.write_bytes(gzip.compress(graph.read_bytes()))
    assert run("op", packed, "--format", "csv").out == plain
    assert shell(f"cat '{packed}' | {ops}").stdout.decode() == plain
    assert shell(f"{ops.replace(' ' + repr('-'), ' <(cat ' + str(packed) + ')')}"
                 ).stdout.decode() == plain  # fmt: skip
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["bash", "-c", f"cat '{graph}' > '{tmp_path}/pipe'"]):
        assert run("op", tmp_path / "pipe", "--format", "csv").out == plain


@pytest.mark.parametrize("name", ["residual.h5", "residual.keras"])
def test_weights_come_through_pipes(name, tmp_path):
    """Another process reads them, which has no such pipe, or would wait for it for ever."""
    pytest.importorskip("h5py")
    model = Path(__file__).parents[2] / "models" / name
    plain = run("layers", model, "--format", "csv").out
    layers = called("layers", "-", "--format", "csv")
    packed = tmp_path / "packed"
    packed.write_bytes(gzip.compress(model.read_bytes()))
    for given in (model, packed):
        assert shell(f"cat '{given}' | {layers}").stdout.decode() == plain
        assert shell(f"{layers} < '{given}'").stdout.decode() == plain
    os.mkfifo(tmp_path / "pipe")
    with subprocess.Popen(["bash", "-c", f"cat '{model}' > '{tmp_path}/pipe'"]):
        assert run("layers", tmp_path / "pipe", "--format", "csv").out == plain


def test_many_small_packed_files_behind_each_other_take_no_time(tmp_path):
    """And zeros behind them, as tapes have."""
    empty = gzip.compress(b"")
    many = empty * ((8 << 20) // len(empty))
    for name in ("graph.pb.gz", "host.trace.json.gz"):
        (tmp_path / name).write_bytes(many + bytes(64 << 20))
        began = time.process_time()
        assert run(tmp_path / name).code == 4
        assert time.process_time() - began < 5


def test_packed_data_that_is_damaged_or_too_much_is_4(graph, tmp_path):
    packed = gzip.compress(graph.read_bytes())
    cases = {"cut": packed[:-20], "bad": b"\x1f\x8bxxxx", "bomb": gzip.compress(bytes(1 << 27))}
    for name, data in cases.items():
        (tmp_path / f"{name}.pb.gz").write_bytes(data)
        began = time.monotonic()
        assert run(tmp_path / f"{name}.pb.gz").code == 4, name
        assert time.monotonic() - began < 20


def test_links_to_folders_are_followed_once(graph, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "g.pb").write_bytes(graph.read_bytes())
    root = tmp_path / "root"
    (root / "a").mkdir(parents=True)
    for name, leads in (("a/up", ".."), ("self", "."), ("out", tmp_path), ("b", "../elsewhere"),
                        ("c", "../elsewhere")):  # fmt: skip
        (root / name).symlink_to(leads)
    ran = run("doctor", root, "--json")
    assert [one["path"] for one in json.loads(ran.out)["data"]["found"]] == [str(root / "b/g.pb")]


def as_nobody(*words):
    """In a process that may read only what is everybody's; root may read all."""
    lines = "import io, os, sys\nfrom contextlib import *\nfrom tfprof.cli.main import main\n"
    # asked once before: nobody may load Python's own files from the home folder of root
    lines += "with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):\n"
    lines += " main(sys.argv[1:])\nif os.getuid() == 0:\n os.setgroups([]); os.setgid(65534)\n"
    lines += " os.setuid(65534)\nsys.exit(main(sys.argv[1:]))"
    return subprocess.run([sys.executable, "-c", lines, *map(str, words)], env=environment(),
                          capture_output=True, text=True, check=False)  # fmt: skip


@pytest.fixture
def closed(graph):
    """A folder that anybody may look into, with a graph that nobody else may read."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "open").mkdir(mode=0o755)
        for place, mode in (("graph.pb", 0o000), ("open/g.pb", 0o644)):
            (folder / place).write_bytes(graph.read_bytes())
            (folder / place).chmod(mode)
        yield folder


def test_a_file_that_may_not_be_read_says_so(closed):
    ran = as_nobody("summary", closed / "graph.pb")
    assert (ran.returncode, "Permission denied" in ran.stderr) == (4, True)
    ran = as_nobody("doctor", closed)
    assert (ran.returncode, "Permission denied" in ran.stdout) == (0, True)
    (closed / "open" / "g.pb").unlink()
    ran = as_nobody("summary", closed)
    assert (ran.returncode, "Permission denied" in ran.stderr) == (4, True)
    (closed / "graph.pb").unlink()
    (closed / "open").chmod(0o000)
    ran = as_nobody("summary", closed)
    (closed / "open").chmod(0o755)
    assert ran.returncode in (3, 4)
    ran = as_nobody("summary", closed / "open" / "x.pb")
    assert ran.returncode == 3
