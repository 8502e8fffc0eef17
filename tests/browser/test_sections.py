"""Every section of every kind of profile, in both colours and on both screens."""

import pytest
from looking import NARROW, WIDE

PROFILES = ["unet", "resnet32", "slow-cb", "fast-trace-bfc", "gpu", "tpu", "diff"]


@pytest.mark.parametrize("profile", PROFILES)
def test_every_section_is_shown_without_a_fault(opened, profile):
    looked = opened(profile)
    assert looked.kinds
    for kind in looked.kinds:
        looked.go(kind)
        said = looked.text()
        assert "cannot be shown" not in said, kind
        assert len(said.strip()) > 20, kind
        assert looked.axe() == [], kind


@pytest.mark.parametrize("profile", PROFILES)
def test_every_section_has_a_dark_side(opened, profile):
    looked = opened(profile, dark=True)
    for kind in looked.kinds:
        looked.go(kind)
        assert looked.axe() == [], kind


@pytest.mark.parametrize("profile", PROFILES)
def test_every_section_fits_a_narrow_screen(opened, profile):
    looked = opened(profile, size=NARROW)
    for kind in looked.kinds:
        looked.go(kind)
        assert looked.sideways() <= 0, kind
        assert looked.axe() == [], kind


@pytest.mark.parametrize("profile", PROFILES)
def test_nothing_is_wider_than_the_window(opened, profile):
    looked = opened(profile, size=WIDE)
    for kind in looked.kinds:
        looked.go(kind)
        assert looked.sideways() <= 0, kind


def test_what_is_absent_says_why(opened):
    looked = opened("unet")
    absent = looked.page.evaluate(
        "JSON.parse(document.getElementById('tfprof-head').textContent).absent"
    )
    for one in absent:
        looked.go(one["kind"])
        assert one["why"][:60] in looked.text()
