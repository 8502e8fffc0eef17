"""How long a page takes to open in Chromium, and to answer a zoom, printed as JSON.

    python benchmarks/_looked_at.py report.html

Needs Playwright, and the Chromium of the system (`make test-browser` sets both up).
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

from looking import WIDE, chromium, look

# what somebody zooms with a wheel, by section
_ZOOMED = {"timeline": "canvas", "graph": "svg"}
_TURNS = 20

# the last of what was waiting is done when the frame after it begins
_TURN = """
async ([where, turns]) => {
  const drawn = [...document.querySelectorAll(`main ${where}`)];
  const area = (one) => one.getBoundingClientRect().width * one.getBoundingClientRect().height;
  const target = drawn.sort((a, b) => area(b) - area(a))[0];
  const box = target.getBoundingClientRect();
  const times = [];
  for (let turn = 0; turn < turns; turn++) {
    const begin = performance.now();
    target.dispatchEvent(new WheelEvent("wheel", {
      bubbles: true, cancelable: true, deltaY: turn < turns / 2 ? -120 : 120,
      clientX: box.left + box.width * (0.3 + 0.02 * turn), clientY: box.top + box.height / 2,
    }));
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    times.push(performance.now() - begin);
  }
  return times.sort((a, b) => a - b);
}
"""
_SHOWN = """
async () => {
  while (document.querySelector("main .reading") || !document.querySelector("main section")) {
    await new Promise((done) => setTimeout(done, 5));
  }
  await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
  return performance.now();
}
"""


def measured(page: Path) -> dict[str, object]:
    found: dict[str, object] = {"open_ms": {}, "zoom_ms": {}}
    with chromium() as browser:
        warm = look(browser, page)
        kinds = warm.kinds
        warm.page.context.close()
        for kind in kinds:
            found["open_ms"][kind] = _opened(browser, page, kind)
            if kind in _ZOOMED:
                found["zoom_ms"][kind] = _zoomed(browser, page, kind)
    return found


def _opened(browser, page: Path, kind: str) -> float:
    """From the navigation until the section is there."""
    context = browser.new_context(viewport={"width": WIDE[0], "height": WIDE[1]})
    tab = context.new_page()
    tab.goto(f"{page.as_uri()}#{kind}", wait_until="commit")
    shown: float = tab.evaluate(_SHOWN)
    context.close()
    return shown


def _zoomed(browser, page: Path, kind: str) -> dict[str, float]:
    looked = look(browser, page, kind)
    looked.page.wait_for_timeout(1000)
    times = looked.page.evaluate(_TURN, [_ZOOMED[kind], _TURNS])
    looked.page.context.close()
    return {"median": times[len(times) // 2], "longest": times[-1]}


if __name__ == "__main__":
    print(json.dumps(measured(Path(sys.argv[1]).resolve())))
