"""Captures as Riegeli records, written by a real Riegeli library from parts of tiny.xplane.pb.

`tests/riegeli`: two records in a chunk or in two, packed in each way there is.
"""

import importlib
from pathlib import Path

import pytest

from tfprof.api.profile import load
from tfprof.errors import CorruptFile, ExtraMissing, NotReadYet, UnsafeFile
from tfprof.sources.find.recognise import recognise
from tfprof.wire.riegeli import is_riegeli

HERE = Path(__file__)
FILES = HERE.parents[3] / "riegeli"
PLAIN = HERE.parents[3] / "data" / "tiny.xplane.pb"


def _named(how):
    return FILES / f"{how}.xplane.riegeli"


def _answer(path):
    answers = [load(path).steps(), load(path).layers(by="op")]
    return [answer.to_dict()["data"] for answer in answers]


@pytest.mark.parametrize("how", ["plain", "snappy", "brotli", "zstd"])
def test_records_answer_as_the_capture_they_were_written_from(how):
    assert is_riegeli(_named(how).read_bytes())
    assert recognise(_named(how)).name == "XPlane"
    assert _answer(_named(how)) == _answer(PLAIN)


def test_transposed_records_are_told_apart():
    with pytest.raises(NotReadYet, match="transposed"):
        load(_named("transposed"))


def test_a_file_that_ends_early_is_read_up_to_there(tmp_path):
    path = tmp_path / "cut.xplane.riegeli"
    path.write_bytes(_named("plain").read_bytes()[:-20])
    assert any("ends early" in text for text in load(path).summary().to_dict()["warnings"])
    path.write_bytes(_named("plain").read_bytes()[:200])
    with pytest.raises(CorruptFile):
        load(path)


@pytest.mark.parametrize("how", ["snappy", "brotli", "zstd"])
def test_damage_inside_packed_records_is_said(how, tmp_path):
    data = bytearray(_named(how).read_bytes())
    data[400:900] = bytes(500)
    path = tmp_path / "damaged.xplane.riegeli"
    path.write_bytes(data)
    with pytest.raises((CorruptFile, UnsafeFile)):
        load(path)


def test_a_chunk_of_no_kind_is_said(tmp_path):
    data = bytearray(_named("plain").read_bytes())
    data[64 + 24] = ord("?")
    path = tmp_path / "odd.xplane.riegeli"
    path.write_bytes(data)
    with pytest.raises(CorruptFile, match="no kind of chunk"):
        load(path)


def test_records_that_unpack_without_end_are_refused(tmp_path):
    brotli = pytest.importorskip("brotli")
    packed = brotli.compress(bytes(64 << 20), quality=1)
    said = _varint(64 << 20)
    sizes = _varint(len(said)) + brotli.compress(said)
    body = b"b" + _varint(len(sizes)) + sizes + said + packed
    header = bytes(8) + len(body).to_bytes(8, "little") + bytes(8) + b"r\1" + bytes(6) + bytes(8)
    path = tmp_path / "bomb.xplane.riegeli"
    path.write_bytes(_named("plain").read_bytes()[:64] + header + body)
    with pytest.raises(UnsafeFile):
        load(path)


@pytest.mark.parametrize("how", ["brotli", "zstd"])
def test_the_extra_is_named_where_it_is_missing(how, monkeypatch):
    plain = importlib.import_module

    def import_module(name, *more):
        if name in ("brotli", "zstandard"):
            raise ImportError(name)
        return plain(name, *more)

    monkeypatch.setattr(importlib, "import_module", import_module)
    with pytest.raises(ExtraMissing) as told:
        load(_named(how))
    assert "tfprof[riegeli]" in told.value.hint


def _varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])
