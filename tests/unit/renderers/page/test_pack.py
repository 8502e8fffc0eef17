"""A section as bytes: what goes in comes out, in arrays that a browser has."""

import base64
import gzip
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from page_data import unpacked

from tfprof.renderers.page.pack import packed
from tfprof.results.columns import FieldColumns
from tfprof.results.page import Absent

PACKED = Path(__file__).parents[3] / "golden" / "page_section.base64"


@dataclass(frozen=True, slots=True)
class Events(FieldColumns):
    names: tuple[str, ...]
    name: npt.NDArray[np.uint32]
    begin: npt.NDArray[np.float64]


EVENTS = Events(("a", "b"), np.array([1, 0, 1], "u4"), np.array([0.5, np.nan, 2.5]))


@pytest.mark.parametrize("kind", ["u1", "i1", "u2", "i2", "u4", "i4", "f4", "f8"])
def test_an_array_is_one_of_the_same_type(kind):
    values = np.arange(5).astype(kind)
    found = unpacked(packed({"column": values}))["column"]
    assert found.dtype == kind
    assert found.tolist() == values.tolist()


@pytest.mark.parametrize(
    ("given", "made"), [("i8", "f8"), ("u8", "f8"), ("?", "u1"), (">u4", "u4")]
)
def test_what_no_browser_has_becomes_what_it_has(given, made):
    found = unpacked(packed({"column": np.array([1, 0], given)}))["column"]
    assert found.dtype == made
    assert found.tolist() == [1, 0]


def test_other_arrays_are_refused():
    with pytest.raises(TypeError, match="no columns of"):
        packed({"column": np.array(["a"])})


def test_columns_stay_columns_and_their_names_a_list():
    found = unpacked(packed({"events": EVENTS}))["events"]
    assert found["names"] == ["a", "b"]
    assert found["name"].tolist() == [1, 0, 1]
    np.testing.assert_equal(found["begin"], EVENTS.begin)


def test_columns_are_found_in_lists_and_mappings():
    found = unpacked(packed({"lanes": [{"events": EVENTS}, {"events": EVENTS}]}))
    assert [one["events"]["name"].tolist() for one in found["lanes"]] == [[1, 0, 1]] * 2


def test_results_are_encoded_as_ever():
    found = unpacked(packed({"absent": [Absent("graph", "no graph")]}))
    assert found == {"absent": [{"kind": "graph", "why": "no graph"}]}


@pytest.mark.parametrize("text", ["", "a", "ab", "abc", "abcd", "ü</script>", "\ud800", "\u202e"])
def test_columns_begin_where_a_browser_can_read_them(text):
    """Of 8 bytes each: an array that begins elsewhere is refused by a browser."""
    found = unpacked(packed({"text": text, "column": np.array([7.5])}))
    assert found["column"].tolist() == [7.5]
    assert found["text"] == text


def test_numbers_that_json_has_not_are_unknown():
    assert unpacked(packed({"a": float("nan"), "b": float("inf")})) == {"a": None, "b": None}


def test_equal_data_makes_equal_bytes():
    assert packed({"events": EVENTS}) == packed({"events": EVENTS})


def test_what_the_page_reads_is_what_is_written(request):
    """`web/tests/payload.test.ts` reads this file; compressors may differ, what is in it not."""
    made = packed({"text": "ü</script>\u202e\ud800", "events": EVENTS, "unknown": float("nan")})
    if request.config.getoption("--accept"):
        PACKED.write_text(base64.b64encode(made).decode())
    assert gzip.decompress(base64.b64decode(PACKED.read_text())) == gzip.decompress(made)
