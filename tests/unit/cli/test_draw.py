"""`tfprof draw memory`: the curves of `tfprof memory` in a file or a pipe, whole or not at all."""

import contextlib
import io
import json
import re
import subprocess
import sys
from xml.etree import ElementTree as ET

import pytest
from run_cli import command, environment, run, spawn

import tfprof
from tfprof.cli.main import main
from tfprof.errors import UsageError

SVG = "{http://www.w3.org/2000/svg}"
SIZES = ("--dim", "H=64", "--dim", "W=64")
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
def graph(samples):
    """Small, and its batch is open."""
    return samples / "keras_mlp_fwd.graph.pb"


@pytest.fixture
def other(samples):
    return samples / "keras_lstm_fwd.graph.pb"


def picture(*words):
    ran = run("draw", "memory", *words)
    assert (ran.code, ran.err) == (0, "")
    return ET.fromstring(ran.out)  # noqa: S314  (our own text)


def points(root):
    """Batch and bytes of every dot, as its tooltip tells them."""
    said = [title.text for title in root.iter(f"{SVG}title")]
    found = [re.search(r"batch ([\d,]+): ([\d,]+) bytes", text) for text in said]
    return [tuple(int(number.replace(",", "")) for number in match.groups()) for match in found]


def told(*words, keys=("peak_bytes",)):
    """The same numbers from `tfprof memory`."""
    data = json.loads(run("memory", *words, "--json").out)["data"]
    of = [data, *([data["against"]] if "against" in data else [])]
    rows = [row for one in of for row in one["batches"]]
    return [(row["batch"], sum(row[key]["/cpu:0"] for key in keys)) for row in rows]


def test_the_curve_is_that_of_the_memory_command(graph):
    assert points(picture(graph, "--batch", "1..8")) == told(graph, "--batch", "1..8")


def test_a_file_holds_what_a_pipe_gets(graph, tmp_path):
    path = tmp_path / "x.svg"
    ran = run("draw", "memory", graph, "--batch", "2,4", "-o", path)
    assert (ran.code, ran.out, ran.err) == (0, "", f"Wrote {path}\n")
    assert path.read_text("ascii") == run("draw", "memory", graph, "--batch", "2,4").out
    assert list(tmp_path.iterdir()) == [path]


def test_words_may_stand_in_any_order(graph, tmp_path):
    expected = run("draw", "memory", graph, "--batch", "1..3").out
    orders = [
        ["draw", "memory", "--batch", "1..3", graph],
        ["--batch", "1..3", "draw", "memory", graph],
        ["draw", "--batch=1..3", "memory", graph],
    ]
    for words in orders:
        assert run(*words).out == expected
    path = tmp_path / "x.svg"
    assert run("draw", "memory", "-o", path, graph, "--batch", "1..3").code == 0
    assert path.read_text("ascii") == expected


@pytest.mark.parametrize(
    ("asked", "drawn"),
    [
        ([], [1, 2, 3, 4, 5, 6, 7, 8]),
        (["--batch", "3"], [1, 2, 3, 4, 5, 6, 7, 8]),
        (["--batch", "64"], [1, 10, 20, 30, 40, 50, 60, 64]),
        (["--batch", "8,2,2,4"], [2, 4, 8]),
    ],
)
def test_there_are_always_points_enough_for_a_curve(graph, asked, drawn):
    assert [batch for batch, _ in points(picture(graph, *asked))] == drawn


def test_two_models_are_two_curves(graph, other):
    words = [graph, "--batch", "1,2", "--against", other]
    root = picture(*words)
    assert len(list(root.iter(f"{SVG}polyline"))) == 2
    assert points(root) == told(*words)


def test_sizes_that_were_given_and_what_is_computed_are_said(unet):
    said = [text.text for text in picture(unet / "graph.pb", *SIZES).iter(f"{SVG}text")]
    assert said[0] == "Peak memory of one training step"
    assert "H=64 · W=64 · model cpu-tf" in said[1]
    assert "Estimated from the graph as written; nothing was run." in said


