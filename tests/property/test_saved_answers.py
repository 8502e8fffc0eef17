"""A saved profile answers every question as the files it was made from."""

from pathlib import Path

import pytest
from saved_answers import QUESTIONS, answers, loaded, paths_of, save

from tfprof.sources.find.load import Request, choose

_DATA = Path(__file__).parents[1] / "data"
# those that look at all that was read, and take little time
_LIGHT = ("steps", "input", "timeline", "op", "code")


def _samples():
    """Each file that stands for itself, and each folder of files that belong together."""
    folders = [
        _DATA / "stories",
        *(one for one in sorted(_DATA.iterdir()) if one.name != "stories"),
    ]
    return [
        one for place in folders for one in ([*place.iterdir()] if place == folders[0] else [place])
    ]


def _profiles(sample):
    """A folder of several models is several."""
    if sample.is_file():
        return [[sample]]
    selections = choose(Request([sample])).selections
    return [[sample]] if len(selections) == 1 else [[f.path for f in s.used] for s in selections]


def _compare(paths, target, questions):
    before = save(paths, target)
    after = loaded(target)
    mask = paths_of(before, paths) | paths_of(after, [target])
    expected = answers(before, paths, questions, mask=mask)
    told = answers(after, [target], questions, mask=mask)
    for question, answer in expected.items():
        assert told[question] == answer, question


@pytest.mark.parametrize("sample", _samples(), ids=lambda p: p.name)
def test_same_answers(sample, tmp_path):
    for paths in _profiles(sample):
        _compare(paths, tmp_path / "saved.tfprof", _LIGHT)


@pytest.mark.long
@pytest.mark.parametrize("sample", _samples(), ids=lambda p: p.name)
def test_same_answers_to_all_questions(sample, tmp_path):
    for paths in _profiles(sample):
        _compare(paths, tmp_path / "saved.tfprof", QUESTIONS)
