"""What must hold of busy and idle time in any capture."""

import numpy as np
from hypothesis import HealthCheck, given, settings
from random_traces import spaces

from tfprof.analyses.overlap.host_overlap import overlap
from tfprof.analyses.step_time.breakdown import breakdowns
from tfprof.analyses.step_time.overlapping import Overlapping
from tfprof.analyses.step_time.slow_steps import slow_steps
from tfprof.reports.steps import Query, partial_of
from tfprof.reports.steps.overlap_words import overlap_facts
from tfprof.reports.steps.slow_words import slow_texts

# making a capture takes longer than looking at it
QUICKLY = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


@QUICKLY
@given(spaces(steps=(1, 6)))
def test_busy_and_idle_fit_into_the_steps(space):
    found = [(one, overlap(one.planes, one.steps)) for one in breakdowns(space)]
    for breakdown, seen in found:
        for device in seen.devices:
            assert (device.active <= seen.periods).all()
            assert (device.compute <= device.active).all()
            assert (device.span <= seen.periods).all()
            assert (device.compute <= device.span).all()
            assert all((times >= 0).all() for times in device.waited.values())
            waited = sum(device.waited.values())
            assert (device.active + waited == seen.periods).all()
            copied = device.copies - device.copies_hidden
            exchanged = device.collectives - device.collectives_hidden
            assert (device.compute + copied + exchanged <= device.active).all()
            assert (device.copies_hidden <= np.minimum(device.copies, device.compute)).all()
            assert (device.collectives_hidden <= device.collectives).all()
            assert (device.finished <= seen.periods).all()
            assert ((device.finished < 0) == (device.active == 0)).all()
        for launches in seen.launches:
            assert (launches.waited <= launches.idle).all()
        for gap in seen.gaps:
            assert gap.length > 0
            assert all(0 <= did.share <= 1.000001 for did in gap.meanwhile)
            assert gap.meanwhile
        assert (seen.cpu.either <= seen.cpu.model + seen.cpu.pipeline).all()
        slow_texts(slow_steps(breakdown.steps.windows, breakdown.time, breakdown.planes))
    if found:
        result = partial_of([one for one, _ in found]).finish(Query())
        assert len(overlap_facts(result)) <= 6


@QUICKLY
@given(spaces(hosts=1, devices=1))
def test_what_a_stretch_of_time_meets(space):
    for plane in space.planes:
        start, end = plane.events.start_ps, plane.events.end_ps
        if not len(start):
            continue
        overlapping = Overlapping(plane)
        middle = (int(start.min()) + int(end.max())) // 2
        for begin, stop in [(0, middle), (middle, middle + 5_000_000), (middle, 1 << 60)]:
            meets = np.flatnonzero((start < stop) & (end > begin) & (end > start))
            assert overlapping.rows(begin, stop).tolist() == meets.tolist()