def test_below_a_budget_totals_are_drawn_past_the_batch_that_fits(graph):
    root = picture(graph, "--device-memory", "2MB")
    fits = json.loads(run("memory", graph, "--device-memory", "2MB", "--json").out)
    last = fits["data"]["max_batch"]
    batches = [batch for batch, _ in points(root)]
    assert last in batches
    assert max(batches) > last
    some = ["--batch", ",".join(map(str, batches))]
    assert points(root) == told(graph, *some, keys=("total_bytes", "input_bytes"))
    assert {total <= 2_000_000 for batch, total in points(root) if batch <= last} == {True}
    assert {total <= 2_000_000 for batch, total in points(root) if batch > last} == {False}
    said = [text.text for text in root.iter(f"{SVG}text")]
    safe = fits["data"]["safe_batch"]
    assert f"device memory 2.000 MB: batch {last} fits, {safe} is safe" in said
    assert "peak memory with variables and inputs" in said


def test_a_budget_too_small_for_one_sample_says_so(graph):
    root = picture(graph, "--device-memory", "1MB")
    said = [text.text for text in root.iter(f"{SVG}text")]
    assert "device memory 1.000 MB: not even one sample fits" in said


def test_two_models_below_a_budget_have_a_level_and_no_mark(graph, other):
    words = [graph, "--batch", "1,2", "--against", other]
    root = picture(*words, "--device-memory", "2MB")
    assert "device memory 2.000 MB" in [text.text for text in root.iter(f"{SVG}text")]
    assert points(root) == told(*words, keys=("total_bytes", "input_bytes"))


def test_a_what_if_is_a_curve_beside_the_model(graph):
    root = picture(graph, "--batch", "1,2", "--dtype", "float16")
    said = [text.text for text in root.iter(f"{SVG}text")]
    assert {"keras_mlp_fwd.graph.pb", "float16"} <= set(said)
    before, after = points(root)[:2], points(root)[2:]
    assert before == told(graph, "--batch", "1,2")
    assert {half < whole for (_, whole), (_, half) in zip(before, after, strict=True)} == {True}


def test_a_what_if_below_a_budget_goes_past_what_fits_then(graph):
    words = [graph, "--dtype", "float16", "--device-memory", "2MB"]
    data = json.loads(run("memory", *words, "--json").out)["data"]
    (changed,) = data["what_if"]
    root = picture(*words)
    assert max(batch for batch, _ in points(root)) > changed["max_batch"] > data["max_batch"]
    said = [text.text for text in root.iter(f"{SVG}text")]
    assert f"float16: batch {changed['max_batch']} fits" in said


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["draw"], "SUBJECT"),
        (["draw", "elephants", "G"], "memory"),
        (["draw", "memory"], "tfprof draw memory PATH"),
        (["draw", "memory", "G", "--json"], "--json"),
        (["draw", "memory", "G", "-o", "x.pdf"], ".svg or .png"),
        (["draw", "memory", "G", "-o", "x"], ".svg or .png"),
        (["draw", "memory", "G", "--batch", "0"], "--batch"),
        (["draw", "memory", "G", "--as", "executed"], "batch of its run"),
    ],
    ids=" ".join,
)
def test_words_that_are_off_are_2(words, said, graph, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ran = run(*(graph if word == "G" else word for word in words))
    assert (ran.code, ran.out) == (2, "")
    assert said in ran.err
    assert list(tmp_path.iterdir()) == []


class _Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_is_told_to_name_a_file(graph):
    out, err = _Terminal(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(["draw", "memory", str(graph)])
    assert (code, out.getvalue()) == (2, "")
    assert "-o memory.svg" in err.getvalue()


def test_an_existing_file_is_replaced_only_by_force(graph, tmp_path):
    path = tmp_path / "x.svg"
    path.write_text("mine", "utf-8")
    assert run("draw", "memory", graph, "-o", path).code == 5
    assert path.read_text("utf-8") == "mine"
    assert run("draw", "memory", graph, "-o", path, "--force").code == 0
    assert path.read_text("utf-8").startswith("<svg")


@pytest.mark.parametrize("where", ["gone/x.svg", "file/x.svg"])
def test_a_place_that_cannot_be_written_is_5(graph, tmp_path, where):
    (tmp_path / "file").touch()
    ran = run("draw", "memory", graph, "-o", tmp_path / where)
    assert (ran.code, ran.out) == (5, "")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_a_write_that_fails_leaves_nothing_half_written(graph, tmp_path):
    import resource

    done = subprocess.run(
        command("draw", "memory", graph, "-o", tmp_path / "x.svg"),
        capture_output=True,
        text=True,
        env=environment(PYTHONDONTWRITEBYTECODE=1),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100)),
        check=False,
    )
    assert done.returncode == 5
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_behind_stdout_is_5(graph):
    with open("/dev/full", "w") as full:  # noqa: PTH123
        done = subprocess.run(
            command("draw", "memory", graph),
            stdout=full,
            stderr=subprocess.PIPE,
            env=environment(),
            check=False,
        )
    assert done.returncode == 5
    assert b"Traceback" not in done.stderr


