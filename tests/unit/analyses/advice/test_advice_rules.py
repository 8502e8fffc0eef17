"""Every rule finds its fault, and is silent where the fault is not."""

import re
from dataclasses import replace
from statistics import median

import pytest
from advice_cases import (
    CASES,
    SLOW,
    Samples,
    _gpu,
    _steps,
    found,
    short_of_memory,
    traced_in_record,
)
from unpack_samples import make_job

import tfprof
from tfprof.analyses.advice.advise import advise, names_meant
from tfprof.analyses.advice.known import Known
from tfprof.analyses.advice.of_runs.code_for import for_copies
from tfprof.analyses.advice.of_runs.replay import Machine, Stretch, fed_ahead
from tfprof.analyses.advice.rule import SECTIONS, AdviceRule, add, rules
from tfprof.results.advice import Severity
from tfprof.results.categories import Category


@pytest.fixture(scope="module")
def s(samples):
    return Samples(samples)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_a_rule_finds_its_fault(s, case):
    assert case.rule in found(case.faulty(s))


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_a_rule_is_silent_where_there_is_none(s, case):
    assert case.rule not in found(case.sound(s))


def test_there_is_a_case_for_every_rule():
    assert [case.rule for case in CASES if case.rule not in rules()] == []
    assert set(rules()) - {case.rule for case in CASES} == set()


def test_nothing_is_found_where_nothing_is_known():
    assert advise(Known()) == []


def test_names_are_words_with_hyphens_and_input_stands_in_front():
    for name in rules():
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
        assert "input" not in name.removeprefix("input-") or name == "training-ops-in-inference"


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.rule)
def test_a_finding_is_whole(s, case):
    for one in advise(case.faulty(s)):
        assert one.says
        assert one.evidence
        assert one.reason
        assert one.told.advice
        assert one.told.silence == f"--ignore {one.rule}"
        assert (one.gain is None) == bool(one.gain_reason)
        assert one.gain is None or one.gain.model
        assert one.gain is None or one.gain.after <= one.gain.before


def test_a_rule_that_is_ignored_is_silent(s):
    known = s.known("xplane/slow-cb.xplane.pb")
    assert advise(known, {"input-map-not-parallel"}) == []
    assert advise(known, {"input-bound"}) == []
    (one,) = advise(known, {"input-not-cached"})
    assert "input-not-cached" not in one.told.rules
    assert ".cache()" not in one.told.advice


def test_several_causes_of_a_wait_are_one_finding(s):
    (one,) = advise(s.known("xplane/slow-cb.xplane.pb"))
    assert one.rule == "input-map-not-parallel"
    assert one.told.stages == ("Map", "Root")
    assert len(one.told.rules) == 4


def test_work_that_was_measured_is_shared_by_the_cores(s):
    slow = s.known(SLOW)
    (taken,) = (one.gain for one in advise(slow) if one.told.rule == "input-map-not-parallel")
    (busy,) = (
        one.gain
        for one in advise(replace(slow, step_cpu_us=300_000.0))
        if one.told.rule == "input-map-not-parallel"
    )
    assert "taken to keep one" in taken.model
    # two cores
    assert busy.after == 150_000
    assert "300.0 ms of CPU time in a step, measured" in busy.model


@pytest.mark.parametrize(
    ("speed_up", "machine", "after"),
    [
        # the model alone, the pipeline alone, all work over the cores
        (8.0, Machine(8, 1.0), 40),
        (1.0, Machine(8, 1.0), 60),
        (2.0, Machine(2, 1.0), 50),
        (2.0, Machine(2, 2.0), 70),
        (2.0, Machine(2, 0.0), 40),
        (2.0, Machine(2, 1.0, work=160), 80),
        # a pipeline that waits for a disk needs no core
        (2.0, Machine(2, 1.0, work=20), 40),
    ],
)
def test_a_pipeline_that_runs_ahead(speed_up, machine, after):
    steps = [Stretch(100, 60)] * 3
    assert fed_ahead(steps, speed_up=speed_up, machine=machine) == (100, after)


def test_problems_come_first_then_what_gains_most(s):
    findings = advise(s.known("xplane/synthetic-gpu.xplane.pb"))
    hints = [one.severity is Severity.HINT for one in findings]
    assert hints == sorted(hints)
    gains = [one.gain.share for one in findings if one.gain and one.severity is Severity.HINT]
    assert gains == sorted(gains, reverse=True)


def test_a_pattern_stands_for_several_rules():
    meant, unknown = names_meant(["input-*", "no-such-rule"])
    assert "input-bound" in meant
    assert "retracing" not in meant
    assert unknown == ["no-such-rule"]


def test_a_rule_has_a_page_and_a_name_of_its_own():
    with pytest.raises(ValueError, match="taken"):
        add(AdviceRule("retracing", "a run", ""))
    with pytest.raises(ValueError, match="has no What"):
        add(AdviceRule("no-page", "a run", "Says nothing."))
    for one in rules().values():
        assert all(one.section(title) for title in SECTIONS)


def test_the_record_of_a_run_tells_of_tracings():
    (one,) = advise(traced_in_record())
    assert one.evidence == {"function": "train", "calls": 9, "traced": 9}


def test_a_plan_that_helps_is_told():
    (one,) = advise(short_of_memory())
    assert one.gain.after == 10**9
    assert "batch of 48 fits" in one.told.advice


def _codes(known):
    return {rule: one.told.code for one in advise(known) for rule in one.told.rules}


def test_the_change_is_written_for_what_ran(s):
    """A GPU's name in the advice for a TPU, or Keras in that for JAX, helps nobody."""
    tpu = s.known("accelerators/tpu.xplane.pb")
    on_gpu = _codes(_steps(_gpu(s), HOST_TO_DEVICE=0.3))["exposed-copies"]
    assert on_gpu == 'dataset = dataset.apply(tf.data.experimental.prefetch_to_device("/gpu:0"))'
    assert "jax." in _codes(tpu)["exposed-copies"]
    assert "tf." not in _codes(tpu)["exposed-collectives"]
    named = [replace(one, name=f"model/{at}") for at, one in enumerate(tpu.run.nodes)]
    of_tensorflow = replace(tpu, run=replace(tpu.run, nodes=named))
    assert 'tf.device("/tpu:0")' in _codes(of_tensorflow)["exposed-copies"]
    ahead = for_copies(of_tensorflow, "/tpu:0", Category.HOST_TO_DEVICE)
    assert "experimental_distribute_dataset" in ahead
    assert "float(loss)" in for_copies(of_tensorflow, "/gpu:0", Category.OUTPUT)


def test_a_host_that_others_do_not_wait_for_gains_of_its_own_step(samples, tmp_path):
    """The first host's steps end sooner than the slow one is behind."""
    make_job(samples, tmp_path)
    steps = tfprof.load(tmp_path).steps().to_dict()["data"]
    slow = next(one for one in steps["hosts"] if one["host"] == "worker-2")
    findings = tfprof.load(tmp_path).advise().to_dict()["data"]["findings"]
    gain = next(one["gain"] for one in findings if one["rule"] == "stragglers")
    assert gain["before"] == pytest.approx(slow["median_us"])
    others = [one["median_us"] for one in steps["hosts"] if one["host"] != "worker-2"]
    assert gain["after"] == pytest.approx(median(others), rel=0.05)
