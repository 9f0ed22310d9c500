"""The CPU backend: numba kernels without the GIL, driven by a thread pool."""

from debruijn_gpu.backends.cpu.edges import both_strands, join_ends
from debruijn_gpu.backends.cpu.euler import hierholzer, weak_components
from debruijn_gpu.backends.cpu.sequences import smallest_rotation
from debruijn_gpu.backends.cpu.text import kmer_lines

__all__ = ["both_strands", "hierholzer", "join_ends", "kmer_lines", "smallest_rotation", "weak_components"]
