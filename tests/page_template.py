"""A page without its script: for tests of what is put into it, and where none was built."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from tfprof.renderers.page import html

STUB = Path(__file__).with_name("page_stub.html")


@contextmanager
def small_template(path: Path = STUB) -> Iterator[None]:
    """With a path that is not there, as if none had been built."""
    html.template.cache_clear()
    with mock.patch.object(html, "TEMPLATE", path):
        yield
    html.template.cache_clear()
