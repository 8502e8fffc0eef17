"""A page in a real browser: what is asked of it, and what it must not do.

The Chromium of the system is started by its path; nothing is downloaded. Whatever a page writes to
the console as an error, throws, or asks of a host is kept, and tests want none of it.
"""

import shutil
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]
AXE = ROOT / "web" / "node_modules" / "axe-core" / "axe.min.js"
WIDE, NARROW = (1280, 800), (390, 844)
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_MISSING = "the tests of the page need Chromium: `apt-get install chromium` on Debian"
_QUIET = (
    "--no-sandbox",  # as root there is none
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
# what axe calls minor and moderate is advice
_GRAVE = ("serious", "critical")


def chromium_path() -> str:
    found = next(filter(None, map(shutil.which, _NAMES)), None)
    if found is None:
        raise FileNotFoundError(_MISSING)
    return found


@contextmanager
def chromium():
    from playwright.sync_api import sync_playwright

    path = chromium_path()
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=path, args=_QUIET)
        yield browser
        browser.close()


@dataclass
class Looked:
    """`page` is Playwright's; `faults` and `requests` are what there must be none of."""

    page: object
    faults: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def go(self, kind: str) -> "Looked":
        """By its link; waits until the section is there."""
        self.page.evaluate("hash => { location.hash = hash }", f"#{kind}")
        return self.settled()

    def settled(self) -> "Looked":
        """Functions that are waited for are evaluated by the page, which its policy forbids."""
        self.page.wait_for_timeout(150)
        self.page.wait_for_selector("main .reading", state="detached")
        return self

    @property
    def kinds(self) -> list[str]:
        head = "JSON.parse(document.getElementById('tfprof-head').textContent)"
        return self.page.evaluate(f"{head}.sections")

    def text(self, where: str = "main") -> str:
        return self.page.inner_text(where)

    def in_view(self, text: str, height: int) -> bool:
        """Whether words are seen in the first so many pixels, all of their height."""
        return self.page.evaluate(
            """([text, height]) => {
              const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
              while (walker.nextNode()) {
                const at = walker.currentNode.data.indexOf(text);
                if (at < 0) continue;
                const range = document.createRange();
                range.setStart(walker.currentNode, at);
                range.setEnd(walker.currentNode, at + text.length);
                for (const box of range.getClientRects()) {
                  const seen = box.top >= 0 && box.bottom <= height && box.right <= innerWidth;
                  if (box.width > 1 && seen) return true;
                }
              }
              return false;
            }""",
            [text, height],
        )

    def sideways(self) -> int:
        """Pixels that the page is wider than the window: none may have to be scrolled to."""
        return self.page.evaluate("document.documentElement.scrollWidth - innerWidth")

    def axe(self) -> list[str]:
        """Serious findings of axe-core, with where they are."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("axe.run({ resultTypes: ['violations'] })")
        return [
            f"{one['id']}: {one['help']}: {node['html'][:160]}"
            for one in found["violations"]
            if one["impact"] in _GRAVE
            for node in one["nodes"][:3]
        ]


def look(browser, file: Path, at: str = "", size=WIDE, dark: bool = False) -> Looked:
    """`at` is what stands behind the `#`."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="dark" if dark else "light",
        reduced_motion="reduce",
    )
    page = context.new_page()
    looked = Looked(page)
    page.on("console", lambda said: said.type == "error" and looked.faults.append(said.text))
    page.on("pageerror", lambda fault: looked.faults.append(str(fault)))
    page.on("request", lambda asked: _is_elsewhere(asked.url) and looked.requests.append(asked.url))
    page.on("dialog", lambda dialog: (looked.faults.append(dialog.message), dialog.dismiss()))
    page.goto(f"{file.as_uri()}#{at}" if at else file.as_uri())
    page.wait_for_selector("main section")
    return looked.settled()


def _is_elsewhere(url: str) -> bool:
    """But for the file itself, and what it made of its own data."""
    return not url.startswith(("file:", "data:", "blob:"))
