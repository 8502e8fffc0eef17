"""What is below a folder of a store, and no more of it than asked for.

A bucket may have millions of files. Stores list them by name, a page at a time, but what fsspec has
for all of them goes to the end: the library of each store has another way to stop before.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any

# by name, as fsspec tells of each
Found = dict[str, dict[str, Any]]
# Azure sends no larger page
_PAGE = 5_000
_MISSING = 404


def found_below(scheme: str, files: Any, address: str, most: int) -> Found:  # noqa: ANN401  (no types)
    """Of a store that can stop, the first `most` at most; of all others all."""
    found = _LISTS_UP_TO.get(scheme, _every)(files, address, most)
    if len(found) >= most:
        # what is kept of a folder that was listed in part would be taken for all of it
        files.invalidate_cache()
    return found


def _every(files: Any, address: str, _most: int) -> Found:  # noqa: ANN401
    found: Found = files.find(address, detail=True)
    return found


def _of_s3(files: Any, address: str, most: int) -> Found:  # noqa: ANN401
    found: Found = files.find(address, detail=True, max_items=most)
    return found


def _of_google(files: Any, address: str, most: int) -> Found:  # noqa: ANN401
    """Its `find` keeps what it saw of folders, and hands no bound on to what lists pages."""
    files._do_list_objects = partial(files._do_list_objects, max_results=most)  # noqa: SLF001
    try:
        return _every(files, address, most)
    finally:
        del files._do_list_objects  # noqa: SLF001


def _of_azure(files: Any, address: str, most: int) -> Found:  # noqa: ANN401
    asked = _blobs(files, address, most)
    return asyncio.run_coroutine_threadsafe(asked, files.loop).result()


async def _blobs(files: Any, address: str, most: int) -> Found:  # noqa: ANN401
    container, folder, _ = files.split_path(address)
    begin, found = f"{folder.rstrip('/')}/" if folder else "", []
    async with files.service_client.get_container_client(container=container) as client:
        blobs = client.list_blobs(
            include=["metadata"], name_starts_with=begin, results_per_page=min(most, _PAGE)
        )
        try:
            async for blob in blobs:
                found.append(blob)
                if len(found) == most:
                    break
        except Exception as fault:
            if getattr(fault, "status_code", None) != _MISSING:
                raise
    told = await files._details(found)  # noqa: SLF001
    # what is no file counts as well: whoever asked has to see that there may be more
    return {one["name"]: one for one in told}


_LISTS_UP_TO: dict[str, Callable[[Any, str, int], Found]] = {
    "s3": _of_s3, "s3a": _of_s3, "gs": _of_google, "gcs": _of_google,
    "az": _of_azure, "abfs": _of_azure, "abfss": _of_azure,
}  # fmt: skip
