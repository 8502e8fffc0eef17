"""The Python surface."""

from tfprof.api.answer import Answer
from tfprof.api.profile import Profile, load

__all__ = ["Answer", "Profile", "load"]
