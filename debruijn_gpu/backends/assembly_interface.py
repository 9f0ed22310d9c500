"""What a backend does to assemble reads. Results are the same bytes on `cpu` and `cuda`."""

from __future__ import annotations

from typing import Protocol

from debruijn_gpu.backends.cleaning_interface import CleaningBackend
from debruijn_gpu.backends.graph_interface import GraphBackend
from debruijn_gpu.backends.kmers.protocol import KmerBackend
from debruijn_gpu.backends.reads.protocol import ReadBackend
from debruijn_gpu.backends.unitigs.protocol import UnitigBackend


class AssemblyBackend(GraphBackend, ReadBackend, KmerBackend, UnitigBackend, CleaningBackend, Protocol):
    """A module with the names of all these."""
