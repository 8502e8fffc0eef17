"""Answers in a notebook: nothing in a name becomes markup, and nothing is fetched."""

import re
from html.parser import HTMLParser

import pytest

import tfprof
from tfprof.model.quantity import Quantity
from tfprof.renderers.text import html
from tfprof.renderers.text.html_words import tag
from tfprof.views.shapes import (
    Bar,
    Bars,
    Column,
    Curve,
    Facts,
    Fold,
    LaneBar,
    Lanes,
    Notes,
    PartKind,
    Report,
    Series,
    Table,
    Unit,
)

ATTACKS = [
    "</style><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '"><svg onload=alert(1)>',
    "' onmouseover='alert(1)",
    "</td></table></div><iframe src=//example.org>",
    "<!-- ",
    "]]><![CDATA[",
    "javascript:alert(1)",
    "&lt;script&gt;",
    "a\x1b[2Jb\x00\u202ec\r\n<b>",
    "x;background:url(//example.org)",
    "\ud800<script>",
]
TAGS = {"div", "style", "table", "caption", "thead", "tbody", "tr", "th", "td", "span", "details",
        "summary", "ul", "li", "pre", "svg", "rect", "polygon"}  # fmt: skip
STYLE = re.compile(r"width:[\d.]+%|background:var\(--tfprof-[a-z_0-9]+\)(;width:[\d.]+%)?")


class Looked(HTMLParser):
    """Tags and attributes as a browser sees them; every tag is closed where it should be."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.attributes, self.text, self.counts = [], [], [], {}

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS
        self.open.append(tag)
        self.counts[tag] = self.counts.get(tag, 0) + 1
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.text.append(data)

    def handle_comment(self, data):
        raise AssertionError(data)

    handle_decl = unknown_decl = handle_pi = handle_comment


def looked(text):
    found = Looked()
    found.feed(text)
    found.close()
    assert not found.open
    for name, value in found.attributes:
        assert name in {"class", "style", "title", "scope", "viewbox", "points", "x", "y", "width",
                        "height", "role", "preserveaspectratio"}  # fmt: skip
        assert name != "style" or STYLE.fullmatch(value), value
    assert found.counts["style"] == 1
    assert not re.search(r"url\(|@import|expression\(|https?:", text.split("</style>")[0])
    return found


def everything(name):
    """A report that has this text wherever text can be."""
    columns = [Column("a", name), Column("b", name, Unit.SHARE), Column("c", name, Unit.BYTES)]
    rows = [
        [name, 0.5, 10],
        [name, Quantity.unknown(name), Quantity.at_least(3, name)],
        [name, 1.0, 2],
    ]
    table = Table(columns, rows, name, Fold(1, then=name))
    return Report(name, name, [
        Facts([(name, name)]),
        table,
        Table(columns, rows, name, on_screen=False),
        Notes([name]),
        Series([0, 5], [Curve(name, [1.0, 2.0])], Unit.MICROS),
        Lanes(name, (name, name), [LaneBar(name, [0.0, 0.5, 1.0], 0.5, [(0, 1, name)])], table, 2),
        Bars(name, name, [PartKind(name, name), PartKind("input", name)],
             [Bar(name, [1.0, 2.0], name)] * 70, table),
    ])  # fmt: skip


@pytest.mark.parametrize("name", ATTACKS, ids=range(len(ATTACKS)))
def test_a_name_is_text_wherever_it_stands(name):
    found = looked(html.render(everything(name)))
    assert "script" not in found.counts
    assert not [c for text in found.text for c in text if c in "\x1b\x00\u202e\ud800"]


def test_what_only_we_write_is_written():
    with pytest.raises(ValueError, match="onload"):
        tag("div", onload="x")


def test_shares_have_bars_and_numbers_stand_right():
    columns = [
        Column("n", "name"),
        Column("s", "share", Unit.SHARE),
        Column("c", "size", Unit.BYTES),
    ]
    shown = html.render(Report("t", "", [Table(columns, [["a", 0.25, 1_234_567]])]))
    assert 'class="n h"' in shown
    assert "width:25.00%" in shown
    assert 'title="1,234,567 bytes"' in shown
    # changes are no shares of one whole
    changed = html.render(Report("t", "", [Table(columns, [["a", -0.25, 1], ["b", 3.0, 1]])]))
    assert "width:" not in changed.split("</style>")[1]


def test_folded_rows_are_behind_a_click():
    columns = [Column("n", "name")]
    rows = [[f"row {at}"] for at in range(1_000)]
    found = looked(html.render(Report("t", "", [Table(columns, rows, "many", Fold(5))])))
    assert found.counts["details"] == 1
    assert "row 504" in found.text
    assert "row 505" not in found.text
    assert any("495 more" in text and "to_pandas()" in text for text in found.text)


def test_a_long_table_without_a_fold_begins_with_some_rows():
    rows = [[f"row {at}"] for at in range(100)]
    found = looked(html.render(Report("t", "", [Table([Column("n", "name")], rows)])))
    assert found.counts["details"] == 1
    assert "row 99" in found.text


def test_unknown_is_said_with_its_reason():
    table = Table([Column("n", "size", Unit.BYTES)], [[Quantity.unknown("nobody wrote it down")]])
    found = looked(html.render(Report("t", "", [table])))
    assert "?" in found.text
    assert "? nobody wrote it down" in found.text


@pytest.mark.parametrize(
    "question", ["summary", "layers", "memory", "steps", "input", "timeline", "placement", "scope",
                 "graph", "op", "advise"]
)  # fmt: skip
def test_every_answer_has_a_display(samples, question):
    profile = tfprof.load(samples / "xplane/fast-trace-bfc.xplane.pb")
    found = looked(getattr(profile, question)()._repr_html_())
    assert found.text


def test_light_and_dark():
    shown = html.render(Report("t", "", []))
    assert "prefers-color-scheme:dark" in shown
    assert '[data-jp-theme-light="false"] .tfprof{--tfprof-bar:' in shown
