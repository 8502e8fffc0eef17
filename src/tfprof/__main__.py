"""`python -m tfprof`, and what the command `tfprof` starts."""

from __future__ import annotations

import gc
import sys


def run() -> int:
    """Also before everything is loaded, Ctrl-C ends without a word about Python."""
    try:
        from tfprof.cli.main import main

        return main()
    except KeyboardInterrupt:
        return 130
    finally:
        # Python looks for cycles once more before it ends: 40 ms, for memory that is freed anyway
        gc.freeze()


if __name__ == "__main__":
    sys.exit(run())
