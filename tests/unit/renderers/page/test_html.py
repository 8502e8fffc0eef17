"""The file: nothing in it is taken for markup, and it keeps to its size."""

import numpy as np
import pytest
from page_data import head_of, section_of
from page_template import STUB, small_template

from tfprof.errors import ExtraMissing, UsageError
from tfprof.renderers.page.html import page_file
from tfprof.results.page import Absent, Page, Section

HOSTILE = "</script><script>alert(1)</script><!-- \"'&\u202e"


@pytest.fixture(autouse=True)
def _stub():
    with small_template():
        yield


def _page(*sections, title="model"):
    return Page(title, "read from it", "0.1", sections, (Absent("diff", "one side"),), ("a note",))


def _text(file):
    return b"".join(file.chunks).decode()


def test_head_and_sections_are_in_the_file():
    text = _text(page_file(_page(Section("ops", {"rows": [1, 2]})), 100_000))
    assert head_of(text) == {
        "schema": "tfprof-page/1",
        "title": "model",
        "subtitle": "read from it",
        "version": "0.1",
        "sections": ["ops"],
        "absent": [{"kind": "diff", "why": "one side"}],
        "notes": ["a note"],
    }
    assert section_of(text, "ops") == {"rows": [1, 2]}


def test_names_are_no_markup():
    text = _text(page_file(_page(Section("ops", {"name": HOSTILE}), title=HOSTILE), 100_000))
    assert "alert(1)</script>" not in text
    assert text.count("<script") == 2
    assert head_of(text)["title"] == HOSTILE
    assert section_of(text, "ops")["name"] == HOSTILE


@pytest.mark.parametrize("sign", ["\x9b", "\x1b[31m", "\u202e", "\x00"])
def test_no_sign_that_steers_is_in_the_file(sign):
    text = _text(page_file(_page(Section("ops", {"name": sign}), title=sign), 100_000))
    assert sign not in text
    assert head_of(text)["title"] == sign


def test_half_a_character_is_spelt_out():
    assert "\\ud800" in _text(page_file(_page(title="\ud800"), 100_000))


def _noise(size):
    return {"noise": np.random.default_rng(1).integers(0, 256, size, "u1")}


def test_what_has_no_room_is_left_out_and_told():
    sections = (Section("overview", {}), Section("graph", _noise(60_000)), Section("ops", {}))
    file = page_file(_page(*sections), 50_000)
    text = _text(file)
    assert len(text) <= 50_000
    assert head_of(text)["sections"] == ["overview", "ops"]
    assert [one.kind for one in file.left_out] == ["graph"]
    assert "80." in file.left_out[0].why
    assert "--max-size" in head_of(text)["absent"][-1]["why"]
    assert file.sizes.keys() == {"overview", "ops"}


def test_no_room_at_all_is_refused():
    with pytest.raises(UsageError, match="no room"):
        page_file(_page(Section("ops", _noise(1000))), STUB.stat().st_size)


def test_without_a_template_it_says_how_to_get_one(tmp_path):
    with small_template(tmp_path / "none.html"), pytest.raises(ExtraMissing, match="not built"):
        page_file(_page(), 100_000)
