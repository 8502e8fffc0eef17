"""`python -m fuzz.guided TARGET`: coverage chooses among our mutations, where atheris is installed.

What stands behind the target goes to libFuzzer: `-max_total_time=300`, `-runs=10000`.
"""

from __future__ import annotations

import random
import sys
import zlib

import atheris

with atheris.instrument_imports(include=["tfprof"]):
    from fuzz.asking import ask_all
    from fuzz.cases import Case, changed, codec_of
    from fuzz.corpus import keep
    from fuzz.odd import damaged
    from fuzz.running import scratch_folder
    from fuzz.targets import targets


def main(name: str, options: list[str]) -> None:
    """For targets of one file: libFuzzer has one piece of data."""
    seeds = [targets()[name].seed(random.Random(number)) for number in range(8)]  # noqa: S311
    if any(len(files) != 1 for files in seeds):
        raise SystemExit(f"{name} has several files; take `python -m fuzz --only`")
    (file,) = seeds[0]
    codec, scratch = codec_of(name, file), scratch_folder()
    start = scratch / "seeds"
    start.mkdir()
    for number, files in enumerate(seeds):
        (start / str(number)).write_bytes(files[file])

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)  # noqa: S311
        try:
            return changed(data, codec, chance)[:most]
        except Exception:  # noqa: BLE001  (no codec can take it apart any more)
            return damaged(data, chance)[:most]

    def try_one(data: bytes) -> None:
        case = Case(name, {file: data})
        path = case.write(scratch / "input")
        chance = random.Random(zlib.crc32(data))  # noqa: S311
        for failure in ask_all(path, chance):
            if failure is not None:
                raise RuntimeError(f"kept in {keep(case, failure)}\n{failure.told}")

    words = ["fuzz", "-max_len=100000", "-timeout=20", "-rss_limit_mb=4000", *options, str(start)]
    atheris.Setup(words, try_one, custom_mutator=mutate)
    atheris.Fuzz()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
