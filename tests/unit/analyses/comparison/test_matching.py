from tfprof.analyses.comparison.matching import matched


def test_names_come_first():
    found = matched({"a": 1, "b": 2}, {"b": 2, "a": 3})
    assert found.both == [("a", "a"), ("b", "b")]
    assert (found.renamed, found.gone, found.new) == ([], [], [])


def test_one_that_went_and_one_of_its_kind_that_came_were_renamed():
    found = matched({"a": 1, "old": 2}, {"a": 1, "new": 2})
    assert found.renamed == [("old", "new")]
    assert ("old", "new") in found.both
    assert (found.gone, found.new) == ([], [])


def test_where_it_is_not_clear_nothing_was_renamed():
    found = matched({"old": 2}, {"new": 2, "newer": 2})
    assert (found.renamed, found.gone, found.new) == ([], ["old"], ["new", "newer"])


def test_what_nothing_tells_apart_is_never_renamed():
    found = matched({"old": None}, {"new": None})
    assert (found.renamed, found.gone, found.new) == ([], ["old"], ["new"])
