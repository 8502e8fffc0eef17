"""tfprof: what a TensorFlow model costs, and what to do about it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from tfprof.api import Answer, Profile, load
    from tfprof.errors import TfprofError

__all__ = ["Answer", "Profile", "TfprofError", "__version__", "load"]


def __getattr__(name: str) -> Any:  # noqa: ANN401
    """Public names on first use: `tfprof --help` must not wait for numpy."""
    if name == "TfprofError":
        from tfprof.errors import TfprofError

        return TfprofError
    if name in __all__:
        import tfprof.api

        return getattr(tfprof.api, name)
    raise AttributeError(f"module 'tfprof' has no attribute {name!r}")
