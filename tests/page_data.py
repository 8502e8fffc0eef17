"""What is in a page, taken out again: the other side of `renderers/page`, for tests."""

import base64
import gzip
import json
import re

import numpy as np


def head_of(page: str) -> dict:
    return json.loads(_block(page, "head"))


def section_of(page: str, kind: str) -> dict:
    return unpacked(base64.b64decode(_block(page, kind)))


def unpacked(data: bytes) -> dict:
    plain = gzip.decompress(data)
    length = int.from_bytes(plain[:4], "little")
    start = -(-(4 + length) // 8) * 8

    def column(found: dict) -> object:
        if "$column" not in found:
            return found
        kind, offset, count = found["$column"]
        return np.frombuffer(plain, f"<{kind}", count, start + offset)

    return json.loads(plain[4 : 4 + length], object_hook=column)


def _block(page: str, name: str) -> str:
    (found,) = re.findall(rf'<script type="[^"]+" id="tfprof-{name}">([^<]*)</script>', page)
    return found
