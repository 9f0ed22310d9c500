"""Settings of all tests."""

from __future__ import annotations

from hypothesis import settings

# The first call of a kernel compiles it, which takes longer than any sensible deadline.
settings.register_profile("dbg", deadline=None)
settings.load_profile("dbg")
