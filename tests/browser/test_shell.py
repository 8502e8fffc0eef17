"""What is around the sections: links that last, keys, colours, paper, size of a screen."""

from looking import NARROW


def _current(looked):
    return looked.page.inner_text("nav [aria-current=page]")


def test_a_link_survives_a_reload(opened):
    looked = opened("slow-cb")
    last = looked.kinds[-1]
    looked.go(f"{last}/somewhere")
    title = _current(looked)
    looked.page.reload()
    looked.page.wait_for_selector("main section")
    assert looked.settled().page.url.endswith(f"#{last}/somewhere")
    assert _current(looked) == title


def test_back_and_forward(opened):
    looked = opened("slow-cb")
    first, last = looked.kinds[0], looked.kinds[-1]
    looked.go(first)
    begin = _current(looked)
    looked.go(last)
    end = _current(looked)
    looked.page.go_back()
    assert _current(looked.settled()) == begin
    looked.page.go_forward()
    assert _current(looked.settled()) == end


def test_a_link_to_nowhere_is_answered(opened):
    looked = opened("slow-cb", "nowhere/%E0%A4%A")
    assert "no such section" in looked.text()


def test_numbers_lead_to_sections_but_not_from_a_field(opened):
    looked = opened("slow-cb")
    at = len(looked.kinds)
    looked.page.keyboard.press(str(at))
    assert looked.settled().page.url.endswith(f"#{looked.kinds[at - 1]}")


def test_arrows_walk_through_the_sections(opened):
    looked = opened("slow-cb")
    looked.page.focus("nav a")
    looked.page.keyboard.press("ArrowLeft")
    focused = looked.page.evaluate("document.activeElement.innerText")
    assert focused.strip().startswith(looked.page.inner_text("nav li:last-child a").strip()[:5])


def test_the_first_thing_that_tab_finds_skips_to_the_content(opened):
    looked = opened("slow-cb")
    looked.page.keyboard.press("Tab")
    assert looked.page.evaluate("document.activeElement.className") == "skip"
    looked.page.keyboard.press("Enter")
    assert looked.page.evaluate("document.activeElement.id") == "content"


def test_help_opens_and_closes_by_keys(opened):
    looked = opened("slow-cb")
    looked.page.keyboard.press("?")
    assert "Keys" in looked.text("dialog")
    assert looked.axe() == []
    looked.page.keyboard.press("Escape")
    assert looked.page.query_selector("dialog[open]") is None


def _paper(looked):
    return looked.page.evaluate("getComputedStyle(document.body).backgroundColor")


def test_colours_follow_the_system_until_somebody_chooses(opened):
    looked = opened("slow-cb", dark=True)
    dark = _paper(looked)
    looked.page.select_option(".top-tools select", "light")
    light = _paper(looked)
    assert dark != light
    looked.page.reload()
    looked.page.wait_for_selector("main section")
    assert _paper(looked) == light, "kept where the browser lets us"
    looked.page.select_option(".top-tools select", "dark")
    assert _paper(looked) == dark


def test_a_narrow_screen_has_a_menu(opened):
    looked = opened("slow-cb", size=NARROW)
    assert not looked.page.is_visible("nav ul")
    looked.page.click(".sections-menu")
    assert looked.page.is_visible("nav ul")
    assert looked.axe() == []
    looked.page.click(f"nav a[href='#{looked.kinds[-1]}']")
    assert not looked.settled().page.is_visible("nav ul")


def test_paper_has_every_section_in_light_colours(opened):
    looked = opened("slow-cb", dark=True)
    looked.page.wait_for_timeout(1500)  # small sections are unpacked ahead
    assert len(looked.page.query_selector_all("main > section")) == 1
    looked.page.evaluate("dispatchEvent(new Event('beforeprint'))")
    looked.page.wait_for_timeout(300)
    assert len(looked.page.query_selector_all("main > section")) == len(looked.kinds)
    assert _paper(looked) == "rgb(255, 255, 255)"
    looked.page.evaluate("dispatchEvent(new Event('afterprint'))")
    looked.page.wait_for_timeout(300)
    assert len(looked.page.query_selector_all("main > section")) == 1


def test_a_section_that_fails_says_so_and_the_others_go_on(opened, page_of, tmp_path):
    first = opened("slow-cb")
    kind = first.kinds[0]
    text = page_of("slow-cb").read_text()
    begin = f'id="tfprof-{kind}">'
    at = text.index(begin) + len(begin)
    broken = tmp_path / "broken.html"
    broken.write_text(text[:at] + "broken" + text[at + 6 :])
    looked = opened(broken)
    assert "cannot be shown" in looked.text()
    for other in looked.kinds[1:]:
        assert "cannot be read" not in looked.go(other).text()
