"""The pictures of the page in the documentation: `make screenshots` takes them anew.

Look at them before they are committed: labels can be read, nothing lies over something else,
numbers have units.
"""

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from looking import NARROW, WIDE, chromium, look
from run_cli import run

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs" / "images"
_LARGEST = 200_000


@dataclass(frozen=True)
class Picture:
    """`at` is what stands behind the `#`, `click` what is opened before the picture is taken."""

    name: str
    profile: str
    at: str
    size: tuple[int, int] = WIDE
    dark: bool = False
    click: str = ""


PICTURES = (
    Picture("page_overview", "slow", "overview"),
    Picture("page_overview_narrow", "slow", "overview", NARROW),
    Picture("page_steps", "slow", "steps"),
    Picture("page_timeline", "slow", "timeline", dark=True),
    Picture("page_graph", "resnet32", "graph"),
    Picture("page_memory", "unet", "memory"),
    Picture("page_diff", "diff", "diff"),
)


# as they are called in a clone after `make samples`
INPUTS = {
    "slow": ["examples/slow_input"],
    "unet": ["examples/unet"],
    "resnet32": ["samples/resnet32"],
    "diff": ["samples/xplane/slow-cb.xplane.pb", "--against", "samples/xplane/fast-cb.xplane.pb"],
}


def take(folder: Path, wanted: set[str]) -> None:
    os.chdir(ROOT)
    with chromium() as browser:
        for one in PICTURES:
            if wanted and one.name not in wanted:
                continue
            page = folder / f"{one.profile}.html"
            if not page.exists():
                ran = run("report", *INPUTS[one.profile], "-o", page)
                assert ran.code == 0, ran.err
            _take(browser, page, one)


def _take(browser, page: Path, one: Picture) -> None:
    looked = look(browser, page, one.at, one.size, one.dark)
    if one.at.partition("/")[0] not in looked.kinds:
        print(f"{one.name}: this profile has no {one.at}")
        return
    looked.page.wait_for_timeout(1500)  # layouts are made by workers
    if one.click:
        looked.page.click(one.click)
    target = IMAGES / f"{one.name}.png"
    looked.page.screenshot(path=target)
    looked.page.context.close()
    size = target.stat().st_size
    print(f"{target.relative_to(ROOT)}: {size:,} bytes{' TOO LARGE' if size > _LARGEST else ''}")


if __name__ == "__main__":
    with TemporaryDirectory() as place:
        take(Path(place), set(sys.argv[1:]))
