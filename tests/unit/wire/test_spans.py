"""Looking up stretches of a buffer, against dictionaries of bytes."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

import tfprof.wire.spans
from tfprof.wire.spans import Spans

# around the bytes that are hashed together, and the last bytes of them
LONG = [b"a" * size + end for size in (31, 32, 63, 64, 127, 128, 200) for end in (b"", b"b", b"\0")]
# few letters, so that many are alike; lengths around the eight bytes of a word
WORDS = st.lists(
    st.binary(max_size=3)
    | st.text("ab", max_size=20).map(str.encode)
    | st.text("é世a\0", max_size=9).map(str.encode)
    | st.sampled_from([b"", b"\0", b"\0\0", b"a" * 8, b"a" * 9, b"a" * 16, b"a" * 15 + b"b"])
    | st.sampled_from(LONG),
    max_size=40,
)


def first_rows(words):
    rows = {}
    for row, word in enumerate(words):
        rows.setdefault(word, row)
    return rows


def scattered(words, before=b"", behind=b""):
    """The words somewhere in a buffer, the last one at its very end unless more is behind."""
    data, starts = bytearray(before), []
    for word in words:
        starts.append(len(data))
        data += word
    ends = [start + len(word) for start, word in zip(starts, words, strict=True)]
    return Spans(bytes(data + behind), np.array(starts, np.int64), np.array(ends, np.int64))


@given(WORDS, WORDS, st.binary(max_size=9), st.binary(max_size=9))
def test_find_gives_the_first_row_a_dictionary_would(held, wanted, before, behind):
    rows = first_rows(held)
    found = scattered(held, before, behind).find(scattered(wanted, behind))
    assert found.tolist() == [rows.get(word, -1) for word in wanted]


@given(WORDS)
def test_first_alike_names_the_first_of_equals(words):
    rows = first_rows(words)
    assert scattered(words).first_alike().tolist() == [rows[word] for word in words]


@given(WORDS)
def test_texts_decode_each_stretch_and_mark_what_is_no_text(words):
    expected = [word.decode("utf-8", "replace") for word in words]
    assert scattered(words, b"\xff").texts() == expected


def test_texts_far_apart_are_decoded_too():
    words = [b"one", "größe".encode(), b"\xff"]
    data = b"".join(word + bytes(9000) for word in words)
    starts = np.array([0, 9003, 9003 + 9000 + len(words[1])])
    spans = Spans(data, starts, starts + [len(word) for word in words])
    assert spans.texts() == ["one", "größe", "\ufffd"]


def test_pieces_of_no_file_can_be_looked_up():
    spans = Spans.of([b"x", b"", b"yy", b"x"])
    assert len(spans) == 4
    assert spans.find(Spans.of([b"yy", b"x", b"", b"z"])).tolist() == [2, 0, 1, -1]


def test_nothing_is_found_in_nothing():
    nothing = Spans(b"", np.zeros(0, np.int64), np.zeros(0, np.int64))
    assert nothing.texts() == []
    assert nothing.find(Spans.of([b"a", b""])).tolist() == [-1, -1]
    assert Spans.of([b"a"]).find(nothing).tolist() == []


def test_many_names_are_found_each_at_its_row():
    words = [f"model/layer_{i % 5000}/kernel_{i // 5000}".encode() for i in range(20_000)]
    spans = scattered(words)
    wanted = words[::-1]
    assert spans.find(scattered(wanted)).tolist() == list(range(19_999, -1, -1))


@given(WORDS, WORDS, st.integers(1, 5))
def test_stretches_hashed_in_blocks_are_found_like_others(held, wanted, size):
    kept = tfprof.wire.spans._BLOCK
    tfprof.wire.spans._BLOCK = size
    try:
        found = scattered(held).find(scattered(wanted))
    finally:
        tfprof.wire.spans._BLOCK = kept
    rows = first_rows(held)
    assert found.tolist() == [rows.get(word, -1) for word in wanted]


def test_stretches_near_a_word():
    spans = Spans(b"xabc-abcd-ab", np.array([0, 5, 10]), np.array([4, 9, 12]))
    assert spans.near(b"abc").tolist() == [0, 1]
    assert spans.near(b"-").tolist() == [0, 1]  # behind them
    assert spans.near(b"z").tolist() == []
    assert spans.rows(np.array([2, 0])).near(b"ab").tolist() == [0, 1]  # in no order: any may be
    assert spans.text(1) == "abcd"