def test_a_missing_input_is_3_and_writes_nothing(tmp_path):
    assert run("draw", "memory", tmp_path / "gone", "-o", tmp_path / "x.svg").code == 3
    assert list(tmp_path.iterdir()) == []


def test_no_locale_can_damage_a_picture(graph, tmp_path):
    path = tmp_path / "模型.pb"
    path.write_bytes(graph.read_bytes())
    ran = spawn("draw", "memory", path.name, cwd=tmp_path, PYTHONIOENCODING="latin-1")
    said = [text.text for text in ET.fromstring(ran.out).iter(f"{SVG}text")]  # noqa: S314
    assert said[1] == "模型.pb · model cpu-tf"


def test_a_png_without_its_extra_is_6_and_says_how_to_get_it(graph, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    ran = run("draw", "memory", graph, "-o", tmp_path / "x.png")
    assert (ran.code, ran.out) == (6, "")
    assert "tfprof[plot]" in ran.err
    assert list(tmp_path.iterdir()) == []


class _Painter:
    """In place of resvg_py: dots that only tell whether there were letters."""

    def __init__(self, *, has_fonts):
        self._has_fonts = has_fonts

    def svg_to_bytes(self, *, svg_string, zoom):
        assert zoom > 1
        return PNG + (b"letters" if self._has_fonts and "<text" in svg_string else b"")


def test_a_png_is_made_of_the_same_picture(graph, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", _Painter(has_fonts=True))
    path = tmp_path / "x.PNG"
    assert run("draw", "memory", graph, "-o", path).code == 0
    assert path.read_bytes() == PNG + b"letters"


def test_a_png_without_letters_is_refused(graph, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", _Painter(has_fonts=False))
    ran = run("draw", "memory", graph, "-o", tmp_path / "x.png")
    assert ran.code == 6
    assert "no usual font" in ran.err
    assert list(tmp_path.iterdir()) == []


def test_a_real_png_or_the_word_how_to_get_one(graph, tmp_path):
    path = tmp_path / "x.png"
    ran = run("draw", "memory", graph, "-o", path)
    try:
        import resvg_py  # noqa: F401
    except ImportError:
        assert ran.code == 6
    else:
        assert path.read_bytes().startswith(PNG)


def test_python_draws_the_same(graph):
    memory = tfprof.load(graph).memory
    several = run("draw", "memory", graph, "--batch", "1..3")
    assert memory(batch=range(1, 4)).to_svg() == several.out
    below = run("draw", "memory", graph, "--batch", "2", "--device-memory", "2MB")
    assert memory(batch=2, device_memory=2_000_000).to_svg() == below.out
    sized = run("draw", "memory", graph, "--dim", "S=3", "--feed", "x=B,784")
    assert memory(feeds={"x": ("B", 784)}, dims={"S": 3}).to_svg() == sized.out
    assert {several.code, below.code, sized.code} == {0}


def test_an_answer_without_a_picture_says_so(unet):
    with pytest.raises(UsageError, match="no picture of the summary"):
        tfprof.load(unet).summary().to_svg()
