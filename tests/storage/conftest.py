"""`make test-storage` has the emulators; where they are missing, these tests are not there."""

import importlib.util

if importlib.util.find_spec("moto") is None:
    collect_ignore_glob = ["*"]
