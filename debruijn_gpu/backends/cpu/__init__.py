"""The CPU backend: numba kernels without the GIL, driven by a thread pool."""

from debruijn_gpu.backends.cpu.parsing import parse_reads

__all__ = ["parse_reads"]
