"""The CPU backend: numba kernels without the GIL, driven by a thread pool."""

from debruijn_gpu.backends.cpu.sequences import smallest_rotation
from debruijn_gpu.backends.cpu.text import kmer_lines

__all__ = ["kmer_lines", "smallest_rotation"]
