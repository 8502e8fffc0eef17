"""A zip says itself how large its members are, and is not believed."""

import struct
import tracemalloc
import zipfile

import pytest

from tfprof.errors import CorruptFile
from tfprof.sources.keras.archive import KerasArchive

MEMBER = "config.json"
CLAIMED, HELD = 100, 50 << 20
# where the size before packing stands, behind the magic of a header
LOCAL, CENTRAL = (b"PK\x03\x04", 22), (b"PK\x01\x02", 24)


def lying_zip(path, method=zipfile.ZIP_DEFLATED):
    """One member that says it has 100 bytes and unpacks to 50 MB."""
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr(MEMBER, bytes(HELD))
    data = bytearray(path.read_bytes())
    for magic, place in (LOCAL, CENTRAL):
        at = data.index(magic) + place
        assert struct.unpack_from("<I", data, at) == (HELD,)
        struct.pack_into("<I", data, at, CLAIMED)
    path.write_bytes(data)
    return path


@pytest.mark.parametrize("method", [zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_member_that_claims_less_than_it_holds_is_damage(method, tmp_path):
    path = lying_zip(tmp_path / "model.keras", method)
    with KerasArchive(path) as archive, pytest.raises(CorruptFile, match=MEMBER):
        archive.read(MEMBER)


def test_no_more_of_it_is_unpacked_than_it_claims(tmp_path):
    path = lying_zip(tmp_path / "model.keras")
    with KerasArchive(path) as archive:
        tracemalloc.start()
        try:
            with pytest.raises(CorruptFile):
                archive.read(MEMBER)
            _, most = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
    assert most < HELD / 20
