"""How an answer looks in a notebook, on light paper and on dark; it can be read without.

Text and lines have the colour of the notebook's own text, so they fit any theme. Areas have two
colours: the notebook says which, or else the system does.
"""

from __future__ import annotations

from functools import cache

from tfprof.renderers.drawing.category_colours import LOOKS

# what notebooks say of themselves: Jupyter, VS Code, Colab
_DARK = ('[data-jp-theme-light="false"]', ".vscode-dark", "html[theme=dark]")
_LIGHT = ('[data-jp-theme-light="true"]', ".vscode-light", "html[theme=light]")
_BAR = ("#9cc3f5", "#2f5d96")

_RULES = """
.tfprof{font-size:13px;line-height:1.45;color:inherit;max-width:1100px;overflow-x:auto}
.tfprof .t{font-weight:600;font-size:1.1em;margin:.2em 0 0}
.tfprof .s,.tfprof .q{opacity:.7}
.tfprof table{border-collapse:collapse;margin:.6em 0;font-size:inherit;border:0}
.tfprof caption{text-align:left;font-weight:600;padding:0 0 .2em;caption-side:top;color:inherit}
.tfprof th,.tfprof td{padding:.15em .7em;text-align:left;border:0;background:none;color:inherit;
vertical-align:top;white-space:normal;overflow-wrap:anywhere;max-width:38em}
.tfprof thead th{border-bottom:1px solid;
border-color:color-mix(in srgb,currentColor 35%,transparent)}
.tfprof tbody tr:nth-child(even){background:color-mix(in srgb,currentColor 5%,transparent)}
.tfprof .n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}
.tfprof .h{min-width:8em}
.tfprof .f th{font-weight:600;opacity:.75;white-space:nowrap}
.tfprof .b{display:block;height:4px;border-radius:2px;background:var(--tfprof-bar);margin-left:auto;
min-width:1px}
.tfprof .k{display:flex;width:100%;min-width:24em;height:14px;overflow:hidden;border-radius:2px}
.tfprof .k span{display:block;height:100%}
.tfprof .l span{display:inline-block;width:.8em;height:.8em;margin:0 .35em 0 1em;border-radius:2px}
.tfprof details{margin:.2em 0 .6em}
.tfprof summary{cursor:pointer;opacity:.75}
.tfprof pre{margin:.5em 0;white-space:pre;overflow-x:auto;background:none;color:inherit;
font-size:12px;line-height:1.3}
.tfprof svg{display:block;width:100%;max-width:720px;height:90px}
.tfprof svg.w{height:14px;min-width:24em}
.tfprof polygon,.tfprof rect{fill:var(--tfprof-bar)}
.tfprof ul{margin:.4em 0;padding-left:1.2em}
"""


@cache
def style() -> str:
    light, dark = _colours(light=True), _colours(light=False)
    return (
        f".tfprof{{{light}}}"
        f"@media(prefers-color-scheme:dark){{.tfprof{{{dark}}}}}"
        + "".join(f"{one} .tfprof{{{light}}}" for one in _LIGHT)
        + "".join(f"{one} .tfprof{{{dark}}}" for one in _DARK)
        + _RULES.replace("\n", "")
    )


def _colours(*, light: bool) -> str:
    areas = {key: look.light if light else look.dark for key, look in LOOKS.items()}
    bar = _BAR[0 if light else 1]
    return f"--tfprof-bar:{bar};" + ";".join(f"--tfprof-{k}:{v}" for k, v in areas.items())


def area(key: str) -> str:
    """The background of a kind of time; a kind that nobody has a colour for has that of bars."""
    return f"background:var(--tfprof-{key if key in LOOKS else 'bar'})"
