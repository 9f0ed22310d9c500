"""The way in which a cluster can fail, which neither input nor options cause."""

from __future__ import annotations

from debruijn_gpu.errors import FileAccessError


class ClusterError(FileAccessError):
    """The scheduler or its workers cannot be reached, or are not those of this version."""
