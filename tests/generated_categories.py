"""The categories of a step's time as TypeScript: `web/src/categories.ts`, with their colours.

`tests/unit/renderers/page/test_categories.py` compares it with what is there; `--accept` writes it.
"""

import json

from tfprof.renderers.drawing.category_colours import LOOKS
from tfprof.results.categories import Category

_HEAD = """\
// Made by tests/generated_categories.py: `make test-fast ARGS=--accept` writes it anew.

/** What the time of a step can go to: its words, and its colours on light and on dark paper. */
export interface CategoryLook {
  label: string;
  meaning: string;
  light: string;
  dark: string;
}

/** In the order of precedence, which is the order in which they are stacked. */
export const CATEGORIES: Readonly<Record<string, CategoryLook>> = {
"""


def typescript() -> str:
    return _HEAD + "".join(map(_line, Category)) + "};\n"


def _line(one: Category) -> str:
    look = LOOKS[one.value]
    said = {"label": one.label, "meaning": one.meaning, "light": look.light, "dark": look.dark}
    fields = ", ".join(f"{key}: {json.dumps(text)}" for key, text in said.items())
    return f"  {one.value}: {{ {fields} }},\n"
