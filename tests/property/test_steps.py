"""Whatever a capture holds, the time of a step is counted once, and all of it."""

import numpy as np
from hypothesis import given, settings
from random_traces import spaces

from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.analyses.step_time.category_codes import CATEGORIES
from tfprof.analyses.step_time.classify import ENCLOSING
from tfprof.analyses.step_time.evidence import events_behind
from tfprof.results.categories import Category


@settings(max_examples=100, deadline=None)
@given(spaces())
def test_categories_add_up_to_the_period_of_every_step(space):
    for found in breakdowns(space):
        matrices = [found.time, *found.devices.values()]
        for matrix in matrices:
            assert (matrix >= 0).all()
            assert matrix.sum(axis=1).tolist() == list(found.steps.periods)
        assert (found.gross >= found.time).all()


@settings(max_examples=40, deadline=None)
@given(spaces())
def test_an_instant_counts_for_the_first_category_that_goes_on(space):
    for found in breakdowns(space):
        begin = [window.begin for window in found.steps.windows]
        until = [window.until for window in found.steps.windows]
        for place, category in enumerate(CATEGORIES):
            counted = found.won_by(category).covered_between(begin, until)
            assert counted.tolist() == found.time[:, place].tolist()


@settings(max_examples=40, deadline=None)
@given(spaces(hosts=1))
def test_the_events_behind_a_slice_cover_it(space):
    """Each instant of a slice lies in one of its events, so these are no shorter than it.

    Events that enclose the work of others are not asked for: in a trace at random, what they
    enclose overlaps, and is taken off twice.
    """
    for found in breakdowns(space):
        for category in set(CATEGORIES) - {Category.OTHER, Category.IDLE, *ENCLOSING}:
            behind = events_behind(found, category, found.steps.windows)
            assert sum(one.self_ps for one in behind) >= int(found.of(category).sum())


@settings(max_examples=40, deadline=None)
@given(spaces(hosts=1))
def test_a_device_alone_is_never_busier_than_all_together(space):
    kinds = [CATEGORIES.index(c) for c in (Category.DEVICE_COMPUTE_16, Category.DEVICE_COMPUTE_32)]
    for found in breakdowns(space):
        for matrix in found.devices.values():
            assert (matrix[:, kinds].sum(axis=1) <= found.time[:, kinds].sum(axis=1)).all()
            assert np.all(matrix <= np.array(found.steps.periods)[:, None])
