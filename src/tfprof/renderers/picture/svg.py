"""Pictures as SVG: elements, text that is safe in XML, and colours for light and dark.

Attributes hold the light colours, so every viewer has them; where dark is preferred, the classes
win over the attributes. Nothing is loaded from elsewhere. The text is ASCII, other letters are
references: no pipe and no locale can damage it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

from tfprof.printable import printable
from tfprof.renderers.drawing.category_colours import LOOKS

WIDTH = 800
# by name, since not every viewer knows what the system's own or a sans-serif one is
FONTS = (
    "system-ui, -apple-system, 'Segoe UI', Roboto, Helvetica, Arial, "
    "'Liberation Sans', 'DejaVu Sans', 'Noto Sans', sans-serif"
)
# of the height of a letter: enough for most text in most fonts
_LETTER = 0.6
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

# for those who see colours differently, too (Okabe and Ito); brighter on dark paper
_CURVES = (
    ("#0072b2", "#56b4e9"),
    ("#d55e00", "#f0883e"),
    ("#007a5a", "#2fc79c"),
    ("#b0478a", "#e08fc0"),
    ("#8a6d00", "#f0d442"),
)
_LOOKS = {
    "paper": ("fill", "#ffffff", "#14181f"),
    "ink": ("fill", "#1f2328", "#e6edf3"),
    "quiet": ("fill", "#59636e", "#9aa4b2"),
    "grid": ("stroke", "#e4e8ec", "#2a313b"),
    "axis": ("stroke", "#8b949e", "#6e7681"),
    "limit": ("stroke", "#1f2328", "#e6edf3"),
    "beyond": ("fill", "#d1242f", "#ff7b72"),
}
for _number, (_light, _dark) in enumerate(_CURVES):
    _LOOKS[f"line{_number}"] = ("stroke", _light, _dark)
    _LOOKS[f"dot{_number}"] = ("fill", _light, _dark)
_AREAS = {f"area-{key}": ("fill", look.light, look.dark) for key, look in LOOKS.items()}
_EVERY_LOOK = _LOOKS | _AREAS


def line_look(number: int) -> str:
    return f"line{number % len(_CURVES)}"


def dot_look(number: int) -> str:
    return f"dot{number % len(_CURVES)}"


def area_look(key: str) -> str:
    """Of a kind of time."""
    return f"area-{key}"


def safe(text: str) -> str:
    """For between tags."""
    return escape(_NOT_XML.sub("\ufffd", printable(text)))


def element(name: str, look: str = "", content: str = "", **attributes: str | float) -> str:
    """`content` is XML already; an underscore in the name of an attribute stands for a hyphen."""
    given: dict[str, str | float] = {}
    if look:
        paints, light, _ = _EVERY_LOOK[look]
        given = {"class": look, paints: light}
    given |= attributes
    written = "".join(f" {key.replace('_', '-')}={_value(v)}" for key, v in given.items())
    return f"<{name}{written}>{content}</{name}>" if content else f"<{name}{written}/>"


def text(x: float, y: float, words: str, look: str = "ink", **attributes: str | float) -> str:
    return element("text", look, safe(words), x=x, y=y, **attributes)


def tooltip(words: str) -> str:
    """It may have several lines."""
    return element("title", content="\n".join(map(safe, words.split("\n"))))


def text_width(words: str, size: float) -> float:
    """About: fonts differ from machine to machine."""
    return len(words) * size * _LETTER


def letters_in(width: float, size: float) -> int:
    return max(1, int(width / (size * _LETTER)))


def document(height: float, label: str, parts: Iterable[str], areas: Iterable[str] = ()) -> str:
    """A picture on paper of its own, so that it can stand on any page.

    `areas` are the kinds of time it has colours of.
    """
    paper = element("rect", "paper", width=WIDTH, height=height, rx=8)
    content = "\n".join(
        ["", element("style", content=_dark_style(map(area_look, areas))), paper, *parts, ""]
    )
    whole = element(
        "svg",
        content=content,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {WIDTH} {height:g}",
        width=WIDTH,
        height=height,
        role="img",
        aria_label=label,
        font_family=FONTS,
    )
    return whole.encode("ascii", "xmlcharrefreplace").decode() + "\n"


def _dark_style(areas: Iterable[str]) -> str:
    looks = [(name, _EVERY_LOOK[name]) for name in (*_LOOKS, *areas)]
    rules = "\n".join(f".{name}{{{paints}:{dark}}}" for name, (paints, _, dark) in looks)
    return f"\n@media (prefers-color-scheme: dark) {{\n{rules}\n}}\n"


def _value(value: str | float) -> str:
    if isinstance(value, str):
        return quoteattr(_NOT_XML.sub("\ufffd", printable(value)))
    return f'"{round(value, 2):g}"'
