"""The captures in tests/data are packed. `python tests/unpack_samples.py FOLDER` makes them files.

The documentation shows commands over `samples/`, which `make samples` fills in this way.
"""

from __future__ import annotations

import gzip
import shutil
import sys
from pathlib import Path

_TESTS = Path(__file__).parent
# the values of a checkpoint, which tests of a checkpoint without its values do not want
_SHARD = "resnet32/model.ckpt.data-00000-of-00001"


def unpack_data(folder: Path) -> None:
    """Every file of tests/data, unpacked."""
    for path in sorted((_TESTS / "data").rglob("*")):
        if not path.is_file():
            continue
        target = folder / path.relative_to(_TESTS / "data")
        target.parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".gz":
            target.with_suffix("").write_bytes(gzip.decompress(path.read_bytes()))
        else:
            shutil.copyfile(path, target)


def unpack_samples(folder: Path) -> None:
    """The same with the values of the checkpoint, and a job of several hosts."""
    unpack_data(folder)
    make_job(folder, folder / "job")
    packed = _TESTS / "checkpoints" / "resnet32.data-00000-of-00001.gz"
    (folder / _SHARD).write_bytes(gzip.decompress(packed.read_bytes()))


def make_job(samples: Path, folder: Path) -> None:
    """Seven hosts: one waits for its input, one is missing, the file of one is cut off."""
    fast, slow = (
        (samples / "xplane" / f"{name}.xplane.pb").read_bytes() for name in ("fast-cb", "slow-cb")
    )
    files = {0: fast, 1: fast, 2: slow, 4: fast, 5: fast, 6: fast[: len(fast) // 2]}
    folder.mkdir(exist_ok=True)
    for number, data in files.items():
        (folder / f"worker-{number}.xplane.pb").write_bytes(data)


if __name__ == "__main__":
    unpack_samples(Path(sys.argv[1]))
