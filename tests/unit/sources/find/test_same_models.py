"""Runs whose models lie in the same files share one model; what is found of it is found once."""

import shutil
from pathlib import Path

import pytest

from tfprof.commands.history.places import PlaceReader, SentPlace
from tfprof.model.remembered import LastModels
from tfprof.reports.shared.model_costs import costs_of
from tfprof.reports.shared.question import Question
from tfprof.sources.find.load import Request, read_one
from tfprof.sources.find.run_places import find_places
from tfprof.sources.find.same_models import SameModels


def _read(folder):
    return read_one(Request([Path(folder)]))


@pytest.fixture
def stories(samples):
    return samples / "stories"


def test_the_same_files_are_one_model_and_the_run_stays_its_own(stories, tmp_path):
    shutil.copytree(stories / "slow_map", tmp_path / "again")
    same = SameModels()
    first, second = (same.shared(_read(one)) for one in (stories / "slow_map", tmp_path / "again"))
    assert second.graph is first.graph
    assert second.declared is first.declared
    assert second.oplog is first.oplog
    assert second.hosts is not first.hosts
    assert second.record is not first.record


def test_another_graph_is_another_model(stories):
    same = SameModels()
    first, second = (same.shared(_read(stories / name)) for name in ("slow_map", "bfloat16"))
    assert second.graph is not first.graph


def test_what_is_found_of_a_model_is_kept_for_the_next_run(stories, tmp_path):
    shutil.copytree(stories / "slow_map", tmp_path / "again")
    same, last = SameModels(), LastModels()
    found = []
    for folder in (stories / "slow_map", tmp_path / "again"):
        data = same.shared(_read(folder))
        with last.used():
            found.append(costs_of(data, Question()))
    assert found[1] is found[0]
    # and nobody else's answer is made from it
    assert costs_of(data, Question()) is not found[0]


def test_the_order_in_which_runs_are_read_changes_nothing(stories):
    places = find_places([stories]).places
    sent = [SentPlace.of(one) for one in places]
    alone = [PlaceReader()(one) for one in sent]
    forth, back = PlaceReader(), PlaceReader()
    assert [forth(one) for one in sent] == alone
    assert [back(one) for one in reversed(sent)][::-1] == alone
    assert [back(one) for one in sent] == alone
