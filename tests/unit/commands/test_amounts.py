import pytest

from tfprof.commands.options.amounts import bytes_of, seconds_of
from tfprof.errors import UsageError


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("2s", 2), ("2", 2), ("500ms", 0.5), ("1.5 min", 90), ("3m", 180), ("1h", 3600), (" 4s ", 4)],
)
def test_a_time_is_in_seconds(text, seconds):
    assert seconds_of(text) == seconds


@pytest.mark.parametrize("text", ["", "s", "-1s", "1e3s", "nan", "2 s s", "2S", "٢s", "9" * 400])
def test_what_is_no_time_is_refused(text):
    with pytest.raises(UsageError):
        seconds_of(text)


@pytest.mark.parametrize(
    ("text", "size"),
    [("16GB", 16 * 10**9), ("16GiB", 16 << 30), ("500k", 500_000), ("7", 7), ("1.5 MB", 1_500_000)],
)
def test_a_size_is_in_bytes(text, size):
    assert bytes_of(text) == size


@pytest.mark.parametrize("text", ["", "GB", "-1", "1XB", "nan", "٢GB", "9" * 400])
def test_what_is_no_size_is_refused(text):
    with pytest.raises(UsageError):
        bytes_of(text)
