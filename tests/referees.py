"""TensorFlow, Keras and XProf judge many answers. Where they are not installed, those tests wait.

`make test-fast` does without them: who imports one of them is skipped, a file of tests where the
import stands on top, else the test that came to it. No list of such tests has to be kept.
"""

import importlib.util
import sys

import pytest

REFEREES = ("tensorflow", "keras", "tf_keras", "ml_dtypes", "xprof")
_WHY = "not installed: "


class _Skips:
    """The last to be asked for a module, so it hears only of missing ones."""

    @staticmethod
    def find_spec(name: str, *_: object) -> None:
        if name in REFEREES:
            pytest.skip(_WHY + name, allow_module_level=True)


def skip_where_missing() -> None:
    """Only without TensorFlow: beside it, another one that is missing is a fault."""
    if importlib.util.find_spec("tensorflow") is None:
        sys.meta_path.append(_Skips)


def needs(referee: str) -> None:
    """For a test whose other process imports it."""
    importlib.util.find_spec(referee)


def old_tensorflow() -> bool:
    """`make test-oldest-tf`: what it has not is said where a test asks for it."""
    import tensorflow as tf

    return tf.__version__.startswith("2.16.")


def say_what_was_skipped(reporter: pytest.TerminalReporter) -> None:
    skipped = [r for r in reporter.stats.get("skipped", ()) if _WHY in str(r.longrepr)]
    if skipped:
        files = sum(isinstance(report, pytest.CollectReport) for report in skipped)
        reporter.write_line(
            f"Without TensorFlow {files} files and {len(skipped) - files} other tests were left "
            "out; `make test` has them."
        )
