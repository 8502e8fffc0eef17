"""Weights go to the first layer whose path they have or are below."""

from tfprof.sources.keras.paths_left import PathsLeft


def test_a_layer_takes_what_is_below_it_in_the_order_of_the_file():
    left = PathsLeft(["a/z", "ab", "b", "a", "a/b/c", "a\0", "a0"])
    assert left.take("a") == ["a/z", "a", "a/b/c"]
    assert left.take("a") == []
    assert left.take("a/b") == []
    assert left.rest() == ["ab", "b", "a\0", "a0"]


def test_many_take_no_time():
    names = [f"dense_{number}" for number in range(50_000)]
    left = PathsLeft(names)
    assert [left.take(name) for name in names] == [[name] for name in names]
