"""Profiles for pprof, read with a few lines of our own."""

import gzip

from tfprof.renderers.trace.pprof import METRICS, PprofFrame, PprofSample, profile
from tfprof.wire.pprof_messages import encoded

MAIN = PprofFrame("/x/train.py", 10, "main")
BUILD = PprofFrame("/x/model.py", 20, "build", 15)
CONV = PprofFrame("/y/layers.tf.py", 30, "conv")


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7F) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def numbers(data):
    found, at = [], 0
    while at < len(data):
        value, at = varint(data, at)
        found.append(value)
    return found


def fields(data):
    """Field number to its values, as they come."""
    found, at = {}, 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at : at + value], at + value
        found.setdefault(key >> 3, []).append(value)
    return found


def read(data):
    top = fields(gzip.decompress(data))
    return {
        "strings": [text.decode() for text in top[6]],
        "types": [fields(one) for one in top[1]],
        "samples": [fields(one) for one in top.get(2, [])],
        "locations": [fields(one) for one in top.get(4, [])],
        "functions": [fields(one) for one in top.get(5, [])],
        "comments": numbers(top[13][0]),
        "fields": sorted(top),
    }


def names(found):
    """The node of each sample."""
    labels = [fields(sample[3][0]) for sample in found["samples"]]
    return [found["strings"][label[2][0]] for label in labels]


def test_samples_stand_by_name_with_the_innermost_frame_first():
    found = read(profile([
        PprofSample(7, "z", [MAIN, BUILD, CONV]),
        PprofSample(5, "a", [MAIN, BUILD]),
    ], "micros"))  # fmt: skip
    assert names(found) == ["a", "z"]
    assert [numbers(sample[1][0]) for sample in found["samples"]] == [[1], [2, 1]]
    assert [numbers(sample[2][0]) for sample in found["samples"]] == [[1, 5], [1, 7]]


def test_a_location_is_a_function_at_the_line_that_calls_it():
    found = read(profile([PprofSample(7, "z", [MAIN, BUILD, CONV])], "micros"))
    lines = {one[1][0]: fields(one[4][0]) for one in found["locations"]}
    assert lines == {1: {1: [1], 2: [10]}, 2: {1: [2], 2: [20]}}
    strings = found["strings"]
    functions = {one[1][0]: (strings[one[2][0]], strings[one[4][0]]) for one in found["functions"]}
    assert functions == {
        1: ("model:build", "/x/model.py"),
        2: ("layers.tf:conv", "/y/layers.tf.py"),
    }
    assert found["functions"][0][5] == [15]
    assert found["functions"][1][5] == [2**64 - 1]


def test_the_outermost_frame_has_no_location():
    found = read(profile([PprofSample(7, "z", [MAIN])], "params"))
    assert found["locations"] == found["functions"] == []
    assert 1 not in found["samples"][0]


def test_units_and_a_comment():
    units = {}
    for metric in METRICS:
        found = read(profile([], metric))
        strings = found["strings"]
        assert strings[0] == ""
        count, measured = ([strings[one[1][0]], strings[one[2][0]]] for one in found["types"])
        assert count == ["count", "count"]
        assert measured[0] == metric
        units[metric] = measured[1]
        assert strings[found["comments"][0]].endswith(".")
        # no mappings, times or periods
        assert found["fields"] == [1, 6, 13]
    assert units["cpu_micros"] == "microseconds"
    assert units["peak_bytes"] == "bytes"
    assert units["float_ops"] == "count"


def test_a_node_may_come_twice():
    found = read(profile([PprofSample(1, "n", []), PprofSample(2, "n", [])], "bytes"))
    assert names(found) == ["n", "n"]
    assert [numbers(sample[2][0]) for sample in found["samples"]] == [[1, 1], [1, 2]]


def test_equal_samples_are_equal_files():
    samples = [PprofSample(7, "z", [MAIN, BUILD])]
    first = profile(samples, "micros")
    assert first == profile(samples, "micros")
    assert first[4:8] == bytes(4)  # no time in the header


def test_zeros_are_left_out_and_negative_numbers_take_ten_bytes():
    assert encoded("Label", {"key": 0, "str": 300}) == b"\x10\xac\x02"
    assert encoded("Line", {"line": -1}) == b"\x10" + b"\xff" * 9 + b"\x01"
    assert encoded("Profile", {"string_table": [""], "comment": [0, 300]}) == (
        b"\x32\x00\x6a\x03\x00\xac\x02"
    )
